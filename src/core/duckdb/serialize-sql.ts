import type { DuckDBConnection } from '@duckdb/node-api';
import { CrawlhouseError } from '../errors/errors.ts';

/** A node of the tree that DuckDB's `json_serialize_sql` makes from a SELECT. */
export interface SqlNode {
  readonly [key: string]: unknown;
}

export interface SerializedSql {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  /** For a syntax error, in code points. */
  readonly position?: string;
  readonly statements?: readonly { readonly node: SqlNode }[];
}

/**
 * Returns SELECTs as DuckDB parses them, or the error for other statements and invalid syntax.
 *
 * @throws CrawlhouseError `bad_query` for a number beyond DOUBLE, for which DuckDB writes invalid JSON
 */
export async function serializeSql(connection: DuckDBConnection, sql: string): Promise<SerializedSql> {
  const result = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  return serializedSql(String(result.getRows()[0]?.[0]));
}

/**
 * Parses a tree that `json_serialize_sql` returned.
 *
 * @throws CrawlhouseError as `serializeSql`
 */
export function serializedSql(tree: string): SerializedSql {
  try {
    return JSON.parse(tree) as SerializedSql;
  } catch (cause) {
    throw new CrawlhouseError('bad_query', 'the SQL has a number that is too large', {
      cause,
      hint: 'write a number below 1e308',
    });
  }
}

/**
 * Yields all nodes of a tree, parents first. The call stack does not limit the depth of the tree.
 *
 * @param isEntered whether to visit the children of a node
 */
export function* nodesOf(
  tree: unknown,
  isEntered: (node: SqlNode) => boolean = () => true,
): Generator<SqlNode, undefined> {
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) {
      yield value as SqlNode;
      if (!isEntered(value as SqlNode)) continue;
    }
    const below = Object.values(value);
    for (let at = below.length - 1; at >= 0; at--) waiting.push(below[at]);
  }
}
