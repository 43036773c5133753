import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { type SqlNode, serializeSql } from '../../../../core/duckdb/serialize-sql.ts';
import { badModel, type SqlPlace } from './bad-model.ts';

/**
 * Parses SQL that must be a single SELECT, with DuckDB's own parser.
 *
 * @throws CrawlhouseError `bad_model` with the line
 */
export async function parseSelect(connection: Connection, sql: string, start: SqlPlace): Promise<SqlNode> {
  const parsed = await serializeSql(connection.inner, sql);
  if (parsed.error) {
    const hint = 'write exactly one SELECT after the header';
    // Only a syntax error has a position (in code points). Otherwise the SQL is valid but no SELECT.
    if (parsed.position === undefined) throw badModel(firstWord(sql, start), 'is not a SELECT', hint);
    const before = Array.from(sql).slice(0, Number(parsed.position));
    const line = start.line + before.filter((character) => character === '\n').length;
    throw badModel({ ...start, line }, parsed.error_message ?? 'is not SQL', hint);
  }
  const [statement, second] = parsed.statements ?? [];
  if (!statement || second) {
    const count = parsed.statements?.length ?? 0;
    throw badModel(start, `contains ${count} statements`, 'write exactly one SELECT after the header');
  }
  return statement.node;
}

export function firstWord(sql: string, start: SqlPlace): SqlPlace {
  const gap = /^\s*/.exec(sql)?.[0] ?? '';
  return { ...start, line: start.line + gap.split('\n').length - 1 };
}
