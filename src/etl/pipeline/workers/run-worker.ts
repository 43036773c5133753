import { join } from 'node:path';
import type { ServiceClient } from '../../../client/http/service-client.ts';
import { ConversionPlaces } from '../../../core/duckdb/conversion-places.ts';
import { type ConnectionPool, Database } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import { tryLockState } from '../../../core/locks/state-lock.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { runStep } from '../../../core/logs/telemetry.ts';
import type { PreparedLoad } from '../../project/model/prepared-load.ts';
import { reportedError } from '../../project/model/runs/unit-report.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { openUnitQueue } from '../../state/ledger/open-unit-queue.ts';
import type { ClaimProgress, UnitClaim, UnitQueue } from '../../state/ledger/unit-queue.ts';
import { connect } from '../discover/connect.ts';
import { RankingWindows } from '../routes/aggregates/ranking-windows.ts';
import { FieldSchemaCache } from '../routes/field-schema-cache.ts';
import { stagingConnections } from '../stage/macros.ts';
import { removeFolders, unitFolders } from '../stage/unit-folders.ts';
import type { StagingContext, UnitSteps } from '../unit/contexts.ts';
import type { WorkerOptions, WorkerReport } from '../unit/shared-units.ts';
import { stageUnit } from '../unit/stage-unit.ts';
import { LoadWriter } from './load-writer.ts';
import { PackageStore } from './package-store.ts';
import { readTask } from './unit-task.ts';

const LOOK_MS = 500;

export async function runWorker(
  settings: Settings,
  options: WorkerOptions,
  logger: Logger,
  signal: AbortSignal,
): Promise<WorkerReport> {
  const { packages: place, memory_limit: memoryLimit, threads } = settings;
  if (settings.ledger === undefined)
    throw missing(
      'ledger',
      'postgres://USER:PASSWORD@HOST/DATABASE?project=NAME, as in the settings of the runs',
    );
  if (place === undefined)
    throw missing('packages.store', 'store_a or store_b, as in the settings of the runs');
  await using client = connect(settings, logger);
  await using folder = await workerFolder(settings.state_dir);
  await using queue = await openUnitQueue(settings, 'worker', signal);
  if (queue === undefined) throw new Error('workers need a shared ledger');
  await using packages = await PackageStore.open(settings, place, await queue.id());
  await using database = await Database.open({
    memoryLimit,
    threads,
    tempDirectory: join(folder.path, 'spill'),
  });
  await using loads = await LoadWriter.open(settings.engine, database, folder.path);
  const worker = new Worker({
    // Its own folders, because several workers and a run may use one project folder.
    settings: { ...settings, state_dir: folder.path },
    client,
    queue,
    packages,
    loads,
    logger,
    options,
    engine: await ConversionPlaces.start(database, threads, memoryLimit),
    staging: stagingConnections(() => database.connect()),
    stage: stageUnit,
  });
  logger.info('worker starts', { concurrency: options.concurrency });
  return await worker.work(signal);
}

function missing(key: string, hint: string): CrawlhouseError {
  return new CrawlhouseError('bad_settings', `a worker needs the setting ${key}`, {
    hint: `set ${key}: ${hint}`,
  });
}

/** Returns a folder that no other worker uses, without the remains of a former one. */
async function workerFolder(stateDir: string): Promise<AsyncDisposable & { readonly path: string }> {
  for (let number = 1; ; number++) {
    const path = join(stateDir, 'workers', String(number));
    const lock = tryLockState(path, 'crawlhouse worker', false);
    if ('holder' in lock) continue;
    const empty = async (): Promise<void> => {
      for (const name of ['packages', 'raw', 'spill', 'engine'])
        await host().files.rm(join(path, name), { recursive: true, force: true });
    };
    await empty();
    return {
      path,
      async [Symbol.asyncDispose]() {
        await empty();
        lock[Symbol.dispose]();
      },
    };
  }
}

interface Dependencies {
  readonly settings: Settings;
  readonly client: ServiceClient;
  readonly queue: UnitQueue;
  readonly packages: PackageStore;
  /** Null if only the run writes to the warehouse. */
  readonly loads: LoadWriter | null;
  readonly engine: ConversionPlaces;
  readonly staging: ConnectionPool;
  readonly logger: Logger;
  readonly options: WorkerOptions;
  readonly stage: UnitSteps['stage'];
}

