import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Database } from '../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { WorkingCopy } from '../../src/etl/engines/working-copy.ts';
import { publish } from '../../src/etl/pipeline/publish/publish.ts';
import { loadModels } from '../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { IN_DUCKDB } from '../support/in-duckdb.ts';
import { runModels } from '../support/run-models.ts';
import { fillWarehouse } from '../support/synthetic-warehouse.ts';
import { peakRss, resetPeak } from './resources.ts';

/** How much there is in it, and what making it may take. */
interface Size {
  readonly crawls: number;
  readonly pages: number;
  readonly links: number;
  readonly memoryLimit: string;
  readonly threads: number;
}

/** Makes a published warehouse of one project with all models, and prints how long they took, with the peaks of memory. */
export async function makeWarehouse(published: string, folder: string, size: Size): Promise<void> {
  const { crawls, pages, links, memoryLimit, threads } = size;
  await mkdir(join(folder, 'state'), { recursive: true });
  await using database = await Database.open({ memoryLimit, threads, tempDirectory: join(folder, 'spill') });
  await using working = await WorkingCopy.open(
    database,
    { stateDir: join(folder, 'state'), warehouse: published, engine: IN_DUCKDB },
    silentLogger,
  );
  const { connection } = working;
  await fillWarehouse(connection, {
    projects: 1,
    crawls,
    pages,
    links,
    days: 60,
    hits: pages,
    rankings: pages,
  });
  const filled = peakRss();
  resetPeak();
  const started = performance.now();
  const models = await loadModels([sqlFolder(join(import.meta.dirname, '..', '..', 'sql'))]);
  const made = await runModels({ connection, models, changed: 'all', runId: 'bench', logger: silentLogger });
  const slowest = made.models
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 5)
    .map(({ name, seconds }) => `${name} ${seconds.toFixed(1)}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`models and tests: ${seconds} s; slowest: ${slowest.join(', ')}\n`);
  const built = peakRss();
  resetPeak();
  await working.markDirty();
  await publish(working, silentLogger, new AbortController().signal);
  const peaks = `rows made up ${filled} MB, models ${built} MB, publication ${peakRss()} MB`;
  process.stdout.write(`peak RSS at memory_limit ${memoryLimit}, ${threads} threads: ${peaks}\n`);
}
