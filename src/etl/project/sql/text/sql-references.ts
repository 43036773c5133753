import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { nodesOf } from '../../../../core/duckdb/serialize-sql.ts';
import type { SqlPlace } from './bad-model.ts';
import { parseSelect } from './sql-tree.ts';
import { type TableReference, tableReferences } from './table-references.ts';

/** The names in a SELECT, with their positions in its text. */
export interface SqlReferences {
  readonly tables: readonly TableReference[];
  /** Columns that are qualified by more than their table, such as by a schema. */
  readonly columns: readonly ColumnReference[];
}

/**
 * Cached by text, because the same SQL is read for several purposes. Caching trees would need a hundred times the
 * memory.
 */
const known = new Map<string, SqlReferences>();

/**
 * Parses SQL that must be a single SELECT, and finds the names in it. Parses each text only once per process.
 *
 * @throws CrawlhouseError `bad_model` with the line
 */
export async function sqlReferences(
  connection: Connection,
  sql: string,
  start: SqlPlace,
): Promise<SqlReferences> {
  const before = known.get(sql);
  if (before) return before;
  const tree = await parseSelect(connection, sql, start);
  const found = { tables: tableReferences(tree), columns: columnReferences(tree) };
  known.set(sql, found);
  return found;
}

interface ColumnReference {
  readonly names: readonly string[];
  readonly offset: number;
}

function columnReferences(tree: unknown): ColumnReference[] {
  return nodesOf(tree)
    .filter(
      ({ type, column_names: names }) => type === 'COLUMN_REF' && Array.isArray(names) && names.length > 2,
    )
    .map(({ column_names: names, query_location: offset }) => ({
      names: names as string[],
      offset: Number(offset),
    }))
    .toArray();
}
