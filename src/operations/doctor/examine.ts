import { type Check, type Finding, look, skipped } from '../../core/duckdb/check.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { openEngine } from '../../engines/registry.ts';
import { checkFields } from '../../pipeline/plan.ts';
import { compileQuestions } from '../../pipeline/transform/questions/compile-questions.ts';
import { isCrawlFolder } from '../../project/settings/crawl-folder.ts';
import { loadPipelines } from '../../project/settings/pipelines.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { loadModels } from '../../project/sql/models/load-models.ts';
import { sqlFolders } from '../../project/sql/models/sql-folders.ts';
import { configuredStores } from '../../stores/registry.ts';
import { examineAlerts } from './examine-alerts.ts';
import { examineDrift } from './examine-drift.ts';
import { examineIssues } from './examine-issues.ts';
import { examineMirror } from './examine-mirror.ts';
import { examineProject } from './examine-project.ts';
import { examineRendering } from './examine-rendering.ts';
import { examineRuns } from './examine-runs.ts';
import { examineService, NO_ACCOUNT, OF_SERVICE } from './examine-service.ts';
import { examineState, OF_STATE } from './examine-state.ts';
import { examinePackages, examineStore } from './examine-store.ts';

/** The checks that need settings. */
const OF_SETTINGS = [
  'questions',
  ...OF_STATE,
  'drift',
  'runs',
  'killed',
  'alerts',
  'outbox',
  'mirror',
  'issues',
  'rendering',
  ...OF_SERVICE,
  'fields',
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
  const project = await examineProject(projectDir, settings, signal);
  const checks = [first, ...project.checks];
  if (settings === undefined) return [...checks, ...skipped(OF_SETTINGS, 'settings fails')];
  const known = settings;
  if (checks.some(({ name, status }) => name === 'models' && status === 'ok'))
    checks.push(await look('questions', () => questions(known), signal));
  else checks.push(...skipped(['questions'], 'models fails'));
  const hasPipelines = checks.some(({ name, status }) => name === 'pipelines' && status === 'ok');
  checks.push(
    ...(await examineState(settings, signal)),
    ...(await (await openEngine(settings.engine)).examine(signal)),
    ...(hasPipelines ? [await examineDrift(settings, signal)] : skipped(['drift'], 'pipelines fails')),
    ...(await examineRuns(settings, project.schedules, signal)),
    ...(await examineAlerts(settings, project.schedules, signal)),
    await examineMirror(settings, signal),
    await examineIssues(settings, signal),
    await examineRendering(settings, signal),
    ...(await examineService(settings, logger, signal)),
  );
  checks.push(...(await examineFields(checks, known, logger, signal)));
  if (settings.packages) checks.push(await examinePackages(settings, settings.packages, signal));
  for (const store of configuredStores(settings)) checks.push(await examineStore(settings, store, signal));
  return checks;
}

/** The names in pipeline files, if both these and the service can be read. */
async function examineFields(
  checks: readonly Check[],
  settings: Settings,
  logger: Logger,
  signal: AbortSignal,
): Promise<Check[]> {
  const missing = ['pipelines', 'token'].find((name) =>
    checks.some((one) => one.name === name && one.status !== 'ok' && one.status !== 'warn'),
  );
  if (missing !== undefined)
    return skipped(['fields'], isCrawlFolder(settings) ? NO_ACCOUNT : `${missing} fails`);
  const names = async (): Promise<Finding> => {
    await checkFields(settings, await loadPipelines(settings.projectDir), logger, signal);
    return { message: 'the fields that pipelines name are known' };
  };
  return [await look('fields', names, signal)];
}

async function questions(settings: Settings): Promise<Finding> {
  const models = await loadModels(sqlFolders(settings));
  return { message: `${(await compileQuestions(settings, models)).length} saved` };
}
