import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../../core/duckdb/duckdb.ts';
import { keepResult } from '../../../core/duckdb/keep-result.ts';
import type { Model } from '../../../project/sql/models/model.ts';
import { type SqlSettings, sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import { type CatalogColumn, tableColumns } from '../../../state/catalogue/catalog.ts';
import { type PublishedPlace, readPublished } from '../../../state/catalogue/published/read-published.ts';
import { checkQuestions, type PublishedColumns } from './check-questions.ts';
import { loadQuestions, type Question } from './questions.ts';

/** Where questions are, and the warehouse that they are compiled against. */
export interface QuestionSettings extends SqlSettings, PublishedPlace {}

/**
 * Reads the saved questions and compiles them against the published warehouse, where there is one. Those that an earlier
 * process has compiled against tables of the same columns are right.
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

/** @throws CrawlhouseError as `compileQuestions` */
export async function compileAgainstPublished(
  settings: QuestionSettings,
  questions: readonly Question[],
  models: readonly Model[],
): Promise<void> {
  const checked = await readPublished(settings, async (connection) => {
    // A name that is no table must not become a file of this machine.
    await connection.run('SET enable_external_access = false');
    const tables = await tableColumns(connection, ['raw', 'mart', 'ops']);
    const asked = questions.map(({ sql }) => sql.toLowerCase()).join('\n');
    const inputs = {
      questions,
      models: models.map(({ name, columns }) => [name, columns]),
      tables: [...tables]
        .filter(([table]) => table.startsWith('mart.') || asked.includes(bareName(table)))
        .map(([table, columns]) => [table, columns.map(({ name, type }) => [name, type])]),
    };
    return await keepResult({ file: join(settings.state_dir, 'questions.kept'), inputs }, async () => {
      await checkQuestions(connection, questions, models, publishedColumns(tables));
      return true;
    });
  });
  if (!checked) await checkAlone(questions, models);
}

function bareName(table: string): string {
  return table.slice(table.indexOf('.') + 1).toLowerCase();
}

async function checkAlone(questions: readonly Question[], models: readonly Model[]): Promise<void> {
  // Nothing is spilled by what only parses; the state directory need not be there yet.
  const tempDirectory = join(tmpdir(), 'crawlhouse-questions');
  await using database = await Database.open({ memoryLimit: '100MB', threads: 1, tempDirectory });
  using connection = await database.connect();
  await checkQuestions(connection, questions, models, new Map());
}

function publishedColumns(tables: ReadonlyMap<string, readonly CatalogColumn[]>): PublishedColumns {
  const published = [...tables].filter(([table]) => table.startsWith('mart.'));
  return new Map(published.map(([table, columns]) => [table, new Set(columns.map(({ name }) => name))]));
}
