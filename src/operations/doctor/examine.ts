import { randomUUID } from 'node:crypto';
import { type Check, type Finding, look, skipped } from '../../core/duckdb/check.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import { openEngine } from '../../engines/open-engine.ts';
import { checkFields } from '../../pipeline/plan.ts';
import { compileQuestions } from '../../pipeline/transform/questions/compile-questions.ts';
import type { AlertSettings } from '../../project/settings/alert-settings.ts';
import { isCrawlFolder } from '../../project/settings/crawl-folder.ts';
import { loadPipelines } from '../../project/settings/pipelines.ts';
import type { Schedule } from '../../project/settings/schedules.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { loadModels } from '../../project/sql/models/load-models.ts';
import { sqlFolders } from '../../project/sql/models/sql-folders.ts';
import { findBrowser } from '../../service/site/crawler/render/find-browser.ts';
import { findLighthouse } from '../../service/site/crawler/vitals/find-lighthouse.ts';
import { tableColumns } from '../../state/catalogue/catalog.ts';
import { describeDrift, driftHint, readDrift } from '../../state/catalogue/pipeline-drift.ts';
import { readPublished } from '../../state/catalogue/published/read-published.ts';
import { unknownIssueSettings } from '../../state/catalogue/unknown-settings.ts';
import type { LedgerSettings } from '../../state/ledger/open-ledger.ts';
import { listObjects } from '../../stores/list-objects.ts';
import {
  configuredStores,
  openConfiguredStore,
  type StoreName,
  type StorePrefix,
  type StoreSettings,
} from '../../stores/registry.ts';
import { type Consequences, tryObject } from '../../stores/try-object.ts';
import { readAlertStore } from '../alert/open-alert-store.ts';
import { allTargets } from '../alert/targets.ts';
import { examineProject } from './examine-project.ts';
import { examineRuns } from './examine-runs.ts';
import { examineService, NO_ACCOUNT, OF_SERVICE } from './examine-service.ts';
import { examineState, OF_STATE } from './examine-state.ts';

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
  const first = await look('settings', signal, async () => {
    settings = await readSettings();
    return { message: `of ${projectDir}` };
  });
  const project = await examineProject(projectDir, settings, signal);
  const checks = [first, ...project.checks];
  if (settings === undefined) return [...checks, ...skipped(OF_SETTINGS, 'settings fails')];
  const known = settings;
  if (checks.some(({ name, status }) => name === 'models' && status === 'ok'))
    checks.push(await look('questions', signal, () => questions(known)));
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
  return [await look('fields', signal, names)];
}

async function questions(settings: Settings): Promise<Finding> {
  const models = await loadModels(sqlFolders(settings));
  return { message: `${(await compileQuestions(settings, models)).length} saved` };
}

/** The pipelines that have changed since units were loaded. */
function examineDrift(settings: Settings, signal: AbortSignal): Promise<Check> {
  return look('drift', signal, () => drift(settings));
}

async function drift(settings: Settings): Promise<Finding> {
  const [first, ...others] = await readDrift(settings);
  if (first === undefined) return { message: 'every unit was loaded with the present filter and fields' };
  const rest = others.length === 0 ? '' : `; the same of ${others.map(({ dataset }) => dataset).join(', ')}`;
  return { message: `${describeDrift(first)}${rest}`, hint: driftHint(first) };
}

/** Whether the published warehouse has the projects and segments that the setting `issues` names. */
async function examineIssues(settings: Settings, signal: AbortSignal): Promise<Check> {
  return await look('issues', signal, async () => {
    const { projects = {}, segments = {} } = settings.issues;
    const named = [...Object.keys(projects), ...Object.keys(segments)];
    if (named.length === 0) return { message: 'no settings of a project or segment' };
    const unknown = await readPublished(settings, (connection) =>
      unknownIssueSettings(connection, settings.issues, signal),
    );
    const [first] = unknown ?? [];
    if (first !== undefined) return { message: first.message, hint: first.hint };
    return {
      message: `settings of ${named} projects${unknown === undefined ? '; nothing published yet' : ''}`,
    };
  });
}

/** Whether the published warehouse has the tables that the setting `mirror` names. */
async function examineMirror(settings: Settings, signal: AbortSignal): Promise<Check> {
  return await look('mirror', signal, async () => {
    const { tables, store } = settings.mirror ?? { tables: [], store: '' };
    if (tables.length === 0) return { message: 'not set' };
    const found = await readPublished(settings, (connection) => tableColumns(connection, ['raw', 'mart']));
    if (found === undefined) return { message: `${tables.length} to ${store}; nothing published yet` };
    const missing = tables.find((table) => !found.has(table));
    if (missing === undefined) return { message: `${tables.length} to ${store}` };
    throw new CrawlhouseError('bad_settings', `mirror.tables: there is no ${missing} in the warehouse`, {
      hint: `${didYouMean(missing, [...found.keys()])}crawlhouse query 'SHOW ALL TABLES' lists the tables`,
    });
  });
}

