import { randomUUID } from 'node:crypto';
import {
  type Check,
  type Finding,
  type Looks,
  look,
  lookAll,
  skipped,
  smallEngine,
} from '../../../core/duckdb/check.ts';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { tableColumns } from '../../../core/duckdb/table-columns.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { packageVersion } from '../../../core/host/package-version.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { listObjects } from '../../../core/stores/list-objects.ts';
import {
  configuredStores,
  openConfiguredStore,
  type StoreName,
  type StorePrefix,
  type StoreSettings,
} from '../../../core/stores/registry.ts';
import { type Consequences, tryObject } from '../../../core/stores/try-object.ts';
import { openEngine } from '../../../etl/engines/open-engine.ts';
import { checkFields } from '../../../etl/pipeline/plan.ts';
import { compileQuestions } from '../../../etl/pipeline/transform/tests/compile-questions.ts';
import type { Pipeline } from '../../../etl/project/model/pipeline.ts';
import type { LedgerRun } from '../../../etl/project/model/runs/ledger-records.ts';
import { loadPipelines } from '../../../etl/project/settings/pipelines.ts';
import { loadSchedules, type Schedule } from '../../../etl/project/settings/schedules.ts';
import { loadSegmentations, type Segmentation } from '../../../etl/project/settings/segments.ts';
import { isCrawlFolder, type Settings } from '../../../etl/project/settings/settings.ts';
import { loadModels } from '../../../etl/project/sql/models/load-models.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { checkSegments } from '../../../etl/project/sql/plan/check-output.ts';
import { describeDrift, driftHint, readDrift } from '../../../etl/state/catalog/pipeline-drift.ts';
import { readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import { unknownIssueSettings, unknownSegmentProjects } from '../../../etl/state/catalog/unknown-settings.ts';
import { readLedger } from '../../../etl/state/ledger/open-ledger.ts';
import { findBrowser } from '../../../site/crawler/render/find-browser.ts';
import { findLighthouse } from '../../../site/crawler/vitals/find-lighthouse.ts';
import { readAlertStore } from '../alert/open-alert-store.ts';
import { allTargets } from '../alert/targets.ts';
import { nextFiring } from '../schedule/next-firing.ts';
import { mirror } from './examine-mirror.ts';
import { examineService, NO_ACCOUNT, OF_SERVICE } from './examine-service.ts';
import { OF_STATE } from './examine-state.ts';

/** The prefix of the service's own segmentations. */
const SERVICE_FIELD = 'page_group_';

/** The subjects of checks under a project's settings. */
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
 * Checks everything that a run needs, even after a failed check. Makes no lasting changes: it removes the object that
 * it writes to a store.
 *
 * @param readSettings throws `bad_settings`; without settings there is little else to check
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

/** Checks versions and the files of a project folder; returns the schedules if they are readable. */
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
  // Broken segments would fail the models too, with the same message.
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

/** Checks that segments.yaml is valid and fits the published warehouse. Without settings, checks only the file. */
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
  const inPlace = names === '' ? '' : `; instead of the service's segmentations: ${names}`;
  return { message: `${segmentations.length} in segments.yaml${inPlace}` };
}

/** Checks the names in pipeline files, if both the files and the service are readable. */
async function examineFields(
  checks: readonly Check[],
  settings: Settings,
  logger: Logger,
  signal: AbortSignal,
): Promise<Check[]> {
  const missing = ['pipelines', 'token'].find((name) =>
    checks.some((check) => check.name === name && check.status !== 'ok' && check.status !== 'warn'),
  );
  if (missing !== undefined)
    return skipped(['fields'], isCrawlFolder(settings) ? NO_ACCOUNT : `${missing} fails`);
  const names = async (): Promise<Finding> => {
    await checkFields(settings, await loadPipelines(settings.projectDir), logger, signal);
    return { message: 'the service provides every field that the pipelines name' };
  };
  return [await look('fields', signal, names)];
}

async function questions(settings: Settings): Promise<Finding> {
  const models = await loadModels(sqlFolders(settings));
  return { message: `${(await compileQuestions(settings, models)).length} saved` };
}

/** Finds pipelines that have changed since units were loaded. */
async function drift(settings: Settings): Promise<Finding> {
  const [first, ...others] = await readDrift(settings);
  if (first === undefined) return { message: 'every unit was loaded with the current filter and fields' };
  const rest = others.length === 0 ? '' : `; the same for ${others.map(({ dataset }) => dataset).join(', ')}`;
  return { message: `${describeDrift(first)}${rest}`, hint: driftHint(first) };
}

