import type { Logger } from '../../core/logger.ts';
import { compileQuestions } from '../../pipeline/transform/compile-questions.ts';
import { loadModels } from '../../pipeline/transform/load-models.ts';
import { sqlFolders } from '../../pipeline/transform/sql-folders.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { configuredStores } from '../../stores/registry.ts';
import { type Check, type Finding, look, skipped } from './check.ts';
import { examineAlerts } from './examine-alerts.ts';
import { examineDrift } from './examine-drift.ts';
import { examineMirror } from './examine-mirror.ts';
import { examineProject } from './examine-project.ts';
import { examineRuns } from './examine-runs.ts';
import { examineService, OF_SERVICE } from './examine-service.ts';
import { examineState, OF_STATE } from './examine-state.ts';
import { examinePackages, examineStore } from './examine-store.ts';
import { examineTrino } from './examine-trino.ts';

/** What can't be checked without settings. */
const OF_SETTINGS = [
  'questions',
  ...OF_STATE,
  'drift',
  'runs',
  'killed',
  'alerts',
  'outbox',
  'mirror',
  ...OF_SERVICE,
];

/**
 * Looks at all that a run needs, whatever fails first, and changes nothing that stays: an object that is written to a
 * store is removed again.
 *
 * @param readSettings throws `bad_settings`; without settings there is little else to look at
 */
export async function examine(
  projectDir: string,
  readSettings: () => Promise<Settings>,
  logger: Logger,
  signal: AbortSignal,
): Promise<Check[]> {
  let settings: Settings | undefined;
  const first = await look(
    'settings',
    async () => {
      settings = await readSettings();
      return { message: `of ${projectDir}` };
    },
    signal,
  );
  const project = await examineProject(projectDir, settings?.shipped_models ?? 'all', signal);
  const checks = [first, ...project.checks];
  if (settings === undefined) return [...checks, ...skipped(OF_SETTINGS, 'settings')];
  const known = settings;
  if (checks.some(({ name, status }) => name === 'models' && status === 'ok'))
    checks.push(await look('questions', () => questions(known), signal));
  else checks.push(...skipped(['questions'], 'models'));
  const hasPipelines = checks.some(({ name, status }) => name === 'pipelines' && status === 'ok');
  checks.push(
    ...(await examineState(settings, signal)),
    ...(settings.trino === null ? [] : await examineTrino(settings.trino, signal)),
    ...(hasPipelines ? [await examineDrift(settings, signal)] : skipped(['drift'], 'pipelines')),
    ...(await examineRuns(settings, project.schedules, signal)),
    ...(await examineAlerts(settings, project.schedules, signal)),
    await examineMirror(settings, signal),
    ...(await examineService(settings, logger, signal)),
  );
  if (settings.packages) checks.push(await examinePackages(settings, settings.packages, signal));
  for (const store of configuredStores(settings)) checks.push(await examineStore(settings, store, signal));
  return checks;
}

async function questions(settings: Settings): Promise<Finding> {
  const models = await loadModels(sqlFolders(settings));
  return { message: `${(await compileQuestions(settings, models)).length} saved` };
}
