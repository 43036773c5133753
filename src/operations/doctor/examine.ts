import { randomUUID } from 'node:crypto';
import {
  type Check,
  type Finding,
  type Looks,
  look,
  lookAll,
  skipped,
  smallEngine,
} from '../../core/duckdb/check.ts';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { packageVersion } from '../../core/host/package-version.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { openEngine } from '../../engines/open-engine.ts';
import { checkFields } from '../../pipeline/plan.ts';
import { compileQuestions } from '../../pipeline/transform/questions/compile-questions.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { LedgerRun } from '../../project/model/runs/ledger-records.ts';
import { loadPipelines } from '../../project/settings/pipelines.ts';
import { loadSchedules, type Schedule } from '../../project/settings/schedules.ts';
import { loadSegmentations, type Segmentation } from '../../project/settings/segments.ts';
import { isCrawlFolder, type Settings } from '../../project/settings/settings.ts';
import { loadModels } from '../../project/sql/models/load-models.ts';
import { sqlFolders } from '../../project/sql/models/sql-folders.ts';
import { checkSegments } from '../../project/sql/plan/check-output.ts';
import { findBrowser } from '../../service/site/crawler/render/find-browser.ts';
import { findLighthouse } from '../../service/site/crawler/vitals/find-lighthouse.ts';
import { tableColumns } from '../../state/catalogue/catalog.ts';
import { describeDrift, driftHint, readDrift } from '../../state/catalogue/pipeline-drift.ts';
import { readPublished } from '../../state/catalogue/published/read-published.ts';
import { unknownIssueSettings, unknownSegmentProjects } from '../../state/catalogue/unknown-settings.ts';
import { readLedger } from '../../state/ledger/open-ledger.ts';
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
import { nextFiring } from '../schedule/next-firing.ts';
import { mirror } from './examine-mirror.ts';
import { examineService, NO_ACCOUNT, OF_SERVICE } from './examine-service.ts';
import { OF_STATE } from './examine-state.ts';

/** How the service's own segmentations begin. */
const SERVICE_FIELD = 'page_group_';

/** What is looked at under a project's settings. */
interface Examined {
  readonly settings: Settings;
  readonly schedules: readonly Schedule[];
  readonly signal: AbortSignal;
}

const OF_PROJECT: Looks<Examined> = {
  runs: async ({ settings, schedules }) => lastGood(await runsOf(settings), schedules, Date.now()),
  killed: async ({ settings }) => killed(await runsOf(settings)),
  alerts,
  outbox,
  mirror: ({ settings, signal }) => mirror(settings, signal),
  issues,
  rendering,
};

const OF_SETTINGS = [
  'questions',
  ...Object.keys(OF_STATE),
  'drift',
  ...Object.keys(OF_PROJECT),
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
  const { checks: ofFiles, schedules } = await examineFiles(projectDir, settings, signal);
  const checks = [first, ...ofFiles];
  if (settings === undefined) return [...checks, ...skipped(OF_SETTINGS, 'settings fails')];
  const known = settings;
  const isOk = (wanted: string): boolean =>
    checks.some(({ name, status }) => name === wanted && status === 'ok');
  if (isOk('models')) checks.push(await look('questions', signal, () => questions(known)));
  else checks.push(...skipped(['questions'], 'models fails'));
  checks.push(
    ...(await lookAll(OF_STATE, settings, signal)),
    ...(await (await openEngine(settings.engine)).examine(signal)),
    ...(isOk('pipelines')
      ? [await look('drift', signal, () => drift(known))]
      : skipped(['drift'], 'pipelines fails')),
    ...(await lookAll(OF_PROJECT, { settings, schedules, signal }, signal)),
    ...(await examineService(settings, logger, signal)),
  );
  checks.push(...(await examineFields(checks, known, logger, signal)));
  if (settings.packages) checks.push(await examinePackages(settings, settings.packages, signal));
  for (const store of configuredStores(settings)) checks.push(await examineStore(settings, store, signal));
  return checks;
}

/** Versions and the files of a project folder; with the schedules, as far as they can be read. */
async function examineFiles(
  projectDir: string,
  settings: Settings | undefined,
  signal: AbortSignal,
): Promise<{ readonly checks: readonly Check[]; readonly schedules: readonly Schedule[] }> {
  let pipelines: readonly Pipeline[] = [];
  let schedules: readonly Schedule[] = [];
  const checks: Check[] = [
    await look('versions', signal, versions),
    await look('pipelines', signal, async () => {
      pipelines = await loadPipelines(projectDir);
      return { message: `${pipelines.length} in pipelines/` };
    }),
    await look('schedules', signal, async () => {
      const datasets = pipelines.map(({ dataset }) => dataset);
      schedules = await loadSchedules(projectDir, datasets);
      return { message: `${schedules.length} in schedules.yaml` };
    }),
    await look('segments', signal, () => segments(projectDir, settings, signal)),
  ];
  // The models are made of the segments too, and would say the same.
  const isBroken = checks.at(-1)?.status === 'fail';
  const inUse = async () => {
    const models = await loadModels(sqlFolders({ shipped_models: 'all', ...settings, projectDir }));
    return { message: `${models.length} in use` };
  };
  checks.push(...(isBroken ? skipped(['models'], 'segments fails') : [await look('models', signal, inUse)]));
  return { checks, schedules };
}

async function versions() {
  const version = await packageVersion();
  await using database = await smallEngine();
  using connection = await database.connect();
  const duckdb = await connection.scalar('SELECT version()');
  return { message: `crawlhouse ${version}, Node ${process.version}, DuckDB ${duckdb}` };
}

