import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { Pool } from 'undici';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { installScrapy, runScrapy, SCRAPY } from '../support/scrapy.ts';

/**
 * `npm run bench:crawl`: our crawler beside Scrapy, on the same site of generated pages on this machine. The two take turns,
 * and the figures are medians. `--alone` leaves Scrapy out.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '5000' },
    links: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
    alone: { type: 'boolean', default: false },
  },
});
/** Requests that show how fast the server is. */
const SAMPLE = 3_000;
const CONCURRENCY = 16;
const WHAT_EACH_DOES = `crawlhouse: fetches all pages by robots.txt, parses 100 fields, links, text and structured data, keeps its queue on disk,
  writes compressed records, and then runs the thirteen jobs into a DuckDB file.
${SCRAPY}: fetches all pages by robots.txt, parses title, h1, canonical and links with anchors, keeps its queue in memory,
  and writes JSON lines. No jobs.
`;

interface Measured {
  readonly pages: number;
  readonly links: number;
  readonly seconds: number;
  readonly cpu: number;
  readonly rss: number;
}
interface Ours extends Measured {
  /** Until the last page was fetched and parsed. */
  readonly fetchSeconds: number;
  readonly fetchCpu: number;
  readonly fetchRss: number;
}

const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-bench-'));
const site = join(import.meta.dirname, 'link-site.ts');
const server = spawn(process.execPath, [site, values.pages, values.links]);
server.stderr.pipe(process.stderr);
try {
  if (!values.alone) await installScrapy();
  const [port] = await once(server.stdout, 'data');
  await compare(`http://127.0.0.1:${String(port).trim()}`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\nTry: npm run bench:crawl -- --alone\n`);
  process.exitCode = 1;
} finally {
  server.kill();
  await rm(folder, { recursive: true, force: true });
}

async function compare(origin: string): Promise<void> {
  const startUrl = `${origin}/page/0`;
  const [ours, scrapy]: [Ours[], Measured[]] = [[], []];
  process.stdout.write(`The server answers ${await serverRate(origin)} pages/s without a crawler.\n`);
  for (let round = 0; round < Number(values.rounds); round++) {
    ours.push(await crawlOurs(startUrl));
    if (!values.alone) scrapy.push(await runScrapy(startUrl, join(folder, 'scrapy.jsonl')));
  }
  for (const { pages } of [...ours, ...scrapy])
    if (pages !== Number(values.pages)) throw new Error(`a crawl found ${pages} of ${values.pages} pages`);
  const fetched = ours.map((one) => ({
    ...one,
    seconds: one.fetchSeconds,
    cpu: one.fetchCpu,
    rss: one.fetchRss,
  }));
  const rows = [lineOf('crawlhouse', fetched), lineOf('crawlhouse with the jobs', ours)];
  if (scrapy.length > 0) rows.push(lineOf(SCRAPY, scrapy));
  process.stdout.write(textTable(['crawler', 'pages', 'links', 's', 'pages/s', 'CPU s', 'peak MB'], rows));
  if (scrapy.length > 0)
    process.stdout.write(
      `The jobs included, crawlhouse is ${ratio(scrapy, ours, 'seconds')} times as fast; ${SCRAPY} takes ${ratio(scrapy, ours, 'cpu')} times the CPU seconds.\n${WHAT_EACH_DOES}`,
    );
  process.stdout.write(`Load of the machine: ${loadavg()[0]?.toFixed(1)}\n`);
}

async function crawlOurs(startUrl: string): Promise<Ours> {
  const place = await mkdtemp(join(folder, 'round-'));
  const program = join(import.meta.dirname, 'measure-crawl.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    program,
    startUrl,
    place,
  ]);
  await rm(place, { recursive: true });
  return JSON.parse(stdout) as Ours;
}

/** Pages that the server gives in a second to a client that only reads. */
async function serverRate(origin: string): Promise<number> {
  const pool = new Pool(origin, { connections: CONCURRENCY });
  const begun = performance.now();
  let next = 0;
  const read = async (): Promise<void> => {
    while (next < SAMPLE) {
      const path = `/page/${next++ % Number(values.pages)}`;
      await (await pool.request({ path, method: 'GET' })).body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, read));
  const rate = Math.round((SAMPLE / (performance.now() - begun)) * 1000);
  await pool.close();
  return rate;
}

function lineOf(name: string, rounds: readonly Measured[]): (string | number)[] {
  const { pages, links } = rounds[0] ?? { pages: 0, links: 0 };
  const seconds = median(rounds, 'seconds');
  const [cpu, rss] = [median(rounds, 'cpu'), median(rounds, 'rss')];
  return [name, pages, links, round(seconds), Math.round(pages / seconds), round(cpu), rss];
}

function round(seconds: number): number {
  return Number(seconds.toFixed(1));
}

function ratio(those: readonly Measured[], these: readonly Measured[], of: 'seconds' | 'cpu'): string {
  return (median(those, of) / median(these, of)).toFixed(1);
}

function median(rounds: readonly Measured[], of: 'seconds' | 'cpu' | 'rss'): number {
  const sorted = rounds.map((one) => one[of]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
