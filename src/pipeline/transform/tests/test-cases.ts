import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database, type DuckdbSettings } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { loadModels } from '../../../project/sql/models/load-models.ts';
import { type SqlSettings, sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import { planModels } from '../../../project/sql/plan/plan-models.ts';
import { createSchema } from '../../../state/catalogue/create-schema.ts';
import { type CaseResult, loadCases, runCase } from './model-cases.ts';

export interface CaseReport extends CaseResult {
  readonly model: string;
  readonly case: string;
  readonly status: 'passed' | 'failed';
}

/**
 * Runs the cases of the project's models (`sql/cases/*.yaml`), each on an empty warehouse in memory. Neither the
 * service nor the project's warehouse is touched.
 *
 * @param names of the models whose cases to run; all when empty
 * @throws CrawlhouseError `bad_model`
 */
export async function testCases(
  settings: SqlSettings & Omit<DuckdbSettings, 'state_dir'>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<CaseReport[]> {
  const models = await loadModels(sqlFolders(settings));
  const wanted = names.map((name) => (name.includes('.') ? name : `mart.${name}`));
  const files = await loadCases(join(settings.projectDir, 'sql', 'cases'), 'sql/cases');
  const chosen = files.filter(({ model }) => wanted.length === 0 || wanted.includes(model));
  if (chosen.length === 0) {
    throw new CrawlhouseError('usage', 'there are no cases to run', {
      hint: 'cases of the model mart.NAME are in sql/cases/mart.NAME.yaml',
    });
  }
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-cases-'));
  try {
    await using database = await Database.openIn({ ...settings, state_dir: folder });
    const connection = await database.connect();
    await createSchema(connection);
    const plan = await planModels({ connection, models });
    const reports: CaseReport[] = [];
    for (const { model, cases } of chosen) {
      for (const one of cases) {
        signal.throwIfAborted();
        // Taken back: the warehouse is empty again.
        const { passed, ...result } = await connection.trial(() => runCase(connection, plan, model, one));
        reports.push({ model, case: one.name, status: passed ? 'passed' : 'failed', ...result });
      }
    }
    return reports;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
