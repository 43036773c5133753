import { type DuckDBConnection, type DuckDBPreparedStatement, StatementType } from '@duckdb/node-api';
import { CrawlhouseError } from '../errors/errors.ts';

const READS: readonly StatementType[] = [StatementType.SELECT, StatementType.EXPLAIN];

/**
 * Prepares SQL that must be one statement of these kinds, according to DuckDB's own parser. The prepared statement
 * runs, so nothing may be added to the SQL afterwards. Other functions of the bindings run every statement of a text.
 *
 * @throws CrawlhouseError `bad_query` for several statements, none, or one of another kind; errors of DuckDB
 */
export async function prepareOne(
  connection: DuckDBConnection,
  sql: string,
  kinds: readonly StatementType[] = READS,
): Promise<DuckDBPreparedStatement> {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) throw refused(`these are ${statements.count} statements`);
  const statement = await statements.prepare(0);
  if (kinds.includes(statement.statementType)) return statement;
  statement.destroySync();
  throw refused('only read-only statements are allowed');
}

function refused(message: string): CrawlhouseError {
  return new CrawlhouseError('bad_query', `refused: ${message}`, {
    hint: 'SELECT, EXPLAIN of a SELECT, DESCRIBE, SHOW and SUMMARIZE work here, one at a time',
  });
}