/** Stages the units that it claims, several concurrently. */
export class Worker {
  readonly #dependencies: Dependencies;
  readonly #ended = new AbortController();
  #schemas: { readonly runId: string; readonly cache: FieldSchemaCache } | undefined;
  #otherVersion: string | null = null;
  #report = { staged: 0, failed: 0, left: 0 };

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async work(stopped: AbortSignal): Promise<WorkerReport> {
    const signal = AbortSignal.any([stopped, this.#ended.signal]);
    const loops = Array.from({ length: this.#dependencies.options.concurrency }, () => this.#loop(signal));
    // A failing loop stops the others.
    for (const loop of loops) loop.catch((error: unknown) => this.#ended.abort(error));
    await Promise.allSettled(loops);
    this.#ended.signal.throwIfAborted();
    return this.#report;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { queue, settings, options, logger } = this.#dependencies;
    const limits = { project: settings.concurrency_per_project, store: settings.concurrency_per_store };
    while (!signal.aborted) {
      try {
        await using claim = await queue.claim(limits);
        if (claim !== null) {
          await this.#stage(claim, signal);
          continue;
        }
        this.#warnOfVersion(queue.otherVersion);
        if (options.once && (await queue.isIdle())) return;
      } catch (thrown) {
        const error = toCrawlhouseError(thrown);
        if (signal.aborted) return;
        if (error.code !== 'ledger_unavailable') throw error;
        logger.warn('the ledger does not answer, trying again', { error: error.message });
      }
      const { sleep } = host();
      // An end ends the wait; the loop checks the signal.
      await sleep(LOOK_MS, signal).catch(() => {});
    }
  }

  /** Warns once of units of another version, which only workers of that version stage. */
  #warnOfVersion(version: string | null): void {
    if (version === null || version === this.#otherVersion) return;
    this.#otherVersion = version;
    this.#dependencies.logger.warn('units of another version of crawlhouse wait', { version });
  }

  async #stage(claim: UnitClaim, stopped: AbortSignal): Promise<void> {
    const { packages, loads, engine, logger, stage } = this.#dependencies;
    const { schema_change: schemaChange } = this.#dependencies.settings;
    const { unit, lost, runId } = claim;
    const { task, options, ...given } = readTask(claim.work);
    const { signal, attempts, ...context } = this.#contextOf(claim, given, stopped);
    logger.info('unit claimed', { unit, stage: 'stage' });
    let shutOut = false;
    try {
      await runStep('unit', { attributes: { unit }, signal, isIsolated: true }, async (_attempt, own) => {
        const staged = await stage({ ...context, signal: own }, task, options, { onMove: attempts.note });
        const { manifest } = staged;
        try {
          const tables = (): Promise<string | null> => packages.tables(runId, own);
          const { pipeline } = task;
          let prepared: PreparedLoad | null | undefined;
          if (loads) {
            await using _alone = await engine.alone();
            prepared = await loads.write({ runId, pipeline, schemaChange, staged, tables }, own);
          }
          await packages.put(claim.token, staged, own, prepared).catch((thrown: unknown) => {
            // No package of this worker can arrive there.
            if (toCrawlhouseError(thrown).kind === 'forbidden') shutOut = true;
            throw thrown;
          });
        } finally {
          await removeFolders(unitFolders(context.settings.state_dir, unit));
        }
        await claim.finish();
        logger.info('unit staged', {
          unit,
          stage: 'stage',
          rows: manifest.counts.staged,
          bytes: manifest.bytes,
        });
      });
      this.#report.staged++;
    } catch (thrown) {
      const error = toCrawlhouseError(signal.aborted ? signal.reason : thrown);
      if (lost.aborted || error.code === 'lease_lost') {
        logger.warn('unit taken over by another process', { unit, stage: 'stage' });
        this.#report.left++;
      } else if (stopped.aborted) {
        logger.info('unit given back', { unit, stage: 'stage' });
        this.#report.left++;
      } else if (shutOut || error.kind === 'access') {
        this.#report.left++;
        throw error;
      } else {
        await claim.fail(reportedError(error), attempts.last);
        logger.warn('unit failed', { unit, stage: 'stage', error: error.message });
        this.#report.failed++;
      }
    }
  }

  #contextOf(claim: UnitClaim, given: Pick<StagingContext, 'inventory' | 'reload'>, stopped: AbortSignal) {
    const { settings, client, engine, staging, logger } = this.#dependencies;
    const { runId } = claim;
    const signal = AbortSignal.any([stopped, claim.lost]);
    if (this.#schemas?.runId !== runId)
      this.#schemas = { runId, cache: new FieldSchemaCache(client, stopped) };
    let progress: ClaimProgress = { reported: null, columns: 0, received: 0, phase: 'download' };
    const tell = (more: Partial<ClaimProgress>): void => {
      progress = { ...progress, ...more };
      claim.report(progress);
    };
    const attempts = {
      last: 0,
      note: async (_state: string, attempt: number): Promise<void> => {
        attempts.last = attempt;
      },
    };
    const context: StagingContext = {
      ...given,
      settings,
      client,
      engine,
      staging,
      logger,
      runId,
      signal,
      ledger: claim.exports,
      fieldSchemas: this.#schemas.cache,
      progress: () => {},
      // Its days are not shared.
      rankings: new RankingWindows(client, []),
      slot: { move: (store) => claim.move(store, signal) },
      meter: {
        opened: (_unit, reported, columns) => tell({ reported, columns, received: 0, phase: 'download' }),
        received: (_unit, received) => tell({ received }),
        unitPhase: (_unit, phase) => tell({ phase: phase === 'load' ? 'stage' : phase }),
      },
    };
    return { ...context, attempts };
  }
}
