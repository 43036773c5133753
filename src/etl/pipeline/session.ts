import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Database } from '../../core/duckdb/duckdb.ts';
import { type CrawlhouseError, firstStack, toCrawlhouseError } from '../../core/errors/errors.ts';
import { acquireLock } from '../../core/locks/acquire-lock.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { runStep, type SpanResult } from '../../core/logs/telemetry.ts';
import { Meter } from '../../core/progress/meter.ts';
import { projectModels } from '../engines/project-models.ts';
import { reconcileLedger, recordLedger } from '../engines/reconcile-ledger.ts';
import { WorkingCopy } from '../engines/working-copy.ts';
import { exitCodeOf, type RunResult, runStatus } from '../project/model/runs/run-result.ts';
import { formerPace, runSeconds, summarizeRun } from '../project/model/runs/run-summary.ts';
import type { RunReport, UnitReport } from '../project/model/runs/unit-report.ts';
import { nameFullDisk } from '../project/settings/name-full-disk.ts';
import type { Settings } from '../project/settings/settings.ts';
import { fieldsRead, modelsVersion } from '../project/sql/models/load-models.ts';
import type { Model } from '../project/sql/models/model.ts';
import { keepHolds, readHolds } from '../state/catalog/ops/ops-holds.ts';
import { countsOf, loadedUnits, unpublishedLoads } from '../state/catalog/ops/ops-loads.ts';
import { unknownIssueSettings, unknownSegmentProjects } from '../state/catalog/unknown-settings.ts';
import { LiveRunFile } from '../state/ledger/live-run.ts';
import { openLedger } from '../state/ledger/open-ledger.ts';
import { Reserve } from '../state/ledger/reserve.ts';
import { isChange, isHeldBack } from './hold-units.ts';
import { loadWorkers } from './load-workers.ts';
import { mirrorPublished } from './publish/mirror.ts';
import { publish } from './publish/publish.ts';
import { reconcileExports } from './routes/export/reconcile-exports.ts';
import { sweepFolders, sweepUnfinished } from './stage/unit-folders.ts';
import { announceUpgrade } from './transform/build/announce-upgrade.ts';
import { beforeUpgrade } from './transform/build/before-upgrade.ts';
import { compileQuestions } from './transform/tests/compile-questions.ts';
import { type SessionState, transform } from './transform.ts';
import type { Session } from './unit/contexts.ts';
import { UnitEvents } from './unit/unit-events.ts';

/** Number of past runs that show how long models take. */
const RUNS_READ = 20;

/** The result of a command's work on the working copy. */
export interface SessionOutcome {
  readonly units: readonly UnitReport[];
  readonly errors: readonly CrawlhouseError[];
  /** Whether the state lock was yielded to a waiting process before the work was done. */
  readonly yielded?: boolean;
}

export interface SessionOptions {
  readonly command: string;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Called with a short text about the progress of the units. */
  readonly progress?: (text: string) => void;
  /** Called with each line of `run --events`. */
  readonly events?: ((line: string) => void) | undefined;
  /** Build and test every model, changed or not. */
  readonly full?: boolean;
  /** The models to build, as `selectModels` reads them; all by default. */
  readonly select?: readonly string[];
}

/** A session in progress: its resources, and its results so far. */
export interface OpenSession extends Session {
  readonly options: SessionOptions;
  readonly models: readonly Model[];
  readonly reserve: Reserve;
  /** Damaged files and their replacements. */
  readonly healed: string[];
  readonly startedAt: string;
  /** Models whose definition differs from the published one; null if this is not an upgrade. */
  readonly upgraded: ReadonlySet<string> | null;
  readonly state: SessionState;
}

type SessionWork = (session: OpenSession) => Promise<void>;

/**
 * Opens a session, lets `work` change the working copy, then runs models and data tests, and publishes if something has
 * changed. Failures are in the result; loaded units stay.
 *
 * @throws like `inSession`
 */
