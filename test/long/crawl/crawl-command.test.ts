import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { LocalService } from '../../../src/app/cli/local/local-service.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import type { FetchProgress } from '../../../src/site/crawler/progress-reporter.ts';
import { capture, spawned } from '../../app/cli/capture.ts';
import { crawlSite, pageWith, type SiteRoute, serveSite } from '../../support/crawl-site.ts';
import { openConsole } from '../../support/open-console.ts';
import { projectFolder } from '../../support/project.ts';
import { until } from '../../support/until.ts';

const OWN = { vitals: null, recheck: null, sites: [] } as const;
const PAGES: Readonly<Record<string, string>> = {
  '/': pageWith('/a', '/gone'),
  '/a': pageWith('/b'),
  '/b': pageWith('/'),
};

test('crawl ends with a report of the site, and a second crawl shows the changes', async () => {
  const folder = await projectFolder();
  const routes: Record<string, string> = { ...PAGES };
  const site = await serveSite(routes);
  const first = await capture('crawl', site.origin, '--project-dir', folder);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('4 pages fetched, depth 2: ok');
  expect(first.stdout).toMatch(/^ +200 +3 +75/m);
  expect(first.stdout).toMatch(/^ +404 +1 +25/m);
  expect(first.stdout).toMatch(/^Indexability\nknown .*\n +4 +4 +3 +3/m);
  expect(first.stdout).toMatch(/^What to do first\npriority .*\n +\d+ +\w+ +(high|medium) /m);
  expect(first.stdout).toMatch(/^ +\d+ +client_error +high +server +1 +- .*\/gone$/m);
  expect(first.stdout).toMatch(
    /\nNext: npx crawlhouse issues --crawl \w+\nWith access logs, \d more questions can answer \(q16.*\): npx crawlhouse logs add FILE…\nWith search data, \d more questions can answer \(.*\): npx crawlhouse demand add FILE…\n$/,
  );
  expect(first.stdout).not.toContain('Changes');
  routes['/b'] = pageWith('/new');
  routes['/new'] = 'x';
  const second = await capture('crawl', site.origin, '--project-dir', folder, '--json');
  expect(second.code).toBe(0);
  const report = JSON.parse(second.stdout) as { fetched_urls: number; changes: unknown[] };
  expect(report.fetched_urls).toBe(5);
  expect(report.changes).toContainEqual({ change: 'added', pages: 1 });
});

test('statuses are printed before the load, and equal question 5 afterwards', async () => {
  const folder = await projectFolder();
  const site = await serveSite({
    '/robots.txt': 'User-agent: *\nDisallow: /closed',
    '/': pageWith('/a', '/gone', '/closed', '/b', '/c', '/d'),
    '/a': 'a',
    '/b': 'b',
    '/c': 'c',
    '/d': 'd',
  });
  let wasLoaded: boolean | undefined;
  const { code, stdout } = await spawned(['crawl', site.origin, '--project-dir', folder], (child) => {
    child.stdout?.on('data', (piece) => {
      if (String(piece).includes('Statuses')) wasLoaded = existsSync(join(folder, 'warehouse.duckdb'));
    });
  });
  expect([code, wasLoaded]).toEqual([0, false]);
  const asked = await capture(
    ...['query', '--question', 'q05_status_codes_by_crawl', '--json', '--project-dir', folder],
  );
  const answered = JSON.parse(asked.stdout) as {
    status_code: number | null;
    pages: number;
    pages_percent: number;
  }[];
  expect(answered.length).toBe(3);
  const [, printed = ''] = /^status_code .*\n((?:.+\n)+)/m.exec(stdout) ?? [];
  expect(
    printed
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ +/)),
  ).toEqual(
    answered.map(({ status_code, pages, pages_percent }) =>
      [status_code, pages, pages_percent].map((value) => String(value ?? '-')),
    ),
  );
});

