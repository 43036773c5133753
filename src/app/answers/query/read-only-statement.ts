import type { DuckDBConnection } from '@duckdb/node-api';
import { nodesOf, serializeSql } from '../../../core/duckdb/serialize-sql.ts';
import { isCode, sqlTokens, textOf } from '../../../core/duckdb/sql-tokens.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';

/** Table functions that read the warehouse, the catalog or nothing. Others change settings, run SQL or open files. */
const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(
  `duckdb_columns duckdb_constraints duckdb_databases duckdb_dependencies duckdb_extensions duckdb_functions duckdb_indexes
  duckdb_keywords duckdb_memory duckdb_optimizers duckdb_schemas duckdb_sequences duckdb_settings duckdb_table_sample
  duckdb_tables duckdb_types duckdb_views generate_series histogram histogram_values icu_calendar_names json_each json_tree
  pg_timezone_names pragma_collations pragma_database_size pragma_metadata_info pragma_platform pragma_show
  pragma_storage_info pragma_table_info pragma_version query_table range repeat repeat_row summary test_all_types
  unnest`.split(/\s+/),
);

/** Scalar functions with side effects. */
const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set(['nextval', 'write_log']);

const HINT = 'SELECT, EXPLAIN of a SELECT, DESCRIBE, SHOW and SUMMARIZE work here, one at a time';

/** One SELECT of a user, and its EXPLAIN prefix. */
export interface ReadOnlyStatement {
  /** Empty, or as in `EXPLAIN (ANALYZE) `. */
  readonly explain: string;
  readonly select: string;
}

const EXPLAIN_OPTIONS = /^\((?:ANALYZE|FORMAT \w+)(?:,(?:ANALYZE|FORMAT \w+))*\)$/i;

/**
 * Accepts a single read-only statement: a SELECT in any form, or its EXPLAIN. DuckDB's own parser decides.
 *
 * @throws CrawlhouseError `bad_query`
 */
export async function readOnlyStatement(
  connection: DuckDBConnection,
  sql: string,
): Promise<ReadOnlyStatement> {
  const { explain, select } = splitExplain(sql);
  if (select.includes('\0')) throw refused('the SQL contains a NUL character');
  const tree = await serializeSql(connection, select);
  if (tree.error) {
    // The parser's own words, with the place.
    if (tree.error_type === 'parser') (await connection.prepare(select)).destroySync();
    if (sqlTokens(select).some(({ text }) => text.toUpperCase() === 'PIVOT')) {
      throw refused('PIVOT without values needs to write a type first', "PIVOT … ON column IN ('a', 'b') …");
    }
    throw refused('only read-only statements are allowed');
  }
  const count = tree.statements?.length ?? 0;
  if (count !== 1) throw refused(count === 0 ? 'there is no statement' : `these are ${count} statements`);
  checkFunctions(tree.statements);
  return { explain, select };
}

/** Returns whether it is an EXPLAIN, whose answer other statements cannot read as a table. */
export function isExplain(sql: string): boolean {
  return splitExplain(sql).explain !== '';
}

/** Returns the EXPLAIN in a normalized form, and the rest of the statement on its original lines. */
function splitExplain(sql: string): ReadOnlyStatement {
  const tokens = sqlTokens(sql);
  const code = tokens.filter(isCode);
  if (code[0]?.text.toUpperCase() !== 'EXPLAIN') return { explain: '', select: sql };
  const close = code.findIndex(({ text }) => text === ')');
  const written = code.slice(1, close + 1).map(({ text }) => text);
  const options = written.join(' ').replaceAll(/ ?([(),]) ?/g, '$1');
  const isAnalyze = code[1]?.text.toUpperCase() === 'ANALYZE';
  const hasOptions = !isAnalyze && EXPLAIN_OPTIONS.test(options);
  const from = code[hasOptions ? close + 1 : isAnalyze ? 2 : 1];
  const before = from === undefined ? tokens : tokens.slice(0, tokens.indexOf(from));
  const lines = textOf(before).replaceAll(/[^\n]/g, '');
  return {
    explain: `EXPLAIN ${isAnalyze ? '(ANALYZE) ' : hasOptions ? `${options} ` : ''}`,
    select: lines + textOf(tokens.slice(before.length)),
  };
}

function checkFunctions(tree: unknown): void {
  for (const node of nodesOf(tree)) {
    const { type, function: called, function_name: name } = node;
    if (type === 'TABLE_FUNCTION') {
      const table = String((called as Record<string, unknown> | undefined)?.function_name).toLowerCase();
      if (!TABLE_FUNCTIONS.has(table)) throw refused(`${table}() is not allowed in queries`);
    }
    if (typeof name === 'string' && REFUSED_FUNCTIONS.has(name.toLowerCase()))
      throw refused(`${name}() is not allowed in queries`);
  }
}

function refused(message: string, hint = HINT): CrawlhouseError {
  return new CrawlhouseError('bad_query', `refused: ${message}`, { hint });
}
