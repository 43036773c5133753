import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { Model } from '../../../project/sql/models/model.ts';
import { describedColumn, isWildcard } from '../../../project/sql/plan/wildcard-columns.ts';
import { badModel } from '../../../project/sql/text/bad-model.ts';
import { sqlReferences } from '../../../project/sql/text/sql-references.ts';
import { bindQuestion } from './bind-question.ts';
import { chartProblem } from './question-chart.ts';
import type { Question } from './questions.ts';

/** Columns of the published tables, by `schema.table`. */
export type PublishedColumns = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Compiles saved questions, without running them: each is one SELECT, reads models that there are, and binds to the
 * published tables. A question whose models are not published as their files say is bound once they are.
 *
 * @param connection on the published warehouse, or on an empty database
 * @throws CrawlhouseError `bad_model` naming file and line of the first that is broken
 */
export async function checkQuestions(
  connection: Connection,
  questions: readonly Question[],
  models: readonly Model[],
  published: PublishedColumns,
): Promise<void> {
  const byName = new Map(models.map((model) => [model.name, model]));
  for (const question of questions) {
    const { sql, file, sqlLine } = question;
    const start = { file, line: sqlLine };
    let canBind = published.size > 0;
    const { tables } = await sqlReferences(connection, sql, start);
    for (const { schema, name, offset } of tables) {
      if (schema.toLowerCase() !== 'mart') continue;
      const model = byName.get(`mart.${name.toLowerCase()}`);
      if (model === undefined) {
        const before = Buffer.from(sql).subarray(0, offset).toString();
        const place = { file, line: sqlLine + before.split('\n').length - 1 };
        const known = [...byName.keys()].join(', ');
        throw badModel(place, `reads mart.${name}, which is no model`, `models: ${known}`);
      }
      canBind &&= isAsPublished(model, published);
    }
    if (canBind) await bind(connection, question);
  }
}

interface AnswerColumn {
  readonly name: string;
  readonly type: string;
}

function isAsPublished(model: Model, published: PublishedColumns): boolean {
  const now = published.get(model.name);
  if (now === undefined) return false;
  const isComplete = [...model.columns.keys()].every((one) => isWildcard(one) || now.has(one));
  return isComplete && [...now].every((one) => describedColumn(model, one) !== undefined);
}

/** Prepares the statement: tables, columns, functions and types are looked up, nothing is read. Its chart needs columns. */
async function bind(connection: Connection, question: Question): Promise<void> {
  const { file, sqlLine } = question;
  let columns: AnswerColumn[] = [];
  try {
    const prepared = await connection.inner.prepare(bindQuestion(question).sql);
    columns = Array.from({ length: prepared.columnCount }, (_, place) => ({
      name: prepared.columnName(place),
      type: String(prepared.columnType(place)),
    }));
    prepared.destroySync();
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    const [message = said] = said.split('\n');
    const line = Number(/^LINE (\d+):/m.exec(said)?.[1] ?? sqlLine);
    throw badModel({ file, line }, message, undefined, cause);
  }
  const problem = question.chart && chartProblem(question.chart, columns);
  if (problem !== null)
    throw badModel(
      { file, line: question.chartLine() },
      `chart: ${problem}`,
      `columns of the answer: ${columns.map(({ name }) => name).join(', ')}`,
    );
}
