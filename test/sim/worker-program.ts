import { makeFolder } from '../../src/core/files/make-folder.ts';
import { host } from '../../src/core/host/host.ts';
import type { Logger } from '../../src/core/logs/logger.ts';
import { PackageStore } from '../../src/etl/pipeline/workers/package-store.ts';
import { Worker } from '../../src/etl/pipeline/workers/run-worker.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { openUnitQueue } from '../../src/etl/state/ledger/open-unit-queue.ts';
import { simStage } from './sim-stage.ts';
import { simClient } from './site.ts';

/** The order of `runWorker`, without DuckDB. It ends once no run is under way. */
export async function workerProgram(settings: Settings, logger: Logger, signal: AbortSignal): Promise<void> {
  const { packages: place } = settings;
  if (place === undefined) return;
  await using client = simClient(logger);
  const folder = `${settings.state_dir}/workers/${host().pid}`;
  makeFolder(folder);
  await using queue = await openUnitQueue(settings, 'worker', signal);
  if (queue === undefined) return;
  await using packages = await PackageStore.open(settings, place, await queue.id());
  const worker = new Worker({
    settings: { ...settings, state_dir: folder },
    client,
    queue,
    packages,
    logger,
    loads: null,
    options: { once: true, concurrency: 1 },
    stage: simStage,
    engine: {} as never,
    staging: {} as never,
  });
  await worker.work(signal);
}
