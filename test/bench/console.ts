import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { serveConsole } from '../../src/app/console/server/serve-console.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { makeWarehouse } from './make-warehouse.ts';
import { familyCpuSeconds } from './resources.ts';

/**
 * `npm run bench:console`: how long the pages of the console take on a published warehouse of so many pages and links,
 * the first time after a publication, until all of its figures are read, and the next time. `whole cpu` is what all
 * processors together spent until then, and `warm cpu` for the next time.
 * `--prepared` requests the pages after the console has prepared them.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '5000000' },
    links: { type: 'string', default: '50000000' },
    crawls: { type: 'string', default: '12' },
    'memory-limit': { type: 'string', default: '400MB' },
    threads: { type: 'string', default: String(availableParallelism()) },
    /** Where the warehouse is, if it is to be kept; one that is there is only asked. */
    warehouse: { type: 'string' },
    prepared: { type: 'boolean', default: false },
  },
});
const sqlOf = (sql: string): string => String(new URLSearchParams({ run: '1', sql }));
/** Their slow figures are read after the page is there: they are pending in it. */
const WITH_LATER_FIGURES = [
  '/projects/p0',
  '/projects/p0/structure',
  '/projects/p0/demand',
  '/projects/p0/migration',
  '/crawls/p0c1',
];
const [crawls, pages, links, threads] = [values.crawls, values.pages, values.links, values.threads].map(
  Number,
) as [number, number, number, number];
const memoryLimit = values['memory-limit'];
const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-console-bench-'));
try {
  const warehouse = resolve(values.warehouse ?? join(folder, 'warehouse.duckdb'));
  if (!existsSync(warehouse))
    await makeWarehouse(warehouse, folder, { crawls, pages, links, memoryLimit, threads });
  await report(warehouse);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function report(warehouse: string): Promise<void> {
  const project = join(folder, 'project');
  await mkdir(join(project, 'pipelines'), { recursive: true });
  await writeFile(join(project, 'schedules.yaml'), 'schedules: []\n');
  const settings = await loadSettings(project, {
    CRAWLHOUSE_WAREHOUSE: warehouse,
    CRAWLHOUSE_THREADS: values.threads,
  });
  await using served = await serveConsole(
    settings,
    '127.0.0.1:0',
    silentLogger,
    new AbortController().signal,
  );
  const signedIn = await fetch(served.newLink() ?? '', { redirect: 'manual' });
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  const get = async (path: string): Promise<{ readonly seconds: number; readonly text: string }> => {
    const started = performance.now();
    const response = await fetch(served.url + path, { headers: { cookie } });
    const text = await response.text();
    const failed = /It could not be read: [^<]*/.exec(text)?.[0];
    if (response.status !== 200 || failed !== undefined)
      throw new Error(`${path}: ${response.status} ${failed ?? text.slice(0, 500)}`);
    return { seconds: (performance.now() - started) / 1000, text };
  };
  const line = (name: string, figures: readonly string[]): void => {
    process.stdout.write(`${name.padEnd(64)}${figures.map((one) => one.padStart(10)).join('')}\n`);
  };
  line('page of the console', ['cold s', 'whole s', 'whole cpu', 'warm s', 'warm cpu', 'bytes']);
  if (values.prepared) {
    const [begun, started] = [familyCpuSeconds(), performance.now()];
    await served.preparePages();
    const seconds = ((performance.now() - started) / 1000).toFixed(2);
    line('the preparation', ['', seconds, (familyCpuSeconds() - begun).toFixed(2)]);
  }
  const list = '/projects/p0/pages';
  const found = await get(`${list}?issue=client_error`);
  const url = /url\?url=([^&"]*)/.exec(found.text)?.[1] ?? '';
  for (const path of [
    '/?all=1',
    '/projects',
    '/projects/p0',
    '/projects/p0/issues',
    '/projects/p0/structure',
    '/projects/p0/demand',
    '/projects/p0/migration',
    '/projects/p0/compare',
    '/crawls/p0c1',
    list,
    `${list}?issue=thin`,
    `${list}?issue=thin&sort=priority+desc`,
    `${list}?depth=gte:4&sort=title`,
    `${list}?change=title`,
    `${list}?issue=thin&change=new`,
    `${list}?search_bot_hits=gte:1&sort=clicks+desc`,
    `${list}?title=contains:Title+471&sort=nb_inlinks+desc`,
    `${list}?segment=template:section-7&page=20`,
    `${list}?page=5000`,
    '/projects/p0/structure?folder=/section-7/',
    '/projects/p0/compare?segment=template:section-7',
    '/projects/p0/segments',
    '/projects/p0/tickets',
    `/projects/p0/url?url=${url}`,
    '/ask',
    '/ask?question=q08_404s_with_most_internal_links&run=1',
    '/ask?question=q24_migration_check&run=1',
    `/ask?${sqlOf('SELECT * FROM mart.pages')}`,
    `/ask?${sqlOf('SELECT * FROM mart.pages')}&sort=title&filter=471`,
    `/ask/download?format=csv&${sqlOf("SELECT url, title FROM mart.pages WHERE crawl_id = 'p0c1'")}`,
    '/search?q=/section-7/',
    '/search?q=page-4711',
    '/search?q=nowhere-at-all',
  ]) {
    const begun = familyCpuSeconds();
    const cold = await get(path);
    // The next page begins when all figures of this one are read.
    const rest = WITH_LATER_FIGURES.includes(path) ? (await get(`${path}?wait=1`)).seconds : 0;
    const spent = familyCpuSeconds() - begun;
    const again = familyCpuSeconds();
    const warm = await get(path);
    line(decodeURIComponent(path).slice(0, 62), [
      cold.seconds.toFixed(2),
      rest === 0 ? '' : (cold.seconds + rest).toFixed(2),
      spent.toFixed(2),
      warm.seconds.toFixed(2),
      (familyCpuSeconds() - again).toFixed(2),
      String(warm.text.length),
    ]);
  }
}
