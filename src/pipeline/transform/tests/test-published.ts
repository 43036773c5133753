import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { projectModels } from '../../../engines/project-models.ts';
import { openEngine } from '../../../engines/registry.ts';
import type { TestReport } from '../../../project/model/report.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import { readPublished } from '../../../state/catalogue/read-published.ts';
import { compileQuestions } from '../questions/compile-questions.ts';
import { testModels } from './test-models.ts';

/**
 * Runs the data tests of the models on the published warehouse, once the saved questions compile there. Writes nothing, also while a run is on.
 *
 * @throws CrawlhouseError `nothing_published`, or `bad_model` for a broken question with its file and line
 */
export async function testPublished(
  settings: Settings,
  names: readonly string[],
  signal: AbortSignal,
): Promise<TestReport[]> {
  const models = await projectModels(settings);
  await compileQuestions(settings, models);
  const engine = await openEngine(settings.engine);
  const reports = await readPublished(settings, async (connection) => {
    await using published = await engine.openQueries(connection);
    return await testModels({ connection, models, only: names, signal, queries: published.queries });
  });
  if (reports) return reports;
  throw new CrawlhouseError('nothing_published', `there is no warehouse at ${settings.warehouse} yet`, {
    hint: 'crawlhouse run makes it',
  });
}
