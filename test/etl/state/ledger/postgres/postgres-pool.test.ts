import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool, PoolConfig } from 'pg';
import { expect, test } from 'vitest';
import { host, withHost } from '../../../../../src/core/host/host.ts';
import { postgresAddress } from '../../../../../src/core/net/postgres-address.ts';
import { PostgresPool } from '../../../../../src/etl/state/ledger/postgres/postgres-pool.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

const URL = 'postgres://user:secret@server:6000/ledgers?project=p';
const PATIENCE = { totalMs: 1000, baseMs: 10, maxMs: 100 };

/** A pool whose server answers each query with the next of these errors, then with a row. */
function poolOf(
  errors: readonly object[],
  signal = new AbortController().signal,
  url = `${URL}&sslmode=disable`,
) {
  const left = [...errors];
  const slept: number[] = [];
  let [now, config]: [number, PoolConfig | undefined] = [0, undefined];
  const postgres = (given: PoolConfig) => {
    config = given;
    const query = async () => {
      const error = left.shift();
      if (error !== undefined) throw Object.assign(new Error(), error);
      return { rows: [{ id: 1 }] };
    };
    return { on: () => {}, query, end: async () => {} } as unknown as Pool;
  };
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    now += ms;
  };
  const machine = { ...host(), postgres, sleep, monotonic: () => now, random: () => 0.999 };
  const pool = withHost(machine, () => new PostgresPool(postgresAddress(url, '/nowhere'), PATIENCE, signal));
  return {
    pool,
    slept,
    config: config as PoolConfig | undefined,
    ask: () => withHost(machine, () => pool.rows('SELECT 1')),
    pass(ms: number): void {
      now += ms;
    },
  };
}

test.for([
  [
    '28P01',
    'wrong password',
    'bad_settings',
    'the ledger at server:6000/ledgers rejects user: wrong password',
  ],
  ['28000', 'no entry', 'bad_settings', 'the ledger at server:6000/ledgers rejects user: no entry'],
  ['3D000', 'no "ledgers"', 'bad_settings', 'the ledger at server:6000/ledgers rejects user: no "ledgers"'],
  [
    '42501',
    'denied',
    'bad_settings',
    'the ledger at server:6000/ledgers: user lacks a right on the schema crawlhouse: denied',
  ],
  [
    '3F000',
    'gone',
    'bad_settings',
    'the ledger at server:6000/ledgers: user lacks a right on the schema crawlhouse: gone',
  ],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'x',
    'bad_settings',
    'the ledger at server:6000/ledgers: no TLS connection: x',
  ],
  [
    undefined,
    'no SSL here',
    'bad_settings',
    'the ledger at server:6000/ledgers: no TLS connection: no SSL here',
  ],
  ['42P01', 'no table', 'internal', 'no table'],
  [undefined, 'something else', 'internal', 'something else'],
  ['XX000', 'Connection terminated', 'internal', 'Connection terminated'],
] as const)('the error %s of the server, "%s", is not retried: %s', async ([code, message, of, text]) => {
  const { ask, slept } = poolOf([{ code, message }]);
  await expect(ask()).rejects.toMatchObject({ code: of, message: text });
  expect(slept).toEqual([]);
});

test.for([
  ['ECONNREFUSED', 'refused'],
  ['08006', 'connection failure'],
  ['57P01', 'shutdown'],
  ['53300', 'too many connections'],
  ['40001', 'conflict'],
  [undefined, 'Connection terminated unexpectedly'],
] as const)('the error %s, "%s", is retried until the patience ends', async ([code, message]) => {
  const error = { code, message };
  const brief = poolOf([error, error]);
  expect(await brief.ask()).toEqual([{ id: 1 }]);
  expect([brief.slept.length, brief.pool.gone.aborted]).toEqual([2, false]);
  const long = poolOf(Array(99).fill(error));
  const away = {
    code: 'ledger_unavailable',
    message: `the ledger at server:6000/ledgers does not answer: ${message}`,
  };
  await expect(long.ask()).rejects.toMatchObject(away);
  expect(long.slept.reduce((sum, ms) => sum + ms)).toBe(PATIENCE.totalMs);
  expect(Math.max(...long.slept)).toBeLessThanOrEqual(PATIENCE.maxMs);
  expect(long.pool.gone.reason).toMatchObject(away);
});

test('a fault without a message shows its code, and an aborted process retries nothing', async () => {
  const { ask, slept } = poolOf([{ code: 'ECONNRESET', message: '' }], AbortSignal.abort());
  await expect(ask()).rejects.toThrow('does not answer: ECONNRESET');
  expect(slept).toEqual([]);
});

test('a fault after a quiet time is a new outage, with all of the patience', async () => {
  const error = { code: 'ECONNRESET', message: 'reset' };
  const { ask, pass, slept } = poolOf(Array(200).fill(error));
  for (const [quiet, waited] of [
    [0, 1000],
    [80_000, 0],
    [90_001, 1000],
  ] as const) {
    pass(quiet);
    slept.length = 0;
    await expect(ask()).rejects.toMatchObject({ code: 'ledger_unavailable' });
    expect([quiet, slept.reduce((sum, ms) => sum + ms, 0)]).toEqual([quiet, waited]);
  }
});

test('TLS verifies the name of the server, with a private authority if one is given', async () => {
  const authority = join(await temporaryFolder(), 'ca.crt');
  await writeFile(authority, 'certificate');
  const tlsOf = (more: string) => poolOf([], undefined, `${URL}${more}`).config?.ssl;
  expect(tlsOf('&sslmode=disable')).toBe(false);
  expect(tlsOf('')).toEqual({ host: 'server' });
  expect(tlsOf(`&sslrootcert=${authority}`)).toEqual({ host: 'server', ca: 'certificate' });
  expect(() => tlsOf('&sslrootcert=missing.crt')).toThrow(
    expect.objectContaining({
      code: 'bad_settings',
      message: 'ledger: sslrootcert: cannot read /nowhere/missing.crt',
    }),
  );
});