/**
 * The browser that crawls render pages in, and what measures web vitals. Only `crawl --render` and `--vitals` need them, so
 * it fails only where the settings ask for them.
 */
function examineRendering({ rendering, vitals }: Settings, signal: AbortSignal): Promise<Check> {
  const isBrowserSet = rendering.browser !== undefined;
  return look('rendering', signal, async () => {
    const browser = await found('crawl --render', isBrowserSet, async () => {
      return `in ${(await findBrowser(rendering.browser)).path}`;
    });
    const meter = await found('crawl --vitals', vitals.pages_per_template !== 0, async () => {
      return `web vitals by Lighthouse ${(await findLighthouse(rendering.browser)).version}`;
    });
    return { message: `${browser}; ${meter}` };
  });
}

/** What is there, else what lacks and how to get it. */
async function found(purpose: string, isAsked: boolean, find: () => Promise<string>): Promise<string> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof CrawlhouseError) || isAsked) throw error;
    return `${error.message}; ${purpose} needs it: ${error.hint}`;
  }
}

/** Lists, writes, reads and removes a small object where data exports go. */
async function examineStore(settings: StoreSettings, name: StoreName, signal: AbortSignal): Promise<Check> {
  const at = { check: name, store: name, prefix: settings[name]?.prefix ?? '' };
  return await examinePrefix(settings, at, signal, {
    noWrite: 'only the service needs to write; the first export shows whether objects can be read',
    noDelete: 'keep_exports: never needs that right',
  });
}

/** Does the same where the packages of workers go. */
async function examinePackages(
  settings: StoreSettings,
  { store, prefix }: StorePrefix,
  signal: AbortSignal,
): Promise<Check> {
  return await examinePrefix(settings, { check: 'packages', store, prefix }, signal, {
    noWrite: 'that is enough for a run; crawlhouse worker has to write',
    noDelete: 'a run has to remove packages, or a rule of the bucket does; a worker needs no more',
  });
}

async function examinePrefix(
  settings: StoreSettings,
  at: StorePrefix & { readonly check: string },
  signal: AbortSignal,
  consequences: Consequences,
): Promise<Check> {
  return await look(at.check, signal, async () => {
    await using store = await openConfiguredStore(settings, at.store);
    const key = `${at.prefix === '' ? '' : `${at.prefix}/`}crawlhouse-doctor/${randomUUID()}`;
    // The right that every export needs, and where a wrong bucket or region shows.
    await listObjects(store, key, signal);
    const rights = await tryObject(store, key, signal, consequences);
    return { ...rights, message: `${settings[at.store]?.bucket}: ${rights.message}` };
  });
}

const TEST = 'crawlhouse alerts test sends a test alert and says what each target answers';

/** The targets of alerts, and the alerts that have not reached theirs. Alerts never fail a run, so these only warn. */
async function examineAlerts(
  settings: LedgerSettings & { readonly alerts: AlertSettings },
  schedules: readonly Schedule[],
  signal: AbortSignal,
): Promise<Check[]> {
  return [
    await look('alerts', signal, () => targets(settings.alerts, schedules, signal)),
    await look('outbox', signal, () => outbox(settings)),
  ];
}

async function targets(
  alerts: AlertSettings,
  schedules: readonly Schedule[],
  signal: AbortSignal,
): Promise<Finding> {
  const all = allTargets(alerts, schedules);
  if (all.length === 0) return { message: 'no target is set: nobody hears of a failed run' };
  const found = await Promise.all(
    all.map(async ({ target }) => {
      try {
        await target.reach(signal);
        return { name: target.name, problem: null };
      } catch (thrown) {
        signal.throwIfAborted();
        return { name: target.name, problem: toCrawlhouseError(thrown).message };
      }
    }),
  );
  const message = found
    .map(({ name, problem }) => (problem === null ? name : `${name}: ${problem}`))
    .join('; ');
  if (found.every(({ problem }) => problem === null)) return { message };
  return { message, hint: `correct alerts in crawlhouse.yaml or schedules.yaml; ${TEST}` };
}

async function outbox(settings: LedgerSettings): Promise<Finding> {
  await using store = await readAlertStore(settings);
  const waiting = (await store?.undelivered()) ?? [];
  const [first] = waiting;
  if (first === undefined) return { message: 'no alert waits' };
  return {
    message: `${waiting.length === 1 ? '1 alert' : `${waiting.length} alerts`} not delivered, the oldest of ${first.alert.at}: ${first.alert.title}`,
    hint: `the next run tries again; ${TEST}`,
  };
}
