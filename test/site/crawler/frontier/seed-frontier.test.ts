import { expect, onTestFinished, test } from 'vitest';
import { readCrawlSettings } from '../../../../src/site/crawler/crawl-settings.ts';
import { Frontier } from '../../../../src/site/crawler/frontier/frontier.ts';
import { Pace } from '../../../../src/site/crawler/frontier/pace.ts';
import { Scope } from '../../../../src/site/crawler/frontier/scope.ts';
import { keepSitemaps, seedFrontier } from '../../../../src/site/crawler/frontier/seed-frontier.ts';
import { SideWork } from '../../../../src/site/crawler/progress-reporter.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const { signal } = new AbortController();
const SITE = 'https://shop.example';

async function* pieces(...urls: readonly string[]) {
  yield urls;
}

async function crawlOf(config: object = {}) {
  const whole = { name: 'x', start_url: `${SITE}/`, user_agent: 'testbot', max_speed: 100, ...config };
  const settings = readCrawlSettings(whole, { allowPrivate: true });
  const frontier = new Frontier(await temporaryFolder());
  onTestFinished(() => frontier[Symbol.dispose]());
  return { settings, frontier, scope: new Scope(settings.scope) };
}

const queued = (frontier: Frontier, depth: number): string[] => {
  frontier.queueDepth(depth);
  return frontier.next(0, 100).map(({ url, depth }) => `${depth} ${url.replace(SITE, '')}`);
};

test('a crawl begins with its start URLs and its own seeds, once', async () => {
  const { settings, frontier, scope } = await crawlOf({ alternate_start_urls: [`${SITE}/other`] });
  const seeds = [`${SITE}/seed`, 'https://else.example/', 'no url'];
  const tools = { frontier, scope, signal, isList: false, seeds, former: undefined };
  await seedFrontier(settings, tools);
  expect(queued(frontier, 0)).toEqual(['0 /']);
  expect(queued(frontier, 1)).toEqual(['1 /other', '1 /seed']);
  expect([frontier.fact('former'), frontier.newPages()]).toEqual([undefined, null]);
  await seedFrontier(settings, { ...tools, seeds: [`${SITE}/late`] });
  expect(frontier.known()).toBe(3);
});

test('a list has only its own URLs, of any site', async () => {
  const { settings, frontier, scope } = await crawlOf();
  const seeds = ['https://else.example/a', `${SITE}/seed`];
  await seedFrontier(settings, { frontier, scope, signal, isList: true, seeds, former: undefined });
  expect(queued(frontier, 1)).toEqual(['1 https://else.example/a', '1 /seed']);
});

test('the pages of the previous crawl are known, but not queued', async () => {
  const { settings, frontier, scope } = await crawlOf();
  const former = pieces(`${SITE}/`, `${SITE}/gone`);
  await seedFrontier(settings, { frontier, scope, signal, isList: false, seeds: [], former });
  expect([frontier.known(), frontier.fact('former'), frontier.newPages()]).toEqual([1, 'known', 0]);
});

/** A site whose robots.txt announces sitemaps. */
async function sitemapsOf(
  files: Readonly<Record<string, string | null>>,
  announced: readonly string[],
  { isList = false, config = {} }: { readonly isList?: boolean; readonly config?: object } = {},
) {
  const { settings, frontier, scope } = await crawlOf(config);
  const asked: string[] = [];
  const sideWork = new SideWork();
  const said: string[] = [];
  const fetcher = {
    fetch: async (url: string) => {
      asked.push(url.replace(SITE, ''));
      said.push(...sideWork.words);
      const body = files[url.replace(SITE, '')];
      const headers = [['content-type', 'application/xml']];
      return body == null
        ? {
            url,
            statusCode: body === null ? null : 404,
            error: body === null ? 'timeout' : null,
            headers,
            body: Buffer.alloc(0),
            isBrokenOff: false,
          }
        : { url, statusCode: 200, error: null, headers, body: Buffer.from(body), isBrokenOff: false };
    },
  };
  const tools = {
    ...{ frontier, scope, isList, signal, sideWork, fetcher, pace: new Pace(100) },
    robots: { rulesOf: async () => ({ sitemaps: announced }) },
  } as unknown as Parameters<typeof keepSitemaps>[1];
  await keepSitemaps(settings, tools);
  return { settings, frontier, asked, said, tools };
}

const urlset = (...paths: readonly string[]): string =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc>${SITE}${path}</loc></url>`).join('')}</urlset>`;

test('the sitemaps of robots.txt are read once, each URL of them is queued', async () => {
  const files = { '/sitemap.xml': urlset('/a', '/b') };
  const { settings, frontier, asked, said, tools } = await sitemapsOf(files, [
    '/sitemap.xml',
    `${SITE}/sitemap.xml`,
    'http://[',
  ]);
  expect([asked, said]).toEqual([['/sitemap.xml'], ['reading sitemaps']]);
  expect(frontier.fact('sitemaps')).toBeDefined();
  expect([...frontier.unmet()]).toEqual([
    { url: `${SITE}/a`, source: `${SITE}/sitemap.xml` },
    { url: `${SITE}/b`, source: `${SITE}/sitemap.xml` },
  ]);
  await keepSitemaps(settings, tools);
  expect([asked.length, tools.sideWork.words]).toEqual([1, []]);
});

test('the result of each sitemap is stored, with what announced it', async () => {
  const index = `<sitemapindex><sitemap><loc>${SITE}/part.xml</loc></sitemap></sitemapindex>`;
  const files = { '/index.xml': index, '/part.xml': urlset('/a', '/b', '/c'), '/silent.xml': null };
  const { frontier } = await sitemapsOf(files, ['/index.xml', '/none.xml', '/silent.xml']);
  const records = [...frontier.requests.records()].map((line) => JSON.parse(line));
  const robots = `${SITE}/robots.txt`;
  expect(records).toMatchObject([
    { url: `${SITE}/index.xml`, kind: 'sitemap', status_code: 200, source_url: robots, error: null },
    { url: `${SITE}/none.xml`, status_code: 404, num_urls: null, source_url: robots },
    { url: `${SITE}/part.xml`, status_code: 200, num_urls: 3, source_url: `${SITE}/index.xml` },
    { url: `${SITE}/silent.xml`, status_code: null, num_urls: null, error: expect.any(String) },
  ]);
});

test('sitemaps of the settings replace those of robots.txt, and a list reads none', async () => {
  const files = { '/own.xml': urlset('/a') };
  const config = { sitemaps: [`${SITE}/own.xml`] };
  expect((await sitemapsOf(files, ['/sitemap.xml'], { config })).asked).toEqual(['/own.xml']);
  expect((await sitemapsOf(files, ['/sitemap.xml'], { isList: true })).asked).toEqual([]);
  expect((await sitemapsOf(files, [])).said).toEqual([]);
});
