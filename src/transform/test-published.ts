import type { Settings } from '../config/settings.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { TestReport } from '../model/report.ts';
import { readPublished } from '../warehouse/read-published.ts';
import { compileQuestions } from './compile-questions.ts';
import { loadModels } from './load-models.ts';
import { sqlFolders } from './sql-folders.ts';
import { testModels } from './test-models.ts';

/**
 * Runs the data tests of the models on the published warehouse, once the saved questions compile there. Changes nothing, also while a run is on.
 *
 * @throws CrawlhouseError `nothing_published`, or `bad_model` for a broken question with its file and line
 */
export async function testPublished(
  settings: Settings,
  names: readonly string[],
  signal: AbortSignal,
): Promise<TestReport[]> {
  const models = await loadModels(sqlFolders(settings));
  await compileQuestions(settings, models);
  const reports = await readPublished(settings, (connection) =>
    testModels({ connection, models, only: names, signal }),
  );
  if (reports) return reports;
  throw new CrawlhouseError('nothing_published', `there is no warehouse at ${settings.warehouse} yet`, {
    hint: 'crawlhouse run makes it',
  });
}