/** Whether segments.yaml holds, and fits the published warehouse. Without settings, the file alone is looked at. */
async function segments(
  projectDir: string,
  settings: Settings | undefined,
  signal: AbortSignal,
): Promise<Finding> {
  const segmentations = await loadSegmentations(projectDir);
  if (segmentations.length === 0) return { message: 'no segmentation in segments.yaml' };
  const found =
    settings && (await readPublished(settings, (connection) => compare(connection, segmentations, signal)));
  return found ?? { message: `${segmentations.length} in segments.yaml; nothing published yet` };
}

async function compare(
  connection: Connection,
  segmentations: readonly Segmentation[],
  signal: AbortSignal,
): Promise<Finding | undefined> {
  const tables = await tableColumns(connection, ['raw', 'mart']);
  const columns = tables.get('mart.pages');
  if (columns === undefined) return undefined;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  await checkSegments(connection, segmentations, types);
  const [unknown] = await unknownSegmentProjects(connection, segmentations, signal);
  if (unknown !== undefined) return unknown;
  const fields = (tables.get('raw.crawl_pages') ?? []).map(({ name }) => name);
  const replaced = segmentations.filter(({ name }) => fields.includes(`${SERVICE_FIELD}${name}`));
  const names = [...new Set(replaced.map(({ name }) => name))].join(', ');
  const inPlace = names === '' ? '' : `; in the place of the service's own: ${names}`;
  return { message: `${segmentations.length} in segments.yaml${inPlace}` };
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
async function drift(settings: Settings): Promise<Finding> {
  const [first, ...others] = await readDrift(settings);
  if (first === undefined) return { message: 'every unit was loaded with the present filter and fields' };
  const rest = others.length === 0 ? '' : `; the same of ${others.map(({ dataset }) => dataset).join(', ')}`;
  return { message: `${describeDrift(first)}${rest}`, hint: driftHint(first) };
}

/** Whether the published warehouse has the projects and segments that the setting `issues` names. */
async function issues({ settings, signal }: Examined): Promise<Finding> {
  const { projects = {}, segments = {} } = settings.issues;
  const named = [...Object.keys(projects), ...Object.keys(segments)];
  if (named.length === 0) return { message: 'no settings of a project or segment' };
  const unknown = await readPublished(settings, (connection) =>
    unknownIssueSettings(connection, settings.issues, signal),
  );
  const nothing = unknown === undefined ? '; nothing published yet' : '';
  return unknown?.[0] ?? { message: `settings of ${named} projects${nothing}` };
}

/**
 * The browser that crawls render pages in, and what measures web vitals. Only `crawl --render` and `--vitals` need them, so
 * it fails only where the settings ask for them.
 */
async function rendering({ settings: { rendering, vitals } }: Examined): Promise<Finding> {
  const browser = await found('crawl --render', rendering.browser !== undefined, async () => {
    return `in ${(await findBrowser(rendering.browser)).path}`;
  });
  const meter = await found('crawl --vitals', vitals.pages_per_template !== 0, async () => {
    return `web vitals by Lighthouse ${(await findLighthouse(rendering.browser)).version}`;
  });
  return { message: `${browser}; ${meter}` };
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

/** The targets of alerts. Alerts never fail a run, so this and the next only warn. */
async function alerts({ settings, schedules, signal }: Examined): Promise<Finding> {
  const all = allTargets(settings.alerts, schedules);
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

/** The alerts that have not reached their targets. */
async function outbox({ settings }: Examined): Promise<Finding> {
  await using store = await readAlertStore(settings);
  const waiting = (await store?.undelivered()) ?? [];
  const [first] = waiting;
  if (first === undefined) return { message: 'no alert waits' };
  return {
    message: `${waiting.length === 1 ? '1 alert' : `${waiting.length} alerts`} not delivered, the oldest of ${first.alert.at}: ${first.alert.title}`,
    hint: `the next run tries again; ${TEST}`,
  };
}

const RUNS = 1000;
const DAY_MS = 86_400_000;

/** The newest first. */
async function runsOf(settings: Settings): Promise<readonly LedgerRun[]> {
  await using ledger = await readLedger(settings);
  return (await ledger?.runs(RUNS)) ?? [];
}

/** @param now UTC milliseconds */
export function lastGood(
  runs: readonly LedgerRun[],
  schedules: readonly Pick<Schedule, 'name' | 'cron' | 'time_zone'>[],
  now: number,
): Finding {
  const ended = runs.filter(({ status }) => status !== 'running');
  if (ended.length === 0) return { message: 'none has ended yet' };
  const at = ended.findIndex(({ status }) => status === 'done');
  const good = ended[at];
  if (good === undefined) {
    return {
      message: `none of the last ${ended.length} is done: the last one is ${ended[0]?.status}`,
      hint: 'crawlhouse status shows why',
    };
  }
  const message = `last good run ${minuteOf(good.ended_at ?? good.started_at)}`;
  if (at > 0) return { message: `${message}, ${at} not done since`, hint: 'crawlhouse status shows why' };
  const late = schedules.find(({ cron, time_zone }) => {
    const next = nextFiring(cron, time_zone, Date.parse(good.started_at));
    return next !== null && next + DAY_MS < now;
  });
  if (late === undefined) return { message };
  return {
    message: `${message}, but the schedule ${late.name} has had a firing since`,
    hint: 'see that crawlhouse schedule is running',
  };
}

/** The last run, if its process is dead; a later run has taken up what an earlier one left. */
export function killed([last]: readonly LedgerRun[]): Finding {
  if (last?.status !== 'killed') return { message: 'no run was cut off' };
  return {
    message: `the run of ${minuteOf(last.started_at)} was cut off: its process is gone`,
    hint: 'crawlhouse run continues it; look for a kill by the system, such as for want of memory',
  };
}

function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
