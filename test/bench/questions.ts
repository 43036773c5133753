import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { ParameterTexts } from '../../src/app/answers/query/parameters.ts';
import { PublishedWarehouse } from '../../src/app/answers/query/query-warehouse.ts';
import { keepHeapSmall } from '../../src/app/cli/keep-heap-small.ts';
import type { StreamedRows } from '../../src/core/duckdb/streamed-rows.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { bindQuestion } from '../../src/etl/project/sql/questions/bind-question.ts';
import { loadQuestions } from '../../src/etl/project/sql/questions/questions.ts';
import { makeWarehouse } from './make-warehouse.ts';
import { cpuSeconds, peakRss, resetPeak } from './resources.ts';

/**
 * `npm run bench:questions`: how long each saved question takes, without parameters, on a published warehouse of so
 * many pages and links. Each has its ratio to a plain scan of `mart.links` by the same process, in processor time.
 */
keepHeapSmall();
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000000' },
    links: { type: 'string', default: '5000000' },
    crawls: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '1' },
    'memory-limit': { type: 'string', default: '400MB' },
    threads: { type: 'string', default: String(availableParallelism()) },
    /** Where the warehouse is, if it is to be kept; one that is there is only asked. */
    warehouse: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const [crawls, pages, links] = [values.crawls, values.pages, values.links].map(Number) as [
  number,
  number,
  number,
];
const threads = Number(values.threads);
const memoryLimit = values['memory-limit'];
const signal = new AbortController().signal;
const folders = [sqlFolder(join(import.meta.dirname, '..', '..', 'sql'))];
const SCAN =
  'SELECT count(DISTINCT anchor), min(origin), max(target), count(target_status) FROM mart.links WHERE follow';

const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-questions-bench-'));
try {
  const published = resolve(values.warehouse ?? join(folder, 'warehouse.duckdb'));
  if (!existsSync(published))
    await makeWarehouse(published, folder, { crawls, pages, links, memoryLimit, threads });
  await report(published);
} finally {
  await rm(folder, { recursive: true, force: true });
}

interface Cost {
  readonly seconds: number;
  /** Seconds of the processors, which others on the machine move little. */
  readonly cpu: number;
  readonly rows: number;
  /** Greatest resident size of the process meanwhile, in MB. */
  readonly peak: number;
}

async function report(path: string): Promise<void> {
  using warehouse = await PublishedWarehouse.open({ warehouse: path, memoryLimit, threads });
  const ask = async (sql: string, parameters: ParameterTexts): Promise<Cost> => {
    resetPeak();
    const [started, cpu] = [performance.now(), cpuSeconds()];
    let rows = 0;
    const count = async (result: StreamedRows): Promise<void> => {
      for await (const chunk of result.chunks()) rows += chunk.rowCount;
    };
    await warehouse.ask(sql, signal, count, parameters);
    const seconds = (performance.now() - started) / 1000;
    return { seconds, cpu: cpuSeconds() - cpu, rows, peak: peakRss() };
  };
  let most = 0;
  const say = (name: string, { seconds, cpu, rows, peak }: Cost, ratio: number): void => {
    most = Math.max(most, peak);
    const figures = [seconds.toFixed(2), cpu.toFixed(2), ratio.toFixed(1), String(rows), String(peak)];
    process.stdout.write(`${name.padEnd(50)}${figures.map((one) => one.padStart(10)).join('')}\n`);
  };
  process.stdout.write(`${'question'.padEnd(50)}   seconds processor     ratio      rows   peak MB\n`);
  const scan = await best(() => ask(SCAN, new Map()));
  say('a scan of mart.links', scan, 1);
  for (const question of await loadQuestions(folders)) {
    if (!question.name.startsWith(values.only)) continue;
    const { sql, parameters } = bindQuestion(question);
    const cost = await best(() => ask(sql, parameters));
    say(question.name, cost, cost.cpu / scan.cpu);
  }
  process.stdout.write(
    `peak RSS of the questions ${most} MB at memory_limit ${memoryLimit}, ${threads} threads\n`,
  );
}

/** The cheapest of some rounds: others on the machine only make it dearer. */
async function best(round: () => Promise<Cost>): Promise<Cost> {
  let least = await round();
  for (let more = 1; more < Number(values.rounds); more++) {
    const next = await round();
    if (next.cpu < least.cpu) least = next;
  }
  return least;
}
