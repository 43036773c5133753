import { bindParameters } from '../../src/app/answers/query/parameters.ts';
import type { Connection } from '../../src/core/duckdb/duckdb.ts';
import { bindQuestion } from '../../src/etl/project/sql/questions/bind-question.ts';
import type { Question } from '../../src/etl/project/sql/questions/questions.ts';

/** The rows of a saved question, as JSON, on a connection of a test. */
export async function askQuestion(
  connection: Connection,
  question: Question,
  given: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>[]> {
  const { sql, parameters } = bindQuestion(question, new Map(Object.entries(given)));
  const values = await bindParameters(connection.inner, sql, parameters);
  const result = await connection.inner.runAndReadAll(sql, { ...values });
  return result.getRowObjectsJson();
}