test('the findings during and after a crawl equal what the models find', async () => {
  const head = (tags: string): string => `<html><head>${tags}</head><body><h1>h</h1>text</body></html>`;
  const described = '<meta name=description content="d">';
  const pages = {
    '/a': head(`<title>a</title>${described}<meta name=robots content=noindex>`),
    '/b': head(`<title>b</title>${described}<link rel=canonical href=/a>`),
    '/c': head(described),
    '/d': head('<title>same</title>'),
    '/e': head(`<title>same</title>${described}`),
    '/f': `<html><head><title>f</title>${described}</head><body>no heading</body></html>`,
    '/g': head(
      `<title>g</title><meta http-equiv=refresh content="0;url=/a"><meta name=robots content=noindex>`,
    ),
    '/h.txt': { headers: { 'content-type': 'text/plain', 'x-robots-tag': 'noindex' }, body: 'text' },
    '/i': { status: 500, body: 'x' },
    '/j': { status: 301, headers: { location: '/c' } },
  };
  const site = await serveSite({
    ...pages,
    '/': pageWith(...Object.keys(pages), '/gone'),
    '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'Sitemap: /sitemap.xml' },
    '/sitemap.xml': '<urlset><url><loc>/unlinked</loc></url></urlset>',
  });
  const folder = await projectFolder();
  const { stdout } = await capture('crawl', site.origin, '--project-dir', folder, '--json');
  const report = JSON.parse(stdout) as { crawl_id: string; findings: { issue: string; pages: number }[] };
  const ofModels = (names: readonly string[]) =>
    Object.fromEntries(
      report.findings.filter(({ issue }) => names.includes(issue)).map(({ issue, pages }) => [issue, pages]),
    );
  const settings = await loadSettings(folder, {});
  await using service = await LocalService.start(settings, { allowPrivate: false, logger: silentLogger });
  const [crawl] = await service.lastEnded();
  if (crawl === undefined) throw new Error('no crawl has ended');
  const { issues } = await service.firstFigures(crawl);
  const first = issues.map(({ issue }) => issue);
  expect(first.toSorted()).toEqual([
    'client_error',
    'duplicate_title',
    'missing_description',
    'missing_h1',
    'missing_title',
    'noindex',
    'server_error',
  ]);
  expect(Object.fromEntries(issues.map(({ issue, pages }) => [issue, pages]))).toEqual(ofModels(first));
  const told: FetchProgress[] = [];
  await crawlSite(site, {}, { onProgress: (progress) => told.push(progress) });
  const { findings = [], counts, looked, slowest } = told.at(-1) ?? {};
  const live = ['canonicalised', 'missing_description', 'missing_h1', 'missing_title', 'noindex'];
  expect(findings.map(([name]) => String(name)).toSorted()).toEqual(live);
  expect(Object.fromEntries(findings)).toEqual(ofModels(live));
  expect([counts?.fetched_4xx, counts?.fetched_5xx, looked]).toEqual([2, 1, null]);
  expect(slowest?.url).toContain(site.origin);
});

