import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Database } from '../core/duckdb/duckdb.ts';
import { type CrawlhouseError, toCrawlhouseError } from '../core/errors/errors.ts';
import { acquireLock } from '../core/locks/acquire-lock.ts';
import type { Logger } from '../core/logs/logger.ts';
import { inSpan } from '../core/logs/telemetry.ts';
import { Meter } from '../core/progress/meter.ts';
import { projectModels } from '../engines/project-models.ts';
import { reconcileLedger, recordLedger } from '../engines/reconcile-ledger.ts';
import { WorkingCopy } from '../engines/working-copy.ts';
import type { MovedFigures, RunReport, RunStatus, UnitReport } from '../project/model/runs/report.ts';
import { exitCodeOf, type RunResult, runStatus } from '../project/model/runs/run-result.ts';
import { formerPace, runSeconds, summarizeRun } from '../project/model/runs/run-summary.ts';
import { nameFullDisk } from '../project/settings/name-full-disk.ts';
import type { Settings } from '../project/settings/settings.ts';
import { fieldsRead, modelsVersion } from '../project/sql/models/load-models.ts';
import type { Model } from '../project/sql/models/model.ts';
import { announceUpgrade } from '../project/sql/plan/mart-contract.ts';
import { keepHolds, readHolds } from '../state/catalogue/ops/ops-holds.ts';
import { countsOf, loadedUnits, unpublishedLoads } from '../state/catalogue/ops/ops-loads.ts';
import { unknownIssueSettings, unknownSegmentProjects } from '../state/catalogue/unknown-settings.ts';
import type { Ledger } from '../state/ledger/ledger.ts';
import { LiveRunFile } from '../state/ledger/live-run.ts';
import { openLedger } from '../state/ledger/open-ledger.ts';
import { Reserve } from '../state/ledger/reserve.ts';
import { type HeldBack, isChange, isHeldBack, withHeld } from './hold-units.ts';
import { mirrorPublished } from './publish/mirror.ts';
import { publish } from './publish/publish.ts';
import { reconcileExports } from './routes/export/reconcile-exports.ts';
import { sweepFolders, sweepUnfinished } from './stage/unit-folders.ts';
import { beforeUpgrade } from './transform/build/before-upgrade.ts';
import type { ModelsReport } from './transform/build/run-models.ts';
import { compileQuestions } from './transform/questions/compile-questions.ts';
import { transform } from './transform.ts';
import type { Session } from './unit/run-context.ts';
import { UnitEvents } from './unit/unit-events.ts';
import { removePublishedPackages } from './workers/package-store.ts';

/** The last runs that may tell how long models take. */
const RUNS_READ = 20;

/** A session before its work begins. */
type OpenSession = Omit<Session, 'publish'>;

/** The result of a session's work: its units and errors. */
export interface SessionOutcome {
  readonly units: readonly UnitReport[];
  readonly errors: readonly CrawlhouseError[];
  /** The state lock was yielded to a waiter before the work was done. */
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
  /** Make and test every model, changed or not. */
  readonly full?: boolean;
  /** The models to make, as `selectModels` reads them; all when absent. */
  readonly select?: readonly string[];
}

/**
 * Opens a session, lets `work` change the working copy, then runs models and data tests and publishes when something
 * has changed. Failures are in the result; loaded units stay. A damaged working copy is replaced by the published
 * warehouse, and the session starts again, once. Unpublished units are loaded again.
 *
 * @throws CrawlhouseError of kind usage, before anything was tried; `damaged_warehouse` for the published one
 */
export async function runSession(
  options: SessionOptions,
  work: (session: Session) => Promise<SessionOutcome>,
): Promise<RunResult> {
  try {
    return await attemptTwice(options, work);
  } catch (thrown) {
    throw nameFullDisk(toCrawlhouseError(thrown), options.settings);
  }
}

