import type { DuckDBConnection } from '@duckdb/node-api';
import { CrawlhouseError } from '../../core/errors.ts';

/** Table functions that read the warehouse, the catalogue or nothing. Others switch things on, run SQL or open files. */
const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(
  `duckdb_columns duckdb_constraints duckdb_databases duckdb_dependencies duckdb_extensions duckdb_functions duckdb_indexes
  duckdb_keywords duckdb_memory duckdb_optimizers duckdb_schemas duckdb_sequences duckdb_settings duckdb_table_sample
  duckdb_tables duckdb_types duckdb_views generate_series histogram histogram_values icu_calendar_names json_each json_tree
  pg_timezone_names pragma_collations pragma_database_size pragma_metadata_info pragma_platform pragma_show
  pragma_storage_info pragma_table_info pragma_version query_table range repeat repeat_row summary test_all_types
  unnest`.split(/\s+/),
);

/** Scalar functions that leave something behind. */
const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set(['nextval', 'write_log']);

const EXPLAIN =
  /^EXPLAIN\b(?:\s+(ANALYZE)\b|\s*\(\s*((?:ANALYZE|FORMAT\s+\w+)(?:\s*,\s*(?:ANALYZE|FORMAT\s+\w+))*)\s*\))?/i;
const SPACE_AND_COMMENTS = /^(?:\s+|--[^\n]*|\/\*.*?\*\/)+/s;
const HINT = 'SELECT, EXPLAIN of a SELECT, DESCRIBE, SHOW and SUMMARIZE work here, one at a time';

interface Tree {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly statements?: readonly unknown[];
}

/**
 * Accepts one statement that can only read: a SELECT in any form, or EXPLAIN of one. DuckDB's own parser decides. For
 * EXPLAIN, the statement is rebuilt from the parsed SELECT, so that both are the same.
 *
 * @returns the statement to run
 * @throws CrawlhouseError `bad_query`
 */
export async function readOnlyStatement(connection: DuckDBConnection, sql: string): Promise<string> {
  const [explain, select] = splitExplain(sql);
  if (select.includes('\0')) throw refused('the SQL holds a NUL character');
  const result = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [select]);
  const tree = JSON.parse(String(result.getRows()[0]?.[0])) as Tree;
  if (tree.error) {
    // The parser's own words, with the place.
    if (tree.error_type === 'parser') (await connection.prepare(select)).destroySync();
    if (/\bPIVOT\b/i.test(select)) {
      throw refused(
        'PIVOT without its values would have to write a type first',
        "PIVOT … ON column IN ('a', 'b') …",
      );
    }
    throw refused('only statements that read are allowed');
  }
  const count = tree.statements?.length ?? 0;
  if (count !== 1) throw refused(count === 0 ? 'there is no statement' : `these are ${count} statements`);
  checkFunctions(tree.statements);
  return explain + select;
}

/** Whether it only explains: its answer is no table that another statement could read. */
export function isExplain(sql: string): boolean {
  return splitExplain(sql)[0] !== '';
}

/** What explains, written anew, and the rest. */
function splitExplain(sql: string): [explain: string, select: string] {
  const start = sql.replace(SPACE_AND_COMMENTS, '');
  const [whole, analyze, options = analyze] = EXPLAIN.exec(start) ?? [];
  if (whole === undefined) return ['', sql];
  return [options === undefined ? 'EXPLAIN ' : `EXPLAIN (${options}) `, start.slice(whole.length)];
}

/** Checks each function of a parsed statement. */
function checkFunctions(tree: unknown): void {
  const nodes: unknown[] = [tree];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    const { type, function: called, function_name: name } = node as Record<string, unknown>;
    if (type === 'TABLE_FUNCTION') {
      const table = String((called as Record<string, unknown> | undefined)?.function_name).toLowerCase();
      if (!TABLE_FUNCTIONS.has(table)) throw refused(`${table}() is not for queries`);
    }
    if (typeof name === 'string' && REFUSED_FUNCTIONS.has(name.toLowerCase()))
      throw refused(`${name}() is not for queries`);
    nodes.push(...Object.values(node));
  }
}

function refused(message: string, hint = HINT): CrawlhouseError {
  return new CrawlhouseError('bad_query', `refused: ${message}`, { hint });
}