test('scraped fields are columns of the warehouse and answer questions', async () => {
  const folder = await projectFolder();
  const site = await serveSite({
    '/': '<p class="price">EUR 12,50</p><p class="price">7</p><a href="/a">a</a><i datetime="2026-11-05">x</i>',
    '/a': '<p class="price">EUR 9,00</p>',
    '/b': 'none',
  });
  const rules = [
    'price:number,comma=css:.price',
    'prices:number,comma,many=css:.price',
    'text=css:.price',

    'cents=regex:\\d+,(\\d\\d)',
    'seen:date,@datetime=css:i',
    'has:exists=css:.price',
    'n:count,raw=css:p',
  ];
  const command = async (...argv: readonly string[]) => {
    const { code, stderr, stdout } = await capture(...argv, '--project-dir', folder);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const urls = join(folder, 'urls.txt');
  writeFileSync(urls, ['/', '/a', '/b'].map((path) => `${site.origin}${path}\n`).join(''));
  await command('crawl', '--list', urls, ...rules.flatMap((rule) => ['--extract', rule]));
  const sql = "SELECT urlpath, COLUMNS('^custom_[^q]') FROM mart.pages ORDER BY url";
  const none = { custom_text: null, custom_cents: null, custom_seen: null, custom_prices: null };
  const rows: unknown = JSON.parse(await command('query', sql, '--format', 'json'));
  expect(rows).toEqual([
    {
      urlpath: '/',
      custom_price: 12.5,
      custom_prices: [12.5, 7],
      custom_text: 'EUR 12,50',
      custom_cents: '50',
      custom_seen: '2026-11-05',
      custom_has: true,
      custom_n: 2,
    },
    {
      urlpath: '/a',
      custom_price: 9,
      custom_prices: [9],
      custom_text: 'EUR 9,00',
      custom_cents: '00',
      custom_seen: null,
      custom_has: true,
      custom_n: 1,
    },
    { urlpath: '/b', ...none, custom_price: null, custom_has: false, custom_n: 0 },
  ]);
  const found = async (...filter: readonly string[]) => {
    const { rows } = JSON.parse(await command('pages', ...filter, '--json')) as { rows: { url: string }[] };
    return rows.map(({ url }) => url.replace(site.origin, ''));
  };
  expect(await found('--where', 'custom_price > 10')).toEqual(['/']);
  expect(await found('--filter', 'custom_price=lt:10')).toEqual(['/a']);
  expect(await found('--filter', 'custom_prices=has:7', '--columns', 'custom_prices')).toEqual(['/']);
  expect(await found('--sort', 'custom_price', '--where', 'custom_has')).toEqual(['/a', '/']);
  const listed = "SELECT item FROM mart.page_lists WHERE field = 'custom_prices' ORDER BY item";
  expect(JSON.parse(await command('query', listed, '--format', 'json'))).toHaveLength(3);
});

test('a list of URLs is crawled, also after a crawl of the site, and not compared with it', async () => {
  const folder = await projectFolder();
  const site = await serveSite(PAGES);
  const file = join(folder, 'urls.txt');
  writeFileSync(file, `${site.origin}/b\n${site.origin}/gone\n`);
  const listed = await capture('crawl', '--list', file, '--project-dir', folder);
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toContain('2 pages fetched');
  expect(listed.stdout).toMatch(/^missing_description +1$/m);
  expect(site.hits.sort()).toEqual(['/b', '/gone']);
  expect((await capture('crawl', site.origin, '--project-dir', folder)).stdout).not.toContain('Changes');
  const again = await capture('crawl', '--list', file, '--project-dir', folder);
  expect(again.stdout).toContain('2 pages fetched');
});

test('a known site that cannot be crawled keeps its data, and each of its pages shows the reason', async () => {
  const folder = await projectFolder();
  let isAway = false;
  const front = (_request: IncomingMessage, response: ServerResponse): void => {
    if (isAway) return void response.writeHead(503).end();
    response.setHeader('content-type', 'text/html');
    response.end(pageWith('/a'));
  };
  const site = await serveSite({ '/': front, '/a': pageWith() });
  const command = (...argv: readonly string[]) => capture(...argv, '--project-dir', folder);
  expect((await command('crawl', site.origin)).code).toBe(0);
  isAway = true;
  const failed = await command('crawl', site.origin);
  expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining('the site answers 503')]);
  const counted = [
    'query',
    'SELECT count(*) AS crawls, sum(pages) AS pages FROM mart.crawls',
    '--format',
    'json',
  ];
  expect(JSON.parse((await command(...counted)).stdout)).toEqual([{ crawls: 1, pages: 2 }]);
  const status = await command('status');
  expect(status.stdout).toContain('the last crawl failed; answers come from the previous crawl');
  expect(status.stdout).toContain('the site answers 503');
  const file = join(folder, 'report.html');
  expect((await command('report', '--output', file)).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('the site answers 503');
  const [project] = JSON.parse(
    (await command('query', 'SELECT project_id FROM mart.projects', '--format', 'json')).stdout,
  ) as { project_id: string }[];
  const { ask } = await openConsole(await loadSettings(folder, {}));
  for (const path of ['/?all=1', `/projects/${project?.project_id}`])
    expect(await (await ask(path)).text(), path).toContain('the site answers 503');
  isAway = false;
  expect((await command('crawl', site.origin)).code).toBe(0);
  const mended = (await command('status')).stdout;
  expect(mended).toContain('Nothing is wrong.');
  expect(mended).toMatch(/ s {2}crawl +done /);
});

test('flags override the configuration file, which overrides defaults', async () => {
  const folder = await projectFolder();
  const site = await serveSite(PAGES);
  const file = join(folder, 'config.yaml');
  writeFileSync(file, `start_url: ${site.origin}/\nuser_agent: filebot\nmax_url: 1\n`);
  const flags = ['--config', file, '--max-urls', '2', '--project-dir', folder];
  const { code, stdout } = await capture('crawl', ...flags);
  expect(code).toBe(0);
  expect(stdout).toContain('2 pages fetched, depth 1: max_url_reached');
  expect(site.requests.at(-1)?.headers['user-agent']).toContain('filebot');
});

