import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { text } from '../../src/core/duckdb/duckdb.ts';
import { PatternError, portablePattern } from '../../src/core/text/portable-pattern.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { translateSql } from '../../src/etl/engines/trino/trino-dialect.ts';
import { openWarehouse, type TestWarehouse } from '../etl/pipeline/transform/test-warehouse.ts';
import { patterns, SUBJECTS } from '../support/patterns.ts';
import { FUNCTION_CASES } from './functions.ts';
import { rowsOfDuckDB, rowsOfTrino } from './rows-of-both.ts';

// Every function that counts as portable, and regular expressions of the flavour, on both engines.

const { url, catalog } = inject('trino');
const client = new TrinoClient({ url, user: 'functions', catalog });
let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openWarehouse();
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
});

/** Rows, or that there are none because the engine refuses a value. */
async function answers(sql: string): Promise<{ duckdb: string[] | 'error'; trino: string[] | 'error' }> {
  const duckdb = await rowsOfDuckDB(warehouse.connection, sql).catch(() => 'error' as const);
  const trino = await rowsOfTrino(client, translateSql(sql)).catch(() => 'error' as const);
  return { duckdb, trino };
}

describe.each([...FUNCTION_CASES])('%s', (name, cases) => {
  test.each(cases)('%s', async (one) => {
    const { duckdb, trino } = await answers(`SELECT ${one}`);
    expect(trino).toEqual(duckdb);
    // Of zero and less there is no logarithm.
    if (name !== 'ln') expect(duckdb).not.toBe('error');
  });
});

test('lower and upper agree, except for characters of Unicode 16 and later', async () => {
  const changed = (points: string): string =>
    `SELECT i, lower(c), upper(c) FROM (${points}) AS t WHERE lower(c) <> c OR upper(c) <> c`;
  const own = await rowsOfDuckDB(
    warehouse.connection,
    changed(
      'SELECT i, chr(CAST(i AS INTEGER)) AS c FROM (FROM range(0, 55296) AS r(i) UNION ALL FROM range(57344, 130000))',
    ),
  );
  const others = await rowsOfTrino(
    client,
    translateSql(
      changed(`SELECT i, chr(i) AS c FROM (SELECT 10000 * a.n + b.n AS i FROM UNNEST(sequence(0, 12)) AS a(n)
        CROSS JOIN UNNEST(sequence(0, 9999)) AS b(n)) AS p WHERE i < 55296 OR i > 57343`),
    ),
  );
  const known = new Set(own);
  const different = others.filter((row) => !known.has(row));
  expect(own.filter((row) => !others.includes(row)).length).toBeLessThan(10);
  expect(different.filter((row) => !UNICODE_16.test(row))).toEqual([]);
});

/** Letters that Trino's Java knows and DuckDB 1.5 does not, and those that they got a case by. */
const UNICODE_16 = /[\u{19b}\u{264}\u{1c89}\u{1c8a}\u{a7cb}-\u{a7cd}\u{a7da}-\u{a7dc}\u{10d50}-\u{10d85}]/u;

test('portable regular expressions match the same texts', async () => {
  const rows = SUBJECTS.map((subject, at) => `SELECT ${at} AS n, ${subject} AS s`).join(' UNION ALL ');
  await fc.assert(
    fc.asyncProperty(fc.array(patterns, { minLength: 40, maxLength: 40 }), async (given) => {
      const taken = given.filter((pattern) => {
        try {
          return portablePattern(pattern) !== undefined;
        } catch (error) {
          if (error instanceof PatternError) return false;
          throw error;
        }
      });
      const columns = taken.map((pattern) => `regexp_matches(s, ${text(pattern)})`);
      const { duckdb, trino } = await answers(
        `SELECT n, ${columns.join(', ')} FROM (${rows}) AS t ORDER BY n`,
      );
      expect([taken, trino]).toEqual([taken, duckdb]);
      expect(duckdb).not.toBe('error');
    }),
    { numRuns: 3, endOnFailure: true },
  );
});