async function attemptTwice(options: SessionOptions, work: SessionInput['work']): Promise<RunResult> {
  const { settings, logger } = options;
  const models = await projectModels(settings);
  await compileQuestions(settings, models);
  using _lock = await acquireLock(settings.state_dir, options.command, logger, options.signal);
  await sweepUnfinished(settings);
  await using ledger = await openLedger(settings, options.command, logger, options.signal);
  using reserve = new Reserve(settings.state_dir);
  const given: SessionInput = { options, models, ledger, reserve, work, healed: [] };
  let damage: CrawlhouseError | undefined;
  try {
    const result = await attemptInSpan(given, false);
    damage = result.errors.find(isDamage);
    if (!damage) return result;
  } catch (thrown) {
    damage = toCrawlhouseError(thrown);
    if (!isDamage(damage)) throw thrown;
  }
  logger.warn('damage found, starting again with a new working copy from the published warehouse', {
    stage: 'run',
    error: damage.message,
  });
  given.healed.push(`${damage.message}; the working copy was made anew from the published warehouse`);
  return await attemptInSpan(given, true);
}

function isDamage({ code }: CrawlhouseError): boolean {
  return code === 'damaged_warehouse';
}

/** The common inputs of both attempts at a session. */
interface SessionInput {
  readonly options: SessionOptions;
  readonly models: readonly Model[];
  readonly ledger: Ledger;
  readonly reserve: Reserve;
  readonly work: (session: Session) => Promise<SessionOutcome>;
  /** Damaged files, and what was put in their place. */
  readonly healed: string[];
}

function attemptInSpan(given: SessionInput, anew: boolean): Promise<RunResult> {
  return inSpan(
    'run',
    { command: given.options.command },
    () => attempt(given, anew),
    ({ report, errors }) => ({
      attributes: { run_id: report.run_id, status: report.status, units: report.units.length },
      error: errors[0]?.message ?? null,
    }),
  );
}

/** A session, with the present or a replaced working copy. */
async function attempt(given: SessionInput, anew: boolean): Promise<RunResult> {
  const { options, models, ledger } = given;
  const { settings } = options;
  // Also aborts once another process has taken over.
  const signal = AbortSignal.any([options.signal, ledger.lost]);
  await using database = await Database.openIn(settings);
  await using working = await WorkingCopy.open(
    database,
    { stateDir: settings.state_dir, warehouse: settings.warehouse, engine: settings.engine },
    options.logger,
    anew,
    signal,
  );
  const loaded = await loadedUnits(working.connection);
  await reconcileLedger(ledger, working, loaded);
  const run = { run_id: randomUUID(), command: options.command, started_at: new Date().toISOString() };
  const holds = await readHolds(working.connection);
  const logger = options.logger.with({ run: run.run_id.slice(0, 8) });
  const changed = await announceUpgrade(working.connection, models, logger);
  const pace = formerPace(await ledger.runs(RUNS_READ));
  // From here on, whatever ends the run is noted: one without an end was killed.
  await ledger.startRun(run.run_id, run.command, run.started_at);
  logger.info('run starts', { stage: 'run', command: run.command });
  const progress = options.progress ?? (() => {});
  using live = new LiveRunFile(settings.state_dir, run);
  using meter = new Meter((text, now, atWork) => {
    progress(text);
    live.write(now, atWork);
  }, pace);
  const session: OpenSession = {
    settings,
    runId: run.run_id,
    ledger,
    database,
    working,
    loaded,
    holds,
    modelsVersion: modelsVersion(models),
    fieldsRead: (dataset) => fieldsRead(models, dataset),
    logger,
    signal,
    progress,
    meter,
    events: options.events && new UnitEvents(options.events, run.run_id, logger),
  };
  const ended = await workAndPublish(session, given, changed);
  return await endRun(session, run.started_at, ended, given);
}

interface Ended {
  units: readonly UnitReport[];
  transformed: ModelsReport;
  readonly held: HeldBack[];
  readonly errors: CrawlhouseError[];
  yielded: boolean;
  moved?: readonly MovedFigures[];
}

/**
 * The work of a session, then models, tests and a publication. What an earlier process left unpublished is published
 * first, so whatever the work says of the working copy holds for the published warehouse.
 *
 * @returns with the error that ended it, if one did
 */
