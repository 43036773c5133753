import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { postgresAddress } from '../../../../../src/core/net/postgres-address.ts';
import { PostgresPool } from '../../../../../src/etl/state/ledger/postgres/postgres-pool.ts';

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('an outage uses its patience once, however many statements it affects', async () => {
  const address = postgresAddress(
    `postgres://u:p@127.0.0.1:${await closedPort()}/d?project=p&sslmode=disable`,
    '.',
  );
  const patience = { totalMs: 800, baseMs: 20, maxMs: 100 };
  await using pool = new PostgresPool(address, patience, new AbortController().signal);
  const startedAt = performance.now();
  const unavailable = { code: 'ledger_unavailable' };
  const attempts = Array.from({ length: 8 }, () => pool.rows('SELECT 1'));
  for (const one of await Promise.allSettled(attempts))
    expect(one).toMatchObject({ status: 'rejected', reason: unavailable });
  expect(pool.gone.aborted).toBe(true);
  const first = performance.now() - startedAt;
  expect(first).toBeGreaterThanOrEqual(700);
  // Whoever comes later in the same outage is told at once.
  for (let later = 0; later < 8; later++)
    await expect(pool.transaction((statements) => statements.rows('SELECT 1'))).rejects.toMatchObject(
      unavailable,
    );
  expect(performance.now() - startedAt - first).toBeLessThan(patience.totalMs * 4);
});
