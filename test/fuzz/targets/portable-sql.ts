import fc from 'fast-check';
import { Database } from '../../../src/core/duckdb/duckdb.ts';
import { TrinoClient } from '../../../src/etl/engines/trino/client/trino-client.ts';
import { translateModel, translateSql } from '../../../src/etl/engines/trino/trino-dialect.ts';
import { findNonPortable } from '../../../src/etl/project/sql/text/portable-sql.ts';
import type { TrinoAddress } from '../../support/trino.ts';
import { fuzzFolder } from '../folder.ts';
import { type Check, called, Fault, same, type Target, type Verdict } from '../target.ts';

const START = { file: 'sql/a/a.sql', line: 1 };

/** Opens both engines where ENGINES has the address of Trino (`npm run engines`), else DuckDB alone. */
async function open(): Promise<{ check: Check; close: () => Promise<void> }> {
  const { folder, close } = fuzzFolder();
  const database = await Database.open({ memoryLimit: '200MB', threads: 1, tempDirectory: folder });
  const connection = await database.connect();
  const { ENGINES } = process.env;
  const address = ENGINES === undefined ? undefined : (JSON.parse(ENGINES) as TrinoAddress);
  const trino = address && new TrinoClient({ url: address.url, user: 'fuzz', catalog: address.catalog });
  return {
    async check(input, signal): Promise<Verdict> {
      const sql = input.toString();
      const found = await called(() => findNonPortable(connection, sql, START));
      for (const { file, line, rule, instead } of found?.value ?? [])
        if (
          file !== START.file ||
          !(line >= 1 && line <= sql.split('\n').length) ||
          rule === '' ||
          instead === ''
        )
          throw new Fault('a finding has no place or no words', { line, rule, instead });
      if (found === undefined || found.value.length > 0) return 'refused';
      const translated = await called(() => translateSql(sql));
      if (translated === undefined) return 'refused';
      await called(() => translateModel(sql, new Map([['a', 'BIGINT']])));
      if (trino !== undefined) {
        const rows = await connection.rows(sql, [], signal).catch(() => undefined);
        const others = await trino.rows(translated.value, {}, signal).catch(() => undefined);
        // What both refuse is refused; what one answers, the other answers alike.
        if (rows !== undefined || others !== undefined)
          same(sorted(others), sorted(rows), 'Trino and DuckDB');
      }
      return 'taken';
    },
    close: async () => {
      await trino?.[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await close();
    },
  };
}

/** Rows have no order, and whole numbers are numbers or BigInts by engine. */
function sorted(rows: readonly unknown[] | undefined): readonly string[] | undefined {
  return rows
    ?.map((row) =>
      JSON.stringify(Object.values(row as object).map((value) => (value === null ? null : String(value)))),
    )
    .sort();
}

const expression = fc.constantFrom(
  ...[
    'a',
    'b',
    'a + 1',
    'a / 2',
    'abs(a)',
    'upper(b)',
    "split_part(b, '/', 3)",
    "replace(b, 'a', 'b')",
    'length(b)',
  ],
  ...[
    'coalesce(a, 0)',
    'CAST(a AS VARCHAR)',
    'TRY_CAST(b AS BIGINT)',
    "b LIKE '%a%'",
    "regexp_matches(b, 'a.b')",
  ],
  ...[
    'CASE WHEN a > 1 THEN b END',
    'a IS NULL',
    "trim(b, '/')",
    'round(a, 1)',
    'greatest(a, 1)',
    'a % 2',
    "'a' || b",
  ],
);
const statement = fc
  .tuple(
    expression,
    expression,
    fc.constantFrom('', 'WHERE a > 1', "WHERE b <> ''", 'GROUP BY a, b', 'ORDER BY a'),
  )
  .map(
    ([x, y, rest]) =>
      `SELECT ${x} AS x, ${y} AS y FROM (VALUES (1, 'a/b/c'), (2, 'é'), (NULL, NULL)) AS t (a, b) ${rest}`,
  );

/** SQL of models: it is portable, and translated for Trino, or refused in words. */
export const portableSql: Target = {
  name: 'portable-sql',
  seeds: [
    "SELECT t.a AS x, count(*) AS n FROM (VALUES (1, 'a'), (2, 'b')) AS t (a, b) GROUP BY t.a",
    'WITH u AS (SELECT 1 AS a) SELECT a, row_number() OVER (ORDER BY a) AS r FROM u',
    "SELECT TIMESTAMPTZ '2026-11-24 00:00:00+00:00' AS a, DATE '2026-11-24' - 1 AS b",
  ],
  words: [
    'SELECT',
    'FROM',
    'WHERE',
    'GROUP BY',
    'OVER',
    'PARTITION BY',
    'UNION ALL',
    'LEFT JOIN',
    'USING',
    'UNNEST',
    'array_length',
    'list_extract',
    'trim(',
    'hash(',
    'json_extract_string',
    'to_timestamp',
    'QUALIFY',
    'EXCLUDE',
    'COLUMNS',
    '::',
    '->>',
    '//',
    '**',
    'VARCHAR[]',
    '"',
    "'",
    '--',
    '/*',
    '*/',
    "E'",
    '$$',
  ],
  grammar: statement,
  shortRound: 200,
  open,
};
