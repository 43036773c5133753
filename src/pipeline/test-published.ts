import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { TestReport } from '../model/report.ts';
import { loadModels } from '../transform/load-models.ts';
import { planModels } from '../transform/plan-models.ts';
import { selectModels } from '../transform/select-models.ts';
import { readPublished } from './read-published.ts';

/**
 * Runs the data tests of the models on the published warehouse. Changes nothing, also while a run is on.
 *
 * @throws CrawlhouseError `nothing_published`
 */
export async function testPublished(
  settings: Settings,
  names: readonly string[],
  signal: AbortSignal,
): Promise<TestReport[]> {
  const models = await loadModels(join(settings.projectDir, 'sql'));
  const reports = await readPublished(settings, async (connection) => {
    const tested: TestReport[] = [];
    for (const { model, tests } of selectModels(await planModels({ connection, models }), names)) {
      for (const { name, severity, sql } of tests) {
        const failures = Number(await connection.scalar(sql, [], signal));
        const status = failures === 0 ? 'passed' : 'failed';
        tested.push({ name, model: model.name, severity, status, failures });
      }
    }
    return tested;
  });
  if (reports) return reports;
  throw new CrawlhouseError('nothing_published', `there is no warehouse at ${settings.warehouse} yet`, {
    hint: 'crawlhouse run makes it',
  });
}