export function runSession(
  options: SessionOptions,
  work: (session: Session) => Promise<SessionOutcome>,
): Promise<RunResult> {
  return inSession(options, async (opened) => {
    const session = await publishLeft(opened);
    const before = await unitStatuses(session);
    const last = await noteWork(session, await work(session));
    if (!last) return;
    const broken = await runStep('transform', {}, () => transform(last, options));
    last.state.errors.push(...broken);
    if (broken.length === 0 && (await hasNews(last, before))) await publishRun(last, 'end');
    if (!session.signal.aborted) await tidyUp(last);
  });
}

/**
 * Opens a session for `work`, and adds its error to the result. If the working copy is damaged, replaces it with the
 * published warehouse and starts the session again, once. Unpublished units are loaded again.
 *
 * @throws CrawlhouseError of kind usage, before anything was tried; `damaged_warehouse` for the published one
 */
export async function inSession(options: SessionOptions, work: SessionWork): Promise<RunResult> {
  const { settings, command, logger } = options;
  try {
    const models = await projectModels(settings);
    await compileQuestions(settings, models);
    using _lock = await acquireLock(settings.state_dir, command, logger, options.signal);
    await sweepUnfinished(settings);
    await using ledger = await openLedger(settings, command, logger, options.signal);
    using reserve = new Reserve(settings.state_dir);
    const project: Project = { options, models, ledger, reserve, healed: [] };
    for (let isReplaced = false; ; isReplaced = true) {
      let damage: CrawlhouseError | undefined;
      try {
        const result = await runStep('run', { attributes: { command }, describe: spanOf }, () =>
          attempt(project, isReplaced, work),
        );
        damage = result.errors.find(isDamage);
        if (!damage || isReplaced) return result;
      } catch (thrown) {
        damage = toCrawlhouseError(thrown);
        if (!isDamage(damage) || isReplaced) throw thrown;
      }
      logger.warn('damage found, starting again with a new working copy from the published warehouse', {
        stage: 'run',
        error: damage.message,
      });
      project.healed.push(`${damage.message}; the working copy was made again from the published warehouse`);
    }
  } catch (thrown) {
    throw nameFullDisk(toCrawlhouseError(thrown), settings);
  }
}

function isDamage({ code }: CrawlhouseError): boolean {
  return code === 'damaged_warehouse';
}

function spanOf({ report, errors }: RunResult): SpanResult {
  return {
    attributes: { run_id: report.run_id, status: report.status, units: report.units.length },
    error: errors[0]?.message ?? null,
  };
}

/** What stays open during both attempts at a session. */
type Project = Pick<OpenSession, 'options' | 'models' | 'ledger' | 'reserve' | 'healed'>;

/** Runs a session on the current or a replaced working copy. */
async function attempt(project: Project, isReplaced: boolean, work: SessionWork): Promise<RunResult> {
  const { options, models, ledger } = project;
  const { settings, command, progress = () => {} } = options;
  // Also aborts once another process has taken over.
  const signal = AbortSignal.any([options.signal, ledger.lost]);
  await using database = await Database.openIn(settings);
  await using working = await WorkingCopy.open(
    database,
    { stateDir: settings.state_dir, warehouse: settings.warehouse, engine: settings.engine },
    options.logger,
    isReplaced,
    signal,
  );
  const loaded = await loadedUnits(working.connection);
  await reconcileLedger(ledger, working, loaded);
  const run = { run_id: randomUUID(), command, started_at: new Date().toISOString() };
  const holds = await readHolds(working.connection);
  const logger = options.logger.with({ run: run.run_id.slice(0, 8) });
  const upgraded = await announceUpgrade(working.connection, models, logger);
  const pace = formerPace(await ledger.runs(RUNS_READ));
  // From here on, the end of the run is always recorded. A run without an end was killed.
  await ledger.startRun(run.run_id, run.command, run.started_at);
  logger.info('run starts', { stage: 'run', command });
  using live = new LiveRunFile(settings.state_dir, run);
  using meter = new Meter((text, now, atWork) => {
    progress(text);
    live.write(now, atWork);
  }, pace);
  const session: OpenSession = {
    ...project,
    settings,
    runId: run.run_id,
    startedAt: run.started_at,
    database,
    working,
    loaded,
    holds,
    upgraded,
    modelsVersion: modelsVersion(models),
    fieldsRead: (dataset) => fieldsRead(models, dataset),
    logger,
    signal,
    progress,
    meter,
    events: options.events && new UnitEvents(options.events, run.run_id, logger),
    state: { units: [], models: [], tests: [], held: [], errors: [], yielded: false, moved: [] },
  };
  try {
    await work(session);
  } catch (thrown) {
    const error = toCrawlhouseError(signal.aborted ? signal.reason : thrown);
    session.state.errors.push(nameFullDisk(error, settings));
  }
  return await endRun(session);
}

