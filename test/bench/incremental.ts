import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { keepHeapSmall } from '../../src/app/cli/keep-heap-small.ts';
import { type Connection, Database, text } from '../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { WorkingCopy } from '../../src/etl/engines/working-copy.ts';
import { publish } from '../../src/etl/pipeline/publish/publish.ts';
import { loadModels } from '../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { IN_DUCKDB } from '../support/in-duckdb.ts';
import { runModels } from '../support/run-models.ts';
import { cpuSeconds, peakRss } from './resources.ts';

/**
 * `npm run bench:incremental`: what one crawl more costs, of pages and links, in a warehouse that holds many beside one
 * that is empty: its rows from Parquet into `raw`, the models and their tests, and the publishing copy by itself.
 */
keepHeapSmall();
const { values } = parseArgs({
  options: {
    crawls: { type: 'string', default: '10' },
    pages: { type: 'string', default: '20000' },
    links: { type: 'string', default: '80000' },
    'memory-limit': { type: 'string', default: '400MB' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
});
const [crawls, pages, links] = [values.crawls, values.pages, values.links].map(Number) as [
  number,
  number,
  number,
];
const signal = new AbortController().signal;
const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-incremental-'));
const database = await Database.open({
  memoryLimit: values['memory-limit'],
  threads: Number(values.threads),
  tempDirectory: join(folder, 'spill'),
});
const models = await loadModels([sqlFolder(join(import.meta.dirname, '..', '..', 'sql'))]);

interface Cost {
  readonly load: number;
  readonly models: number;
  readonly publish: number;
  /** Processor time of load and models, which others on the machine move little. */
  readonly cpu: number;
}

try {
  await mkdir(join(folder, 'state'));
  const working = await WorkingCopy.open(
    database,
    { stateDir: join(folder, 'state'), warehouse: join(folder, 'warehouse.duckdb'), engine: IN_DUCKDB },
    silentLogger,
  );
  const { connection } = working;
  await connection.run(
    'CREATE TABLE raw.crawls (id VARCHAR, project_id VARCHAR, status VARCHAR, ended_at BIGINT)',
  );
  // Models that are made for the first time take longer than those that stand: the empty warehouse has them.
  await make(connection);
  const costs: Cost[] = [];
  const rows: (string | number)[][] = [];
  for (let crawl = 0; crawl < crawls; crawl++) {
    const cost = await addCrawl(working, crawl);
    costs.push(cost);
    rows.push([
      crawl + 1,
      round(cost.load),
      round(cost.models),
      round(cost.load + cost.models),
      round(cost.cpu),
      round(cost.publish),
    ]);
  }
  process.stdout.write(textTable(['crawl', 'load s', 'models s', 'both s', 'cpu s', 'publish s'], rows));
  // The first crawl has none before it to be compared with: the second and third are the cost in a near empty one.
  const ratio = (of: (cost: Cost) => number): string => {
    const [early, late] = [median(costs.slice(1, 4).map(of)), median(costs.slice(-3).map(of))];
    return `${round(late)} s beside ${round(early)} s, ${round(late / early)} times as much`;
  };
  process.stdout.write(
    [
      `\nOne crawl of ${pages} pages and ${links} links more, with ${crawls - 1} before it beside 1 to 3:`,
      `\n  time ${ratio((cost) => cost.load + cost.models)}; processor ${ratio((cost) => cost.cpu)}`,
      `\n  peak RSS ${peakRss()} MB at memory_limit ${values['memory-limit']}\n`,
    ].join(''),
  );
} finally {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}

async function addCrawl(working: WorkingCopy, crawl: number): Promise<Cost> {
  const { connection } = working;
  const id = `${(0x65b10000 + crawl).toString(16)}bench`;
  const staged = { pages: join(folder, 'pages.parquet'), links: join(folder, 'links.parquet') };
  await connection.run(`COPY (${pagesSql(id, crawl)}) TO ${text(staged.pages)} (FORMAT parquet)`);
  await connection.run(`COPY (${linksSql(id)}) TO ${text(staged.links)} (FORMAT parquet)`);
  const before = cpuSeconds();
  const load = await timed(async () => {
    for (const [kind, path] of Object.entries(staged)) {
      const from = `read_parquet(${text(path)})`;
      await connection.run(`CREATE TABLE IF NOT EXISTS raw.crawl_${kind} AS FROM ${from} LIMIT 0`);
      await connection.transaction(async () => {
        const loaded = await connection.run(`INSERT INTO raw.crawl_${kind} FROM ${from}`);
        await connection.run(
          `INSERT INTO ops.loads BY NAME SELECT $1 AS unit, $2 AS dataset, 'crawl' AS source_kind, $3 AS source_id,
             'p' AS project_id, 'bench' AS run_id, now() AS loaded_at, $4 AS loaded`,
          [`crawl_${kind}/${id}`, `crawl_${kind}`, id, loaded],
        );
      });
    }
    await connection.run(
      `INSERT INTO ops.unit_fields BY NAME SELECT $1 AS unit, unnest(['url', 'status_code', 'title', 'h1', 'rel_canonical']) AS field`,
      [`crawl_pages/${id}`],
    );
    await connection.run("INSERT INTO raw.crawls VALUES ($1, 'p', 'done', $2)", [
      id,
      BigInt(crawl) * 86_400_000n,
    ]);
  });
  const made = await timed(() => make(connection));
  const cpu = cpuSeconds() - before;
  const published = await timed(() => publish(working, silentLogger, signal));
  return { load, models: made, publish: published, cpu };
}

async function make(connection: Connection): Promise<void> {
  await runModels({ connection, models, changed: new Set(), runId: 'bench', logger: silentLogger });
}

/** Every tenth page changes its title from one crawl to the next, every fiftieth comes and goes. */
function pagesSql(id: string, crawl: number): string {
  return `SELECT 'crawl_pages/${id}' AS _unit, '${id}' AS _crawl_id, 'p' AS _project_id,
      'https://www.example.com/section-' || (i % 97) || '/page-' || i AS url,
      CASE WHEN i % 20 = 0 THEN 404 ELSE 200 END::BIGINT AS status_code,
      CASE WHEN i % 10 = 0 THEN 'Title ${crawl} ' ELSE 'Title ' END || i AS title,
      'Heading ' || i AS h1, NULL::VARCHAR AS rel_canonical, (i % 7)::BIGINT AS depth,
      hash(i, ${crawl}) % 1000 / 100.0 AS inrank_decimal, (hash(i) % 5000)::BIGINT AS load_time,
      (hash(i, 1) % 900)::BIGINT AS word_count, (hash(i, 2) % 100)::BIGINT AS nb_inlinks
    FROM range(${pages}) AS t(i) WHERE i % 50 <> ${crawl} % 50`;
}

function linksSql(id: string): string {
  const url = (random: string): string =>
    `'https://www.example.com/section-' || (${random} % 97) || '/page-' || (${random})`;
  return `SELECT 'crawl_links/${id}' AS _unit, '${id}' AS _crawl_id, 'p' AS _project_id,
      ${url(`hash(i) % ${pages}`)} AS origin, ${url(`hash(i, 1) % ${pages}`)} AS target,
      'anchor ' || hash(i) % 500 AS anchor, hash(i) % 9 > 0 AS follow, true AS intern,
      CASE WHEN hash(i, 1) % ${pages} % 20 = 0 THEN 404 ELSE 200 END::BIGINT AS target_status
    FROM range(${links}) AS t(i)`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}
