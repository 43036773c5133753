import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlhouseError } from '../src/core/errors/errors.ts';
import { findBrowser } from '../src/site/crawler/render/find-browser.ts';
import { accessLog } from './demo-site/access-log.ts';
import { demandExport } from './demo-site/demand-export.ts';
import { readFaults } from './demo-site/faults.ts';
import { type DemoSite, serveDemoSite } from './demo-site/serve-site.ts';

/**
 * The main job, for real: a sandbox with three synthetic crawls (and, where they are, real ones), a run over HTTP, the
 * answers of four questions. A website with planted faults is crawled twice; between the crawls, its access log and
 * search results are added. With `--render` it is crawled in Chromium too. Leaves the warehouses in `.demo/` and
 * `.demo/site/`.
 */
const root = join(import.meta.dirname, '..');
const rendered = process.argv.includes('--render');
const folder = join(root, '.demo');
const siteFolder = join(folder, 'site');
const program = join(root, 'dist', 'app', 'cli', 'main.js');
const real = ['gov-sites-2025-01-09', 'gov-sites-2025-01-16', 'typo3-site']
  .map((name) => join(root, '..', 'shared', 'data', name))
  .filter((path) => existsSync(path));

const QUESTIONS = [
  'q05_status_codes_by_crawl -p limit=4',
  'q06_page_changes_by_crawl',
  'q08_404s_with_most_internal_links',
  'q16_bot_hits_by_segment_depth_and_inrank',
];
/** Of the website, as soon as it is crawled. */
const CRAWL_QUESTIONS = ['q32_what_to_do_first -p limit=5'];
/** Of the website, once the warehouse has its logs and search results. */
const TRAFFIC_QUESTIONS = ['q32_what_to_do_first -p limit=5', 'q17_wasted_crawl_budget'];
/** Of the website, once it has changed. */
const SITE_QUESTIONS = ['q09_redirect_chains_and_loops', 'q12_sitemap_against_crawl'];
const ROWS = 8;
const RENDERING =
  "SELECT issue, url, why FROM mart.page_issues JOIN mart.issues USING (issue) WHERE category = 'rendering'";
/** Commands that say nothing but how to go on. */
const SILENT = ['query', 'init'];
/** Commands that print first, and then say how it went. */
const SHOWN = ['logs', 'demand'];
/** Takes what is to be shown, in its order. */
type Out = (text: string) => void;
/** One project with every data type of the service. */
const SPEC =
  'projects=1,crawls=3,pages=3000,links=30000,columns=90,clusters=100,structured_data=1000,comparisons=2,log_days=4,events=20000,ranking_days=4,seed=1';

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const name of ['pipelines', 'sql', 'schedules.yaml'])
  await cp(join(root, name), join(folder, name), { recursive: true });

const readyFile = join(folder, 'sandbox.json');
const sandbox = spawn(
  process.execPath,
  [
    program,
    'sandbox',
    'start',
    '--quiet',
    '--ready-file',
    readyFile,
    '--generate',
    SPEC,
    ...real.flatMap((path) => ['--import', path]),
  ],
  { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder },
);
process.once('exit', () => sandbox.kill());
const { CRAWLHOUSE_BASE_URL, CRAWLHOUSE_ACCESS_TOKEN, ...environment } = process.env;
let account: Record<string, string> = {};

await using site = await serveDemoSite();
// A run of few rows leaves a core idle. The website is small, so its answers come first.
const crawled = shown(null, (out) => crawlSite(site, out));
const ran = shown(crawled, (out) => runService(out));
await shown(ran, async (out) => {
  await crawled;
  await addTraffic(site, out);
  await crawlAgain(site, out);
  if (rendered) await renderSite(site, out);
});
const path = relative(process.cwd(), folder) || '.';
say(`\nThe warehouses are ${join(path, 'warehouse.duckdb')} and ${join(path, 'site', 'warehouse.duckdb')}. `);
say('Go on querying them:\n\n');
say(`  npx crawlhouse query --project-dir ${path} 'SELECT * FROM mart.crawls'\n`);
say(`  npx crawlhouse query --project-dir ${join(path, 'site')} --question q26_crawl_frequency_by_engine\n`);
if (!rendered) say('\n`npm run demo -- --render` crawls the website in Chromium too.\n');

/** Works at once. What it says is shown once the part before it has ended. */
async function shown(before: Promise<void> | null, work: (out: Out) => Promise<void>): Promise<void> {
  const held: string[] = [];
  let isTurn = before === null;
  const turn = before?.then(() => {
    isTurn = true;
    say(...held);
  });
  await Promise.all([turn, work((text) => (isTurn ? say(text) : void held.push(text)))]);
}

/** The main job: what the service has is loaded over HTTP, and asked. */
async function runService(out: Out): Promise<void> {
  out(
    '\nA sandbox of the service, with a synthetic project of three crawls, their comparisons, logs and rankings',
  );
  out(real.length > 0 ? ` and ${real.length} real ones.\n` : '.\n');
  const ready = await readyDocument();
  account = { CRAWLHOUSE_BASE_URL: ready.base_url, CRAWLHOUSE_ACCESS_TOKEN: ready.access_token };
  out('\n$ crawlhouse run\n');
  await crawlhouse(folder, 'run', [], out);
  for (const question of QUESTIONS) await ask(folder, question, out);
  out('\n$ crawlhouse run        (again: nothing is asked for twice)\n');
  await crawlhouse(folder, 'run', [], out);
  const ended = once(sandbox, 'exit');
  sandbox.kill();
  await ended;
}