test('the file of a website is used by default; flags and the --config file override its keys', async () => {
  const folder = await projectFolder();
  const site = await serveSite(PAGES);
  const own = `crawls/127.0.0.1_${site.port}.yaml`;
  mkdirSync(join(folder, 'crawls'));
  writeFileSync(join(folder, own), 'user_agent: sitebot\nmax_url: 1\nrecheck: 0\n');
  const file = join(folder, 'config.yaml');
  writeFileSync(file, 'user_agent: filebot\n');
  // The address of the file is known only after the redirect.
  const old = await serveSite({ '/': { status: 301, headers: { location: `${site.origin}/` } } });
  for (const [argv, pages, agent] of [
    [[site.origin], 1, 'sitebot'],
    [[old.origin], 1, 'sitebot'],
    [[site.origin, '--config', file], 1, 'filebot'],
    [[site.origin, '--config', file, '--user-agent', 'flagbot', '--max-urls', '2'], 2, 'flagbot'],
  ] as const) {
    const { code, stdout, stderr } = await capture('crawl', ...argv, '--project-dir', folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`The settings in ${own} apply.\n`)]);
    expect(stdout).toContain(`${pages} pages fetched`);
    expect(site.requests.at(-1)?.headers['user-agent']).toContain(agent);
  }
  writeFileSync(join(folder, own), 'max_url: 1\nmax_urls: 2\n');
  const hits = site.hits.length;
  const bad = await capture('crawl', site.origin, '--project-dir', folder);
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining(`${own}:2: unknown key max_urls`)]);
  writeFileSync(file, 'user_agent: filebot\nmax_url: many\n');
  const { stderr } = await capture('crawl', site.origin, '--config', file, '--project-dir', folder);
  expect(stderr).toContain('config.yaml:2: max_url: ');
  expect(site.hits.length).toBe(hits);
});

test('a start URL that redirects to another host is replaced by its target', async () => {
  const folder = await projectFolder();
  const site = await serveSite(PAGES);
  const old = await serveSite({ '/': { status: 301, headers: { location: `${site.origin}/` } } });
  const { code, stdout, stderr } = await capture('crawl', old.origin, '--project-dir', folder);
  expect([code, stderr]).toEqual([0, `${old.origin}/ redirects to ${site.origin}/, which is crawled.\n`]);
  expect(stdout).toContain('4 pages fetched');
});

test('Ctrl-C pauses a crawl, and the same command continues it', async () => {
  const folder = await projectFolder();
  let isOpen = false;
  const site = await serveSite({
    ...PAGES,
    '/b': (_request, response) => {
      if (isOpen) response.setHeader('content-type', 'text/html').end(PAGES['/b']);
    },
  });
  const argv = ['crawl', site.origin, '--project-dir', folder];
  const interrupted = await spawned(argv, (child) => {
    void until(async () => (site.hits.includes('/b') ? child.kill('SIGINT') : undefined));
  });
  expect(interrupted.code).toBe(130);
  expect(interrupted.stderr).toMatch(
    /^Error: interrupted by SIGINT; the crawl of http:\S+ is paused\nTry: .*crawl .*--resume/m,
  );
  isOpen = true;
  const resumed = await capture(...argv);
  expect(resumed.stderr).toBe(`Continuing the crawl of ${site.origin}/ with its original flags.\n`);
  expect(resumed.stdout).toContain('4 pages fetched, depth 2: ok');
});

test('a failed crawl shows why, and how to start another', async () => {
  const folder = await projectFolder();
  const site = await serveSite({ ...PAGES, '/b': () => {} });
  const argv = ['crawl', site.origin, '--project-dir', folder];
  await spawned(argv, (child) => {
    void until(async () => (site.hits.includes('/b') ? child.kill('SIGINT') : undefined));
  });
  const crawls = join(folder, '.crawlhouse', 'service', 'crawls');
  const [id = ''] = readdirSync(crawls);
  using frontier = new DatabaseSync(join(crawls, id, 'frontier.sqlite'));
  frontier.exec("UPDATE facts SET value = '\"other\"' WHERE name = 'configuration'");
  const { code, stderr } = await capture(...argv);
  expect([code, stderr]).toEqual([1, expect.stringContaining('ended without a report: ')]);
  expect(stderr).toContain('contains a crawl with a different configuration');
  expect(stderr).toContain(`crawl ${site.origin}/`);
});

