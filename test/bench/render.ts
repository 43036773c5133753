import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { findBrowser } from '../../src/site/crawler/render/find-browser.ts';
import { installPackages } from '../support/node-packages.ts';

/**
 * `npm run bench:render`: our crawler with rendering beside Crawlee's PlaywrightCrawler, in the same Chromium, on a site of
 * pages with one script bundle. They take turns as whole processes, and the figures are medians of all their processes.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
    alone: { type: 'boolean', default: false },
  },
});
const CRAWLEE = 'Crawlee 3.18.1';
const PACKAGES = ['@crawlee/playwright@3.18.1', 'playwright@1.65.1'];
const LIMIT_SECONDS = '1800';
const BESIDE = import.meta.dirname;
const WHAT_EACH_DOES = `crawlhouse: fetches by robots.txt, renders, parses the HTML before and after, and runs the jobs into a DuckDB file.
${CRAWLEE}: renders, reads title, h1, canonical, text and links in the page. No robots.txt, no files, no jobs.
`;

interface Measured {
  readonly seconds: number;
  /** Of all its processes together, those of the browser included. */
  readonly cpu: number;
  /** The same, in MB. */
  readonly rss: number;
  readonly pages: number;
  readonly links: number;
  /** Pages with the text that a timer of a second shows. */
  readonly shown: number;
}

const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-render-'));
const server = spawn(process.execPath, [join(BESIDE, 'app-site.ts'), values.pages]);
server.stderr.pipe(process.stderr);
try {
  const { path } = await findBrowser();
  const crawlee = values.alone ? null : await installPackages('crawlee', PACKAGES);
  const [port] = await once(server.stdout, 'data');
  await compare(`http://127.0.0.1:${String(port).trim()}/page/0`, path, crawlee);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\nTry: npm run bench:render -- --alone\n`);
  process.exitCode = 1;
} finally {
  server.kill();
  await rm(folder, { recursive: true, force: true });
}

async function compare(startUrl: string, browser: string, crawlee: string | null): Promise<void> {
  const [ours, theirs]: [Measured[], Measured[]] = [[], []];
  for (let round = 0; round < Number(values.rounds); round++) {
    const place = await mkdtemp(join(folder, 'round-'));
    ours.push(await measure('measure-crawl.ts', [startUrl, place, '--render']));
    if (crawlee !== null) theirs.push(await measure('peers/crawlee.ts', [crawlee, browser, startUrl]));
  }
  for (const { pages } of [...ours, ...theirs])
    if (pages !== Number(values.pages)) throw new Error(`a crawl has ${pages} of ${values.pages} pages`);
  const rows = [lineOf('crawlhouse', ours), ...(crawlee === null ? [] : [lineOf(CRAWLEE, theirs)])];
  const head = ['crawler', 'pages', 'with late text', 'links', 's', 'pages/s', 'CPU s', 'peak MB'];
  process.stdout.write(textTable(head, rows));
  if (crawlee !== null)
    process.stdout.write(
      `crawlhouse is ${ratio(theirs, ours, 'seconds')} times as fast; ${CRAWLEE} takes ${ratio(theirs, ours, 'cpu')} times the CPU seconds and ${ratio(theirs, ours, 'rss')} times the memory.\n${WHAT_EACH_DOES}`,
    );
  process.stdout.write(`Load of the machine: ${loadavg()[0]?.toFixed(1)}\n`);
}

async function measure(program: string, given: readonly string[]): Promise<Measured> {
  const { stdout } = await promisify(execFile)(
    'python3',
    [
      join(BESIDE, 'peers/measure.py'),
      LIMIT_SECONDS,
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      join(BESIDE, program),
      ...given,
    ],
    { env: { ...process.env, SAMPLE_SECONDS: '0.5' }, maxBuffer: 64 * 1024 * 1024 },
  );
  const { output, status, ...took } = JSON.parse(stdout) as Measured & { output: string; status: number };
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${output}`);
  const { pages, links, shown } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Measured;
  return { ...took, pages, links, shown };
}

function lineOf(name: string, rounds: readonly Measured[]): (string | number)[] {
  const [{ pages, links, shown } = { pages: 0, links: 0, shown: 0 }] = rounds;
  const [seconds, cpu, rss] = [median(rounds, 'seconds'), median(rounds, 'cpu'), median(rounds, 'rss')];
  const rate = Number((pages / seconds).toFixed(1));
  return [name, pages, shown, links, Number(seconds.toFixed(1)), rate, Number(cpu.toFixed(1)), rss];
}

function ratio(
  those: readonly Measured[],
  these: readonly Measured[],
  of: 'seconds' | 'cpu' | 'rss',
): string {
  return (median(those, of) / median(these, of)).toFixed(1);
}

function median(rounds: readonly Measured[], of: 'seconds' | 'cpu' | 'rss'): number {
  const sorted = rounds.map((one) => one[of]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