/** A website with faults is crawled, and says what to do first. */
async function crawlSite({ origin }: DemoSite, out: Out): Promise<void> {
  const faults = readFaults().faults.filter(({ since }) => since < 3);
  out(
    `A website on this machine: our documentation in two languages, with ${faults.length} planted faults.\n`,
  );
  out('\n$ crawlhouse init site\n');
  // From elsewhere: the account of the sandbox is not that of the website.
  await crawlhouse(root, 'init', [siteFolder], out);
  out(`\n$ crawlhouse crawl ${origin}\n`);
  await crawlhouse(siteFolder, 'crawl', [origin], out);
  for (const question of CRAWL_QUESTIONS) await ask(siteFolder, question, out);
}

/** The requests that its server had, and its search results, tell which of the faults matter. */
async function addTraffic({ origin }: DemoSite, out: Out): Promise<void> {
  await writeFile(join(siteFolder, 'access.log'), accessLog(new Date()));
  await writeFile(join(siteFolder, 'search.csv'), demandExport(origin, new Date()));
  out('\n$ crawlhouse logs add access.log --on-reject quarantine        (a line of it is cut off)\n');
  out(await crawlhouse(siteFolder, 'logs', ['add', 'access.log', '--on-reject', 'quarantine'], out));
  out('\n$ crawlhouse demand add search.csv\n');
  out(await crawlhouse(siteFolder, 'demand', ['add', 'search.csv'], out));
  for (const question of TRAFFIC_QUESTIONS) await ask(siteFolder, question, out);
}

/** The website changes, and is crawled again. */
async function crawlAgain(site: DemoSite, out: Out): Promise<void> {
  site.change();
  out(`\n$ crawlhouse crawl ${site.origin}        (again, after the site has changed)\n`);
  out(await crawlhouse(siteFolder, 'crawl', [site.origin], out));
  for (const question of SITE_QUESTIONS) await ask(siteFolder, question, out);
}

/** Scripts change what pages say; without a browser nobody sees it. */
async function renderSite(site: DemoSite, out: Out): Promise<void> {
  const hint = await findBrowser().then(
    () => null,
    (error: CrawlhouseError) => error.hint,
  );
  if (hint !== null) return out(`\nWith a browser, the demo renders the site too: ${hint}\n`);
  site.change();
  out(`\n$ crawlhouse crawl --render ${site.origin}        (again, now that scripts change pages)\n`);
  await crawlhouse(siteFolder, 'crawl', ['--render', site.origin], out);
  out(`\n$ crawlhouse query "${RENDERING}"\n\n`);
  out(await crawlhouse(siteFolder, 'query', [RENDERING], out));
}

async function ask(project: string, question: string, out: Out): Promise<void> {
  const [name = '', ...parameters] = question.split(' ');
  const title = /title: (.*)/.exec(
    await readFile(join(folder, 'sql', 'questions', `${name}.sql`), 'utf8'),
  )?.[1];
  out(`\n${title?.replaceAll(/^['"]|['"]$/g, '')}\n$ crawlhouse query --question ${question}\n`);
  const lines = (await crawlhouse(project, 'query', ['--question', name, ...parameters], out)).split('\n');
  out(lines.slice(0, ROWS + 2).join('\n'));
  out(lines.length > ROWS + 3 ? `\n… (${lines.length - 3} rows)\n` : '\n');
}

/** Runs the program in a project folder; what it prints comes back, and what it says goes to `out`. */
async function crawlhouse(
  project: string,
  command: string,
  args: readonly string[],
  out: Out,
): Promise<string> {
  const child = spawn(process.execPath, [program, command, ...args], {
    cwd: project,
    env: project === folder ? { ...environment, ...account } : environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The other part may fail meanwhile.
  const end = (): void => void child.kill();
  process.once('exit', end);
  const [printed, said, [code]] = await Promise.all([
    text(child.stdout),
    sayings(child.stderr, SILENT.includes(command) || SHOWN.includes(command) ? () => {} : out),
    once(child, 'exit'),
  ]);
  process.off('exit', end);
  // Of both streams, what is printed comes first.
  if (code === 0) return SHOWN.includes(command) ? printed + said : printed;
  say(said, `crawlhouse ${command} ${args.join(' ')} ended with ${code}\n`);
  process.exit(code ?? 1);
}

/** What a command says, and as it says it. */
async function sayings(stream: Readable, out: Out): Promise<string> {
  let all = '';
  for await (const some of stream.setEncoding('utf8')) {
    all += some;
    out(some);
  }
  return all;
}

async function readyDocument(): Promise<{ base_url: string; access_token: string }> {
  while (!existsSync(readyFile)) {
    if (sandbox.exitCode !== null) process.exit(sandbox.exitCode);
    await sleep(50);
  }
  return JSON.parse(await readFile(readyFile, 'utf8'));
}

function say(...texts: string[]): void {
  process.stdout.write(texts.join(''));
}
