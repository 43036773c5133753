import { join } from 'node:path';
import { smallEngine } from '../../../../core/duckdb/check.ts';
import { type Connection, ident, relationTable } from '../../../../core/duckdb/duckdb.ts';
import { keepResult } from '../../../../core/duckdb/keep-result.ts';
import { type CatalogColumn, tableColumns } from '../../../../core/duckdb/table-columns.ts';
import type { Model } from '../../../project/sql/models/model.ts';
import { type SqlSettings, sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import { describedColumn, isWildcard } from '../../../project/sql/plan/wildcard-columns.ts';
import { bindQuestion } from '../../../project/sql/questions/bind-question.ts';
import { chartProblem } from '../../../project/sql/questions/question-chart.ts';
import { loadQuestions, type Question } from '../../../project/sql/questions/questions.ts';
import { badModel } from '../../../project/sql/text/bad-model.ts';
import { sqlReferences } from '../../../project/sql/text/sql-references.ts';
import { type PublishedPlace, readPublished } from '../../../state/catalog/published/read-published.ts';

/** The folders of questions, and the warehouse that they are compiled against. */
export interface QuestionSettings extends SqlSettings, PublishedPlace {}

/**
 * Reads the saved questions and compiles them against the published warehouse, if there is one. It skips questions that
 * an earlier process has compiled against tables of the same columns.
 *
 * @throws CrawlhouseError `bad_model` naming file and line
 */
export async function compileQuestions(
  settings: QuestionSettings,
  models: readonly Model[],
): Promise<Question[]> {
  const questions = await loadQuestions(sqlFolders(settings));
  if (questions.length > 0) await compileAgainstPublished(settings, questions, models);
  return questions;
}

/** @throws CrawlhouseError like `compileQuestions` */
export async function compileAgainstPublished(
  settings: QuestionSettings,
  questions: readonly Question[],
  models: readonly Model[],
): Promise<void> {
  const tables: PublishedColumns =
    (await readPublished(settings, (connection) => tableColumns(connection, ['raw', 'mart', 'ops']))) ??
    new Map();
  if (tables.size === 0) return await checkQuestions(questions, models, tables);
  const asked = questions.map(({ sql }) => sql.toLowerCase()).join('\n');
  const inputs = {
    questions,
    models: models.map(({ name, columns }) => [name, columns]),
    tables: [...tables]
      .filter(([table]) => table.startsWith('mart.') || asked.includes(bareName(table)))
      .map(([table, columns]) => [table, columns.map(({ name, type }) => [name, type])]),
  };
  await keepResult({ file: join(settings.state_dir, 'questions.kept'), inputs }, async () => {
    await checkQuestions(questions, models, tables);
    return true;
  });
}

function bareName(table: string): string {
  return table.slice(table.indexOf('.') + 1).toLowerCase();
}

/** Columns of the published tables, by `schema.table`. */
type PublishedColumns = ReadonlyMap<string, readonly CatalogColumn[]>;

/**
 * Compiles saved questions without running them: each is one SELECT, reads existing models, and binds to the published
 * tables. A question whose models are published in another form is bound later. The published tables are represented
 * by empty ones, because DuckDB takes up to 100 ms to bind a view over other views.
 *
 * @throws CrawlhouseError `bad_model` naming file and line of the first broken question
 */
async function checkQuestions(
  questions: readonly Question[],
  models: readonly Model[],
  published: PublishedColumns,
): Promise<void> {
  // Parsing spills nothing, so the state directory need not exist yet.
  await using database = await smallEngine();
  using connection = await database.connect();
  await createEmpty(connection, published);
  // A name that is not a table must not be read as a local file.
  await connection.run('SET enable_external_access = false');
  const byName = new Map(models.map((model) => [model.name, model]));
  const isPublished = published.keys().some((table) => table.startsWith('mart.'));
  for (const question of questions) {
    const { sql, file, sqlLine } = question;
    const start = { file, line: sqlLine };
    let canBind = isPublished;
    const { tables } = await sqlReferences(connection, sql, start);
    for (const { schema, name, offset } of tables) {
      if (schema.toLowerCase() !== 'mart') continue;
      const model = byName.get(`mart.${name.toLowerCase()}`);
      if (model === undefined) {
        const before = Buffer.from(sql).subarray(0, offset).toString();
        const place = { file, line: sqlLine + before.split('\n').length - 1 };
        const known = [...byName.keys()].join(', ');
        throw badModel(place, `reads mart.${name}, which is not a model`, `models: ${known}`);
      }
      canBind &&= isAsPublished(model, published);
    }
    if (canBind) await bind(connection, question);
  }
}

async function createEmpty(connection: Connection, published: PublishedColumns): Promise<void> {
  const schemas = new Set([...published.keys()].map((name) => name.slice(0, name.indexOf('.'))));
  const tables = [...published].map(
    ([name, columns]) =>
      `CREATE TABLE ${relationTable(name)} (${columns.map((column) => `${ident(column.name)} ${column.type}`).join(', ')})`,
  );
  const statements = [...[...schemas].map((schema) => `CREATE SCHEMA ${ident(schema)}`), ...tables];
  if (statements.length > 0) await connection.run(statements.join(';'));
}

function isAsPublished(model: Model, published: PublishedColumns): boolean {
  const now = new Set(published.get(model.name)?.map(({ name }) => name));
  const isComplete = model.columns.keys().every((key) => isWildcard(key) || now.has(key));
  return now.size > 0 && isComplete && now.values().every((one) => describedColumn(model, one) !== undefined);
}

/**
 * Prepares the statement, which resolves tables, columns, functions and types without reading rows. Its chart needs
 * columns.
 */
async function bind(connection: Connection, question: Question): Promise<void> {
  const { file, sqlLine } = question;
  let columns: { readonly name: string; readonly type: string }[] = [];
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