/** Checks that the published warehouse has the projects and segments of the `issues` setting. */
async function issues({ settings, signal }: Examined): Promise<Finding> {
  const { projects = {}, segments = {} } = settings.issues;
  const named = [...Object.keys(projects), ...Object.keys(segments)];
  if (named.length === 0) return { message: 'no project or segment settings' };
  const unknown = await readPublished(settings, (connection) =>
    unknownIssueSettings(connection, settings.issues, signal),
  );
  const nothing = unknown === undefined ? '; nothing published yet' : '';
  return unknown?.[0] ?? { message: `settings of ${named} projects${nothing}` };
}

/**
 * Checks the browser for rendered pages, and the tool for web vitals. Only `crawl --render` and `--vitals` need them,
 * so the check fails only if the settings enable one of these.
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

/** Reports what is installed, or what is missing and how to install it. */
async function found(purpose: string, isAsked: boolean, find: () => Promise<string>): Promise<string> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof CrawlhouseError) || isAsked) throw error;
    return `${error.message}; ${purpose} needs it: ${error.hint}`;
  }
}

/** Lists, writes, reads and removes a small object at the place of data exports. */
async function examineStore(settings: StoreSettings, name: StoreName, signal: AbortSignal): Promise<Check> {
  const at = { check: name, store: name, prefix: settings[name]?.prefix ?? '' };
  return await examinePrefix(settings, at, signal, {
    noWrite: 'only the service needs to write; the first export shows whether objects are readable',
    noDelete: 'keep_exports: never needs that right',
  });
}

/** Checks the place of the workers' packages in the same way. */
async function examinePackages(
  settings: StoreSettings,
  { store, prefix }: StorePrefix,
  signal: AbortSignal,
): Promise<Check> {
  return await examinePrefix(settings, { check: 'packages', store, prefix }, signal, {
    noWrite: 'this is enough for a run; crawlhouse worker needs to write',
    noDelete: 'a run, or a rule of the bucket, needs to remove packages; a worker does not',
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
    // The permission that every export needs; a wrong bucket or region shows here.
    await listObjects(store, key, signal);
    const rights = await tryObject(store, key, signal, consequences);
    return { ...rights, message: `${settings[at.store]?.bucket}: ${rights.message}` };
  });
}

const TEST = 'crawlhouse alerts test sends a test alert and prints each answer';

/** Checks the targets of alerts. Alerts never fail a run, so this check and the next one only warn. */
async function alerts({ settings, schedules, signal }: Examined): Promise<Finding> {
  const all = allTargets(settings.alerts, schedules);
  if (all.length === 0) return { message: 'no target is set, so failed runs send no alert' };
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

/** Finds alerts that have not reached their targets. */
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

/** Returns the runs, newest first. */
async function runsOf(settings: Settings): Promise<readonly LedgerRun[]> {
  await using ledger = await readLedger(settings);
  return (await ledger?.runs(RUNS)) ?? [];
}

/** @param now UTC milliseconds */
export function lastGood(
  runs: readonly LedgerRun[],
  schedules: readonly (Pick<Schedule, 'name' | 'cron' | 'time_zone'> & Partial<Pick<Schedule, 'paused'>>)[],
  now: number,
): Finding {
  const ended = runs.filter(({ status }) => status !== 'running');
  if (ended.length === 0) return { message: 'none has ended yet' };
  const at = ended.findIndex(({ status }) => status === 'done');
  const good = ended[at];
  if (good === undefined) {
    return {
      message: `none of the last ${ended.length} runs is done: the last run is ${ended[0]?.status}`,
      hint: 'crawlhouse status shows why',
    };
  }
  const message = `last good run ${minuteOf(good.ended_at ?? good.started_at)}`;
  if (at > 0) return { message: `${message}, ${at} not done since`, hint: 'crawlhouse status shows why' };
  const late = schedules.find(({ cron, time_zone, paused = false }) => {
    if (paused) return false;
    const next = nextFiring(cron, time_zone, Date.parse(good.started_at));
    return next !== null && next + DAY_MS < now;
  });
  if (late === undefined) return { message };
  return {
    message: `${message}, but the schedule ${late.name} was due since then`,
    hint: 'check that crawlhouse schedule is running',
  };
}

/** Returns the last run, if its process is dead; a later run continues the work of an earlier one. */
export function killed([last]: readonly LedgerRun[]): Finding {
  if (last?.status !== 'killed') return { message: 'no run was cut off' };
  return {
    message: `the run of ${minuteOf(last.started_at)} was cut off: its process is gone`,
    hint: 'crawlhouse run continues the work; check whether the system killed the process, for example for lack of memory',
  };
}

function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