async function workAndPublish(
  session: OpenSession,
  input: SessionInput,
  changed: ReadonlySet<string> | null,
): Promise<Ended> {
  const { signal, working, ledger, logger } = session;
  const transformed = { models: [], tests: [] };
  const ended: Ended = { units: [], transformed, held: [], errors: [], yielded: false };
  try {
    const publish = (units: readonly UnitReport[]): Promise<boolean> =>
      publishLoaded(session, input, Object.assign(ended, { units }));
    let current: Session = { ...session, publish };
    const isUpgrade = changed !== null && !input.options.select;
    const compare = isUpgrade ? await beforeUpgrade(session, input.models, changed) : undefined;
    if (await publish([])) {
      const [loaded, holds] = [await loadedUnits(working.connection), await readHolds(working.connection)];
      current = { ...current, loaded, holds };
    }
    ended.moved = (await compare?.()) ?? [];
    const statuses = new Map((await ledger.units('unpublished')).map((unit) => [unit.unit, unit.status]));
    const done = await input.work(current);
    ended.units = done.units;
    ended.errors.push(...done.errors);
    ended.yielded = done.yielded ?? false;
    // The next process builds the models and publishes, for both. A damaged working copy is not used.
    if (ended.yielded || ended.errors.some(isDamage)) return ended;
    // An interruption ends the work; what is loaded is published. A second one ends the process.
    ledger.lost.throwIfAborted();
    if (signal.aborted) {
      ended.errors.push(toCrawlhouseError(signal.reason));
      current = { ...current, signal: ledger.lost };
      if (!(await working.publication()).dirty) return ended;
      logger.info('publishing what is loaded', { stage: 'publish' });
    }
    ended.errors.push(...(await publishReady(current, input, ended, statuses)));
    if (!signal.aborted) await tidyUp(current, input.options.settings, input.models);
  } catch (thrown) {
    const error = toCrawlhouseError(signal.aborted ? signal.reason : thrown);
    ended.errors.push(nameFullDisk(error, session.settings));
  }
  return ended;
}

/**
 * Publishes what is loaded before the end of a session: by an earlier process, or while units wait. If that fails, the
 * work may repair it, and the end of the session tries again.
 *
 * @returns whether there was anything
 */
async function publishLoaded(session: OpenSession, input: SessionInput, ended: Ended): Promise<boolean> {
  const { working, signal, logger } = session;
  if (!(await working.publication()).dirty) return false;
  logger.info('publishing what is loaded', { stage: 'publish' });
  try {
    await publishReady(session, input, ended, null);
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toCrawlhouseError(thrown);
    if (isDamage(error)) throw error;
    logger.warn('what is loaded is not published yet', { error: error.message });
  }
  return true;
}

/**
 * Builds and tests the models, and publishes if there is anything that the published file lacks.
 *
 * @param statuses of the units in the ledger before the work; null before its end, when the run is not in `ops.runs` yet
 * @returns failures that no unit accounts for: the former publication stays
 */
async function publishReady(
  session: OpenSession,
  { options, models, healed }: SessionInput,
  ended: Ended,
  statuses: ReadonlyMap<string, string> | null,
): Promise<readonly CrawlhouseError[]> {
  const scope = statuses === null ? {} : options;
  const made = await inSpan('transform', {}, () => transform(session, models, ended, scope));
  const { errors, held, ...transformed } = made;
  ended.transformed = transformed;
  ended.held.push(...held);
  ended.units = withHeld(ended.units, ended.held);
  ended.errors.push(...held.map(({ error }) => error));
  for (const { unit, error } of held) session.events?.note('refused', unit.unit, { error });
  if (errors.length === 0 && (statuses === null || (await hasNews(session, ended, statuses))))
    await publishRun(session, statuses === null ? null : runStatus(ended.errors, ended.units), healed);
  return errors;
}