/**
 * Publishes changes that an earlier process left unpublished, so that the working copy has the state of the published
 * warehouse. Builds models with a changed definition first, so that changes of figures come only from the upgrade.
 *
 * @returns the session, with the units of that publication
 */
export async function publishLeft(session: OpenSession): Promise<OpenSession> {
  const { working, models, upgraded, options, state } = session;
  const compare =
    upgraded !== null && !options.select ? await beforeUpgrade(session, models, upgraded) : undefined;
  const isPublished = await publishLoaded(session, []);
  state.moved = (await compare?.()) ?? [];
  if (!isPublished) return session;
  const { connection } = working;
  return { ...session, loaded: await loadedUnits(connection), holds: await readHolds(connection) };
}

/**
 * Publishes loaded units before the end of a session: those of an earlier process, or while units wait. If that fails,
 * the work may repair the cause, and the end of the session tries again.
 *
 * @returns whether there was anything to publish
 */
export async function publishLoaded(session: OpenSession, units: readonly UnitReport[]): Promise<boolean> {
  const { working, signal, logger, state } = session;
  state.units = units;
  if (!(await working.publication()).dirty) return false;
  logger.info('publishing loaded units', { stage: 'publish' });
  try {
    const broken = await runStep('transform', {}, () => transform(session));
    if (broken.length === 0) await publishRun(session, 'before the end');
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toCrawlhouseError(thrown);
    if (isDamage(error)) throw error;
    logger.warn('loaded units are not published yet', { error: error.message });
  }
  return true;
}

/** Returns the statuses of the units in the ledger. */
export async function unitStatuses({ ledger }: Session): Promise<ReadonlyMap<string, string>> {
  return new Map((await ledger.units('unpublished')).map((unit) => [unit.unit, unit.status]));
}

/**
 * Records the results of a session's work.
 *
 * @returns the session for transforming and publishing; null if the next process does both, or if there is nothing to
 *   do. A damaged working copy is not used.
 */
export async function noteWork(session: OpenSession, work: SessionOutcome): Promise<OpenSession | null> {
  const { state, signal, ledger, working, logger } = session;
  state.units = work.units;
  state.errors.push(...work.errors);
  state.yielded = work.yielded ?? false;
  if (state.yielded || state.errors.some(isDamage)) return null;
  // An interruption ends the work, but loaded units are published. A second one ends the process.
  ledger.lost.throwIfAborted();
  if (!signal.aborted) return session;
  state.errors.push(toCrawlhouseError(signal.reason));
  if (!(await working.publication()).dirty) return null;
  logger.info('publishing loaded units', { stage: 'publish' });
  return { ...session, signal: ledger.lost };
}

/**
 * Returns whether the working copy contains anything that is missing from the published file.
 *
 * @param before the statuses of the units before the work
 */
export async function hasNews(
  { working, settings, state: { units, models } }: OpenSession,
  before: ReadonlyMap<string, string>,
): Promise<boolean> {
  const changed = units.some((unit) => isChange(unit, before.get(unit.unit)));
  const built = models.some((model) => model.status === 'built');
  const publication = await working.publication();
  const missing = publication.id === null || !existsSync(settings.warehouse);
  return changed || built || publication.dirty || missing;
}

