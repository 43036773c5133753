import type { Connection } from '../../core/duckdb.ts';
import type { SqlPlace } from './bad-model.ts';
import { parseSelect, type SqlNode } from './sql-tree.ts';
import { type TableReference, tableReferences } from './table-references.ts';

/** What a SELECT names, in places of its text. */
export interface SqlReferences {
  readonly tables: readonly TableReference[];
  /** Columns that are named by more than their table. */
  readonly columns: readonly ColumnReference[];
}

/** By text: the same SQL is read for several purposes. Their trees would take a hundred times the memory. */
const known = new Map<string, SqlReferences>();

/**
 * Parses SQL that must be one SELECT, once in a process, and finds what it names.
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

function columnReferences(value: unknown): ColumnReference[] {
  if (Array.isArray(value)) return value.flatMap(columnReferences);
  if (typeof value !== 'object' || value === null) return [];
  const node = value as SqlNode;
  if (node.type === 'COLUMN_REF' && Array.isArray(node.column_names) && node.column_names.length > 2) {
    return [{ names: node.column_names as string[], offset: Number(node.query_location) }];
  }
  return Object.values(node).flatMap(columnReferences);
}