/** Whether the working copy has anything that the published file lacks. */
async function hasNews(
  { working, settings }: OpenSession,
  { units, transformed }: Ended,
  statuses: ReadonlyMap<string, string>,
): Promise<boolean> {
  const changed = units.some((unit) => isChange(unit, statuses.get(unit.unit)));
  const built = transformed.models.some((model) => model.status === 'built');
  const publication = await working.publication();
  const missing = publication.id === null || !existsSync(settings.warehouse);
  return changed || built || publication.dirty || missing;
}

async function publishRun(session: OpenSession, status: RunStatus | null, healed: string[]): Promise<void> {
  const { ledger, working, runId, meter, logger, signal, events } = session;
  const published = events ? await unpublishedLoads(working.connection) : [];
  const stillHeld = (await ledger.units('unpublished')).filter(isHeldBack).map(({ unit }) => unit);
  await keepHolds(working.connection, stillHeld);
  await recordLedger(ledger, working, runId, status);
  meter.step('publish');
  const confirm = (): Promise<void> => ledger.confirm();
  healed.push(...(await inSpan('publish', {}, () => publish(working, logger, signal, confirm))));
  for (const { unit, rows } of published) events?.note('published', unit, { rows });
  const { id } = await working.publication();
  await ledger.publishLoaded(id ?? '');
  await reconcileExports(session, await loadedUnits(working.connection));
  await removePublishedPackages(session);
}

/** Removes what is done with, mirrors what is published, warns of settings without effect, and removes rows that nobody sees. */
async function tidyUp(
  { ledger, working, meter, logger, signal }: OpenSession,
  settings: Settings,
  models: readonly Model[],
): Promise<void> {
  // The next run requests a held unit again.
  const open = (await ledger.units('unpublished')).filter((one) => !isHeldBack(one)).map(({ unit }) => unit);
  await sweepFolders(settings, open);
  await mirrorPublished(settings, working, logger, signal);
  const segmentations = models.flatMap(({ byPages }) => byPages?.segmentations ?? []);
  const issues = await unknownIssueSettings(working.connection, settings.issues, signal);
  const projects = await unknownSegmentProjects(working.connection, segmentations, signal);
  for (const { message, hint } of [...issues, ...projects]) logger.warn(message, { hint });
  meter.step('publish');
  await working.rows.vacuum(signal).catch((error: unknown) => {
    signal.throwIfAborted();
    logger.warn('former rows not removed', { stage: 'publish', error: toCrawlhouseError(error).message });
  });
}

/** Counts the units for the last time, and notes the end of the run in the ledger. */
async function endRun(
  session: OpenSession,
  startedAt: string,
  ended: Ended,
  { reserve, healed }: SessionInput,
): Promise<RunResult> {
  const { working, ledger, logger, meter, runId } = session;
  const { errors, units, transformed, yielded } = ended;
  const counted = await withFinalCounts(working, units).catch((error: unknown) => {
    logger.warn('the final counts can not be read', {
      stage: 'run',
      error: toCrawlhouseError(error).message,
    });
    return units;
  });
  const report: RunReport = {
    run_id: runId,
    status: runStatus(errors, units),
    started_at: startedAt,
    ended_at: new Date().toISOString(),
    units: counted,
    ...transformed,
    ...(healed.length > 0 ? { healed } : {}),
    ...(ended.moved?.length ? { moved: ended.moved } : {}),
  };
  meter.end(runSeconds(report));
  for (const { code, message } of errors)
    logger.info('run met an error', { stage: 'run', code, error: message });
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
    // The report is complete all the same.
    errors.push(nameFullDisk(toCrawlhouseError(thrown), session.settings));
  }
  return { report, exitCode: exitCodeOf(errors), errors, yielded };
}

/** The counts as the warehouse has them now, `queryable` with the publication. */
async function withFinalCounts(working: WorkingCopy, units: readonly UnitReport[]): Promise<UnitReport[]> {
  const names = units.map((unit) => unit.unit);
  const counts = await countsOf(working.connection, names);
  return units.map((unit) => {
    const own = unit.status === 'loaded' || unit.status === 'unchanged' ? counts.get(unit.unit) : undefined;
    return own ? { ...unit, counts: own } : unit;
  });
}