/** @param when before the end of a run, the run is not in `ops.runs` yet */
export async function publishRun(session: OpenSession, when: 'before the end' | 'end'): Promise<void> {
  const { ledger, working, runId, meter, logger, signal, events, healed, state } = session;
  const published = events ? await unpublishedLoads(working.connection) : [];
  const stillHeld = (await ledger.units('unpublished')).filter(isHeldBack).map(({ unit }) => unit);
  await keepHolds(working.connection, stillHeld);
  const status = when === 'end' ? runStatus(state.errors, state.units) : null;
  await recordLedger(ledger, working, runId, status);
  meter.step('publish');
  const confirm = (): Promise<void> => ledger.confirm();
  healed.push(...(await runStep('publish', {}, () => publish(working, logger, signal, confirm))));
  for (const { unit, rows } of published) events?.note('published', unit, { rows });
  const { id } = await working.publication();
  await ledger.publishLoaded(id ?? '');
  await reconcileExports(session, await loadedUnits(working.connection));
  if (ledger.offers !== null && session.settings.packages !== undefined)
    await (await loadWorkers()).removePublishedPackages(session);
}

/** Removes finished files, updates the mirror, warns of settings without effect, and removes invisible rows. */
export async function tidyUp(session: OpenSession): Promise<void> {
  const { ledger, working, meter, logger, signal, models, options } = session;
  const { settings } = options;
  // The next run requests a quarantined unit again.
  const open = (await ledger.units('unpublished'))
    .filter((entry) => !isHeldBack(entry))
    .map(({ unit }) => unit);
  await sweepFolders(settings, open);
  await mirrorPublished(settings, working, logger, signal);
  const segmentations = models.flatMap(({ byPages }) => byPages?.segmentations ?? []);
  const issues = await unknownIssueSettings(working.connection, settings.issues, signal);
  const projects = await unknownSegmentProjects(working.connection, segmentations, signal);
  for (const { message, hint } of [...issues, ...projects]) logger.warn(message, { hint });
  meter.step('publish');
  await working.rows.vacuum(signal).catch((error: unknown) => {
    signal.throwIfAborted();
    logger.warn('previous rows not removed', { stage: 'publish', error: toCrawlhouseError(error).message });
  });
}

/** Counts the units for the last time, and records the end of the run in the ledger. */
async function endRun(session: OpenSession): Promise<RunResult> {
  const { working, ledger, logger, meter, runId, settings, reserve, healed } = session;
  const { errors, units, models, tests, moved, yielded } = session.state;
  const counted = await withFinalCounts(working, units).catch((error: unknown) => {
    logger.warn('the final counts cannot be read', { stage: 'run', error: toCrawlhouseError(error).message });
    return units;
  });
  const report: RunReport = {
    run_id: runId,
    status: runStatus(errors, units),
    started_at: session.startedAt,
    ended_at: new Date().toISOString(),
    units: counted,
    models,
    tests,
    ...(healed.length > 0 ? { healed } : {}),
    ...(moved.length > 0 ? { moved } : {}),
  };
  meter.end(runSeconds(report));
  for (const error of errors) {
    const { code, message } = error;
    logger.info('run had an error', { stage: 'run', code, error: message, ...firstStack(error) });
  }
  logger.info('run ended', { stage: 'run', status: report.status, units: units.length });
  try {
    const summary = {
      ...summarizeRun(report.units, errors, meter.took()),
      ...(report.healed ? { healed } : {}),
    };
    await reserve.spend(() =>
      ledger.endRun(runId, yielded ? 'yielded' : report.status, report.ended_at, summary),
    );
  } catch (thrown) {
    // The report is complete anyway.
    errors.push(nameFullDisk(toCrawlhouseError(thrown), settings));
  }
  return { report, exitCode: exitCodeOf(errors), errors, yielded };
}

/** Returns the units with the warehouse's present counts, `queryable` with the publication. */
async function withFinalCounts(working: WorkingCopy, units: readonly UnitReport[]): Promise<UnitReport[]> {
  const names = units.map((unit) => unit.unit);
  const counts = await countsOf(working.connection, names);
  return units.map((unit) => {
    const own = unit.status === 'loaded' || unit.status === 'unchanged' ? counts.get(unit.unit) : undefined;
    return own ? { ...unit, counts: own } : unit;
  });
}