test('a killed crawl stays paused while another site is crawled, and its own command continues it', async () => {
  const folder = await projectFolder();
  let isOpen = false;
  const killed = await serveSite({
    ...PAGES,
    '/b': (_request, response) => {
      if (isOpen) response.setHeader('content-type', 'text/html').end(PAGES['/b']);
    },
  });
  const other = await serveSite(PAGES);
  const argv = ['crawl', killed.origin, '--project-dir', folder];
  const { code } = await spawned(argv, (child) => {
    void until(async () => (killed.hits.includes('/b') ? child.kill('SIGKILL') : undefined));
  });
  expect(code).toBe(null);
  const requests = killed.requests.length;
  const second = await capture('crawl', other.origin, '--project-dir', folder);
  expect(second).toMatchObject({
    code: 0,
    stderr: `The crawl of ${killed.origin}/ stays paused. Continue it: npx crawlhouse crawl ${killed.origin}/\n`,
  });
  expect(killed.requests.length).toBe(requests);
  isOpen = true;
  const third = await capture(...argv);
  expect(third.stderr).toBe(`Continuing the crawl of ${killed.origin}/ with its original flags.\n`);
  expect(third.stdout).toContain('4 pages fetched, depth 2: ok');
});

test.for([['--resume'], []])('a crawl killed between its end and its load is loaded by %j', async (flags) => {
  const folder = await projectFolder();
  const site = await serveSite(PAGES);
  {
    await using service = await LocalService.start(await loadSettings(folder, {}), {
      allowPrivate: false,
      logger: silentLogger,
    });
    const start_url = `${site.origin}/`;
    const config = { name: 'crawlhouse crawl', start_url, user_agent: 'crawlhouse', max_speed: 1000 };
    const projectId = await service.project(start_url);
    const { id } = await service.launch(projectId, await service.configure(projectId, { config, own: OWN }));
    await service.finish(id, () => {}, new AbortController().signal);
  }
  const fetched = site.hits.length;
  const argv = ['crawl', ...(flags.length === 0 ? [site.origin] : flags), '--project-dir', folder];
  const { code, stdout, stderr } = await capture(...argv);
  expect([code, stderr]).toEqual([
    0,
    `The crawl of ${site.origin}/ has ended but is not loaded yet. Loading it now.\n`,
  ]);
  expect(stdout).toContain('4 pages fetched, depth 2: ok');
  // At the most the start URL was tried.
  expect(site.hits.slice(fetched).filter((path) => path !== '/')).toEqual([]);
  const again = await capture('crawl', '--resume', '--project-dir', folder);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('every ended crawl is loaded')]);
});

test('a crawl shows how many pages are new since the previous crawl while it fetches, the first one does not', async () => {
  const shown = Promise.withResolvers<void>();
  const pages: Record<string, SiteRoute> = { '/': pageWith('/a', '/b?x=%C3%BC'), '/a': pageWith() };
  const site = await serveSite(pages);
  await using service = await LocalService.start(await loadSettings(await projectFolder(), {}), {
    allowPrivate: false,
    logger: silentLogger,
  });
  const start_url = `${site.origin}/`;
  const config = { name: 'crawlhouse crawl', start_url, user_agent: 'crawlhouse', max_speed: 1000 };
  const projectId = await service.project(start_url);
  const configId = await service.configure(projectId, { config, own: OWN });
  const told = new Set<number | null | undefined>();
  const show = (progress?: FetchProgress): void => {
    told.add(progress?.new_pages);
    if (progress?.new_pages === 2) shown.resolve();
  };
  const again = async () =>
    service.finish((await service.launch(projectId, configId)).id, show, new AbortController().signal);
  await again();
  expect([...told].filter((one) => typeof one === 'number')).toEqual([]);
  pages['/a'] = pageWith('/new', '/newer', '/held');
  Object.assign(pages, { '/new': pageWith(), '/newer': pageWith() });
  pages['/held'] = (_request, response) => void shown.promise.then(() => response.end(pageWith()));
  await again();
  expect(told.has(2)).toBe(true);
  expect(Math.max(...[...told].map(Number).filter(Number.isFinite))).toBeLessThanOrEqual(3);
});

test('an interruption ends the wait for a list that is being read', async () => {
  const folder = await projectFolder();
  await using service = await LocalService.start(await loadSettings(folder, {}), {
    allowPrivate: false,
    logger: silentLogger,
  });
  const start_url = 'http://site.invalid/';
  const config = { name: 'x', start_url, user_agent: 'crawlhouse', max_speed: 1 };
  const projectId = await service.project(start_url);
  const urls = Array.from({ length: 300_000 }, (_, n) => `${start_url}${n}`);
  const interruption = AbortSignal.abort(new Error('interrupted'));
  await expect(service.configureList(projectId, { config, own: OWN }, urls, interruption)).rejects.toThrow(
    'interrupted',
  );
});
