import { CrawlhouseError } from '../../../core/errors.ts';
import { openTrinoClient } from '../../../engines/trino/open-trino.ts';
import { RelationNames } from '../../../engines/trino/relation-names.ts';
import { MODEL_SESSION } from '../../../engines/trino/session.ts';
import type { TestReport } from '../../../project/model/report.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import { readPublished } from '../../../state/catalogue/read-published.ts';
import { TrinoQueries } from '../making/trino-queries.ts';
import { projectModels } from '../models/project-models.ts';
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
  const { trino } = settings;
  await using client = trino ? await openTrinoClient(trino) : undefined;
  const reports = await readPublished(settings, (connection) => {
    const options = { connection, models, only: names, signal };
    if (!client) return testModels(options);
    const relations = new RelationNames(trino?.schemaPrefix ?? '');
    const queries = new TrinoQueries(connection, (selectFrom, signal) =>
      client.rows(
        selectFrom((relation) => relations.reader(relation)),
        { session: MODEL_SESSION },
        signal,
      ),
    );
    return testModels({ ...options, queries });
  });
  if (reports) return reports;
  throw new CrawlhouseError('nothing_published', `there is no warehouse at ${settings.warehouse} yet`, {
    hint: 'crawlhouse run makes it',
  });
}
