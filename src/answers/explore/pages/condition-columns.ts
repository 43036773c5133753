import {
  nodesOf,
  type SerializedSql,
  type SqlNode,
  serializedSql,
} from '../../../core/duckdb/serialize-sql.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';

const PARSE = 'SELECT json_serialize_sql($sql::VARCHAR)::VARCHAR AS tree';

/**
 * The columns that a condition in SQL names.
 *
 * @throws CrawlhouseError `usage` where DuckDB's parser sees anything but one condition
 */
export async function columnsOfCondition(
  warehouse: CatalogReader,
  condition: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const parse = async (sql: string): Promise<SerializedSql> => {
    const [row] = await warehouse.rows(PARSE, signal, new Map([['sql', sql]]));
    return serializedSql(String((row as { tree: unknown }).tree));
  };
  // Brackets of its own that close ours, and keywords that go on behind it: each stops one of the two.
  const bracketed = await parse(`SELECT 1 WHERE (${condition}\n)`);
  const between = await parse(`SELECT CASE WHEN ${condition}\nTHEN 1 END`);
  const [statement, second] = bracketed.statements ?? [];
  if (bracketed.error || between.error || second !== undefined || !isBare(statement?.node)) {
    const why = bracketed.error_message ?? between.error_message;
    throw new CrawlhouseError('usage', `--where: ${condition} is not one condition`, {
      hint: `${why === undefined ? '' : `${why}; `}as in --where 'status_code = 404'`,
    });
  }
  return [...nodesOf(statement?.node.where_clause)].flatMap((one) =>
    one.class === 'COLUMN_REF' ? [String((one.column_names as string[]).at(-1))] : [],
  );
}

/** A SELECT of one value, with a condition and nothing else. */
const isBare = (node: SqlNode | undefined): boolean =>
  node?.type === 'SELECT_NODE' &&
  (node.from_table as SqlNode | null)?.type === 'EMPTY' &&
  (node.modifiers as unknown[]).length === 0 &&
  (node.group_expressions as unknown[]).length === 0 &&
  [node.having, node.qualify].every((part) => part === null);
