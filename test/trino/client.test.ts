import fc from 'fast-check';
import { afterAll, expect, inject, test } from 'vitest';
import { ident } from '../../src/core/duckdb/duckdb.ts';
import { literal, type SqlValue } from '../../src/etl/engines/trino/client/literal.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { TrinoFailure } from '../../src/etl/engines/trino/client/trino-error.ts';
import { errorOf } from '../support/error-of.ts';
import { until } from '../support/until.ts';

const { url, catalog } = inject('trino');
const client = new TrinoClient({ url, user: 'test', catalog });
afterAll(() => client[Symbol.asyncDispose]());

const text = fc.string({ unit: 'binary', maxLength: 30 });
const hostile = fc.constantFrom(
  "'",
  "''",
  '\\',
  '\n',
  '?',
  '--',
  '/*',
  '$x',
  '"',
  ';',
  'U&',
  '\u{1f600}',
  '\u0000',
  '',
);
const value: fc.Arbitrary<SqlValue> = fc.oneof(
  fc.array(fc.oneof(text, hostile), { maxLength: 4 }).map((parts) => parts.join('')),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 20 }),
  fc.array(fc.option(text.filter((one) => !one.includes('\0'))), { minLength: 1, maxLength: 3 }),
);

test('every value is passed unchanged, as a literal and as a parameter', async () => {
  const sample = fc.sample(value, 400).filter((one) => !(typeof one === 'string' && one.includes('\0')));
  for (let at = 0; at < sample.length; at += 40) {
    const values = sample.slice(at, at + 40);
    const asked = values.map((one, index) => [
      `${literal(one)} AS ${ident(`l${index}`)}`,
      `? AS ${ident(`p${index}`)}`,
    ]);
    const [row] = await client.rows(`SELECT ${asked.flat().join(', ')}`, { values });
    for (const [index, one] of values.entries())
      for (const name of [`l${index}`, `p${index}`]) expect(row?.[name]).toStrictEqual(expected(one));
  }
});

/** Bytes come back as a Buffer. */
function expected(one: SqlValue): unknown {
  return one instanceof Uint8Array ? Buffer.from(one) : one;
}

test('values keep their types', async () => {
  const [row] = await client.rows(`SELECT 9223372036854775807 AS whole, CAST(7 AS integer) AS small,
    DECIMAL '12345678901234567890123456789012345678' AS wide, DECIMAL '1.10' AS scaled,
    TIMESTAMP '2026-01-02 03:04:05.123456 UTC' AS instant, TIMESTAMP '2026-01-02 03:04:05.123456' AS local,
    DATE '1582-10-04' AS day, nan() AS nan, -infinity() AS low, ARRAY[1, NULL] AS list, ARRAY[ARRAY[nan()]] AS lists,
    CAST(ROW(1, 'x') AS ROW(a bigint, b varchar)) AS struct, MAP(ARRAY['k'], ARRAY[9223372036854775807]) AS map,
    X'00ff' AS bytes, JSON '{"a":1}' AS json, CAST(NULL AS bigint) AS nothing, true AS yes`);
  expect(row).toStrictEqual({
    whole: 9223372036854775807n,
    small: 7,
    wide: 12345678901234567890123456789012345678n,
    scaled: '1.10',
    instant: '2026-01-02T03:04:05.123456Z',
    local: '2026-01-02T03:04:05.123456',
    day: '1582-10-04',
    nan: Number.NaN,
    low: Number.NEGATIVE_INFINITY,
    list: [1, null],
    lists: [[Number.NaN]],
    struct: { a: 1n, b: 'x' },
    map: { k: 9223372036854775807n },
    bytes: Buffer.from([0, 255]),
    json: '{"a":1}',
    nothing: null,
    yes: true,
  });
});

test('a JavaScript date is an instant, to the millisecond', async () => {
  const at = new Date('2026-01-02T03:04:05.006Z');
  expect(await client.scalar('SELECT ?', { values: [at] })).toBe('2026-01-02T03:04:05.006Z');
});

test('a multi-page result is complete and in order', async () => {
  const numbers: bigint[] = [];
  let pages = 0;
  const sql = `SELECT n, rpad('', 1000, 'x') FROM UNNEST(sequence(1, 3000)) AS a(n) CROSS JOIN UNNEST(sequence(1, 10))
    ORDER BY n`;
  for await (const { rows } of client.pages(sql)) {
    if (rows.length > 0) pages++;
    numbers.push(...rows.map(([n]) => n as bigint));
  }
  expect(pages).toBeGreaterThan(1);
  expect(numbers).toEqual(Array.from({ length: 30_000 }, (_, index) => BigInt(Math.floor(index / 10) + 1)));
});

test('an unknown column is reported with its position', async () => {
  const error = await errorOf(client.run('SELECT 1,\n  nothing'));
  expect(error.code).toBe('bad_query');
  expect(error.message).toMatch(
    /^line 2:3: Column 'nothing' cannot be resolved \(COLUMN_NOT_FOUND, query \d+/,
  );
  expect(error.cause).toBeInstanceOf(TrinoFailure);
  expect(error.cause).toMatchObject({ errorType: 'USER_ERROR', line: 2, column: 3 });
});

const ENDLESS =
  'SELECT count(*) FROM UNNEST(sequence(1, 10000)) CROSS JOIN UNNEST(sequence(1, 10000)) CROSS JOIN UNNEST(sequence(1, 10000))';

test('an abort ends the statement in Trino', async () => {
  const controller = new AbortController();
  const source = `abort-${process.pid}`;
  const running = client.run(ENDLESS, { source }, controller.signal);
  await until(async () => (await stateOf(source)) === 'RUNNING' || undefined);
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  await until(async () => (await stateOf(source)) === 'FAILED' || undefined);
  expect(await stateOf(source, 'error_code')).toBe('USER_CANCELED');
});

async function stateOf(source: string, column = 'state'): Promise<unknown> {
  return client.scalar(`SELECT ${ident(column)} FROM system.runtime.queries WHERE source = ?`, {
    values: [`crawlhouse/${source}`],
  });
}

test('session properties and the number of written rows are passed on', async () => {
  const options = { session: { query_max_run_time: '7m' } };
  const shown = await client.rows(`SHOW SESSION LIKE 'query_max_run_time'`, options);
  expect(shown[0]?.Value).toBe('7m');
  await client.run('CREATE SCHEMA IF NOT EXISTS client_test');
  await client.run('CREATE OR REPLACE TABLE client_test.t (n bigint)');
  expect(await client.run('INSERT INTO client_test.t VALUES 1, 2, 3')).toBe(3n);
  await client.run('DROP TABLE client_test.t');
});
