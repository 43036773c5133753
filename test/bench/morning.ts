import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs, promisify } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { Database, text } from '../../src/core/duckdb/duckdb.ts';
import { FILE_OPTIONS } from '../../src/etl/state/catalog/schema.ts';
import { type Sandbox, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { putManyCrawls } from '../support/many-crawls.ts';

/**
 * `npm run bench:morning`: what `crawlhouse run` costs when nothing is new, with few crawls known and with very many,
 * a crawl a day and as many comparisons. Nothing of them is transferred: the warehouse is told that it holds them all.
 */
const { values } = parseArgs({
  options: { crawls: { type: 'string', default: '100,10000' }, rounds: { type: 'string', default: '5' } },
});
const ROOT = join(import.meta.dirname, '..', '..');
/** What a person starts: the built program (`npm run build`). */
const PROGRAM = join(ROOT, 'dist', 'app', 'cli', 'main.js');
const LISTS = {
  crawls: ['crawl_pages', 'crawl_links', 'crawl_clusters', 'crawl_structured_data', 'fields'],
  crawl_over_crawls: ['crawl_over_crawl_pages'],
};

const rows: (string | number)[][] = [];
for (const count of values.crawls.split(',').map(Number)) rows.push(await measure(count));
process.stdout.write(textTable(['crawls known', 'first s', 'morning s', 'requests'], rows));

async function measure(count: number): Promise<(string | number)[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-morning-'));
  try {
    putManyCrawls(join(folder, 'sandbox'), count, Date.now());
    await using sandbox = await startSandbox({ stateDir: join(folder, 'sandbox') });
    const project = join(folder, 'project');
    for (const name of ['pipelines', 'schedules.yaml'])
      await cp(join(ROOT, name), join(project, name), { recursive: true });
    const run = (since?: string) => morning(project, sandbox, since);
    await run('2100-01-01');
    for (const file of ['warehouse.duckdb', join('.crawlhouse', 'work.duckdb')])
      await pretendLoads(join(project, file), join(folder, 'spill'));
    // The first one after such a change makes the models again.
    const first = await run();
    const before = await requests(sandbox);
    const mornings: number[] = [];
    for (let round = 0; round < Number(values.rounds); round++) mornings.push(await run());
    const asked = ((await requests(sandbox)) - before) / mornings.length;
    return [count, round(first), round(median(mornings)), asked];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Enters every crawl and comparison that the service listed as loaded, without a row. */
async function pretendLoads(file: string, tempDirectory: string): Promise<void> {
  await using database = await Database.open({
    memoryLimit: '1GB',
    threads: availableParallelism(),
    tempDirectory,
  });
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(file)} AS w (${FILE_OPTIONS})`);
  for (const [list, datasets] of Object.entries(LISTS)) {
    for (const dataset of datasets) {
      await connection.run(
        `INSERT INTO w.ops.loads BY NAME
         SELECT $1 || '/' || id AS unit, $1 AS dataset, rtrim($2, 's') AS source_kind, id AS source_id, project_id,
           0 AS reported, 0 AS received, 0 AS staged, 0 AS rejected, 0 AS loaded, 0 AS queryable, 'stream' AS route,
           'json' AS format, 0 AS bytes, 0 AS seconds, 1 AS attempts, '' AS content_sha256, 'bench' AS run_id,
           now() AS loaded_at, ended_at AS source_ended_at
         FROM w.ops.listed WHERE list = $2`,
        [dataset, list],
      );
      await connection.run(
        `CREATE TABLE w.raw.${dataset} (_unit VARCHAR, _source_id VARCHAR, _crawl_id VARCHAR, _project_id VARCHAR,
           _run_id VARCHAR, _loaded_at TIMESTAMPTZ)`,
      );
    }
  }
  await connection.run('DETACH w');
}

/** Runs the program as a person or cron does; seconds. */
async function morning(cwd: string, sandbox: Sandbox, since = 'all'): Promise<number> {
  const startedAt = performance.now();
  await promisify(execFile)(process.execPath, [PROGRAM, 'run', '--quiet'], {
    cwd,
    env: {
      PATH: process.env.PATH,
      CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
      CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
      CRAWLHOUSE_SINCE: since,
    },
  });
  return (performance.now() - startedAt) / 1000;
}

/** How many requests the service has answered so far. */
async function requests({ baseUrl }: Sandbox): Promise<number> {
  const log = (await (await fetch(`${baseUrl}/_sandbox/requests`)).json()) as { path: string }[];
  return log.filter(({ path }) => path.includes('/api/v2')).length;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}
