import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { Database } from '../core/duckdb.ts';
import { type CrawlhouseError, toCrawlhouseError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { RunReport, UnitReport } from '../model/report.ts';
import { summarizeRun } from '../model/run-summary.ts';
import { publish } from '../publish/publish.ts';
import { loadModels } from '../transform/load-models.ts';
import type { Model } from '../transform/model.ts';
import { type ModelsReport, runModels } from '../transform/run-models.ts';
import { sqlFolders } from '../transform/sql-folders.ts';
import { countsOf, type LoadedUnit, loadedUnits } from '../warehouse/loads.ts';
import { WorkingCopy } from '../warehouse/working-copy.ts';
import { failedTests } from './failed-tests.ts';
import { reconcileLedger, recordRun } from './ledger-tables.ts';
import { mirrorPublished } from './mirror-published.ts';
import { exitCodeOf, runStatus } from './run-status.ts';
import { settleExports } from './settle-export.ts';
import { takeState } from './take-state.ts';
import { sweepFolders, sweepUnfinished } from './unit-folders.ts';

export interface RunResult {
  readonly report: RunReport;
  readonly exitCode: number;
  readonly errors: readonly CrawlhouseError[];
  /** It made room for somebody else before it was through: nothing was published. */
  readonly madeRoom: boolean;
}

/** What a session's work brings about: the units it touched and the errors on the way. */
export interface Work {
  readonly units: readonly UnitReport[];
  readonly errors: readonly CrawlhouseError[];
  /** Somebody else wants the state before the work is through. */
  readonly madeRoom?: boolean;
}

/** The one writer of a project: lock, ledger, engine, working copy and models, open until the session is left. */
export interface Session {
  readonly settings: Settings;
  readonly runId: string;
  readonly ledger: Ledger;
  readonly database: Database;
  readonly working: WorkingCopy;
  /** What the working copy held when the session began. */
  readonly held: ReadonlyMap<string, LoadedUnit>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export interface SessionOptions {
  readonly command: string;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Told in a few words how far the units are. */
  readonly progress?: (text: string) => void;
  /** Make and test every model, changed or not. */
  readonly full?: boolean;
  /** The models to make, as `selectModels` reads them; all when absent. */
  readonly select?: readonly string[];
}

/**
 * Opens a session, lets `work` change the working copy, then runs models and data tests and publishes when something
 * has changed. What fails is in the result; what was loaded stays.
 *
 * @throws CrawlhouseError of kind usage, before anything was tried
 */
export async function runSession(
  options: SessionOptions,
  work: (session: Session) => Promise<Work>,
): Promise<RunResult> {
  const { settings, signal } = options;
  const models = await loadModels(sqlFolders(settings));
  using _lock = await takeState(settings.state_dir, options.command, options.logger, signal);
  await sweepUnfinished(settings.state_dir, settings.keep_raw);
  using ledger = openLedger(settings.state_dir, options.logger);
  await using database = await Database.open({
    memoryLimit: settings.memory_limit,
    threads: settings.threads,
    tempDirectory: join(settings.state_dir, 'spill'),
  });
  await using working = await WorkingCopy.open(
    database,
    settings.state_dir,
    settings.warehouse,
    options.logger,
  );
  const held = await loadedUnits(working.connection);
  await reconcileLedger(ledger, working, held);
  const runId = randomUUID();
  const startedAt = new Date().toISOString();
  const standing = new Map<string, string>(
    ledger.units('unpublished').map((unit) => [unit.unit, unit.status]),
  );
  ledger.startRun(runId, options.command, startedAt);
  const logger = options.logger.with({ run: runId.slice(0, 8) });
  logger.info('run starts', { stage: 'run', command: options.command });
  const progress = options.progress ?? (() => {});
  const session: Session = { settings, runId, ledger, database, working, held, logger, signal, progress };

  const errors: CrawlhouseError[] = [];
  let units: readonly UnitReport[] = [];
  let transformed: ModelsReport = { models: [], tests: [] };
  let madeRoom = false;
  try {
    const done = await work(session);
    units = done.units;
    errors.push(...done.errors);
    signal.throwIfAborted();
    madeRoom = done.madeRoom ?? false;
    // Who comes next makes the models and publishes, for both.
    if (!madeRoom) {
      transformed = await transform(session, models, units, options);
      errors.push(...failedTests(transformed.tests));
      const changed = units.some((unit) => isNews(unit, standing.get(unit.unit)));
      const built = transformed.models.some((model) => model.status === 'built');
      const publication = await working.publication();
      const blocked = errors.some((error) => error.code === 'test_failed');
      const missing = publication.id === null || !existsSync(settings.warehouse);
      if (!blocked && (changed || built || publication.dirty || missing)) {
        await recordRun(ledger, working, { runId, status: runStatus(errors) });
        await publish(working, logger, signal);
        const { id } = await working.publication();
        ledger.publishLoaded(id ?? '');
        await settleExports(session, await loadedUnits(working.connection));
      }
      const open = ledger.units('unpublished');
      await sweepFolders(
        settings,
        open.map(({ unit }) => unit),
      );
      await mirrorPublished(settings, working, logger, signal);
    }
  } catch (thrown) {
    errors.push(toCrawlhouseError(signal.aborted ? signal.reason : thrown));
  }
  const report: RunReport = {
    run_id: runId,
    status: runStatus(errors),
    started_at: startedAt,
    ended_at: new Date().toISOString(),
    // Where the working copy can't be read any more, what was counted on the way.
    units: await withFinalCounts(working, units).catch(() => units),
    ...transformed,
  };
  for (const { code, message } of errors)
    logger.info('run met an error', { stage: 'run', code, error: message });
  logger.info('run ended', { stage: 'run', status: report.status, units: units.length });
  try {
    const summary = summarizeRun(report.units, errors);
    ledger.endRun(runId, madeRoom ? 'made room' : report.status, report.ended_at, summary);
  } catch (thrown) {
    // A full disk: what was done is told all the same.
    errors.push(toCrawlhouseError(thrown));
  }
  return { report, exitCode: exitCodeOf(errors), errors, madeRoom };
}

function transform(
  { working, logger, runId, signal }: Session,
  models: readonly Model[],
  units: readonly UnitReport[],
  { full, select }: SessionOptions,
): Promise<ModelsReport> {
  const loaded = units.filter((unit) => unit.status === 'loaded').map((unit) => `raw.${unit.dataset}`);
  return runModels({
    connection: working.connection,
    models,
    changed: full ? 'all' : new Set(loaded),
    ...(select ? { only: select } : {}),
    onChange: () => working.markDirty(),
    logger,
    runId,
    signal,
  });
}

/** Would a reader of `ops` see something new of this unit? */
function isNews(unit: UnitReport, before: string | undefined): boolean {
  if (unit.status === 'loaded') return true;
  return unit.status !== 'unchanged' && unit.status !== before;
}

/** The counts as the warehouse has them now, `queryable` with the publication. */
async function withFinalCounts(working: WorkingCopy, units: readonly UnitReport[]): Promise<UnitReport[]> {
  const counts = await countsOf(
    working.connection,
    units.map((unit) => unit.unit),
  );
  return units.map((unit) => {
    const held = unit.status === 'loaded' || unit.status === 'unchanged' ? counts.get(unit.unit) : undefined;
    return held ? { ...unit, counts: held } : unit;
  });
}
