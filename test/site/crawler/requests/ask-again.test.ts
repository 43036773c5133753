import { expect, onTestFinished, test } from 'vitest';
import { Frontier } from '../../../../src/site/crawler/frontier/frontier.ts';
import { Pace } from '../../../../src/site/crawler/frontier/pace.ts';
import { Scope } from '../../../../src/site/crawler/frontier/scope.ts';
import { CrawlControl, SideWork } from '../../../../src/site/crawler/progress-reporter.ts';
import {
  type AgainTools,
  askAgain,
  type RecheckOptions,
} from '../../../../src/site/crawler/requests/ask-again.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const SITE = 'https://shop.example';
const RULES = {
  ...{ startUrl: `${SITE}/`, alternateStartUrls: [], crawlSubdomains: false, allowQueryParams: true },
  ...{ filterQueryParams: false, queryParams: [], isWhitelist: true },
};

interface Answer {
  readonly status?: number | null;
  readonly location?: string;
  readonly page?: object;
  readonly isCut?: boolean;
}

/** A crawl that has fetched only its start page, of a site with these answers; each answer of a list is for one request. */
async function crawlOf(
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
  more: Partial<AgainTools> & { readonly rules?: (path: string) => object } = {},
) {
  const folder = await temporaryFolder();
  const frontier = new Frontier(folder);
  onTestFinished(() => frontier[Symbol.dispose]());
  frontier.seed(`${SITE}/`, 0, 'crawler');
  frontier.queueDepth(0);
  const [start] = frontier.next(0, 1);
  if (start === undefined) throw new Error('no start');
  frontier.setFact('depth', 0);
  frontier.commit([{ item: start, status: 'fetched_2xx', targets: [] }], []);
  const asked: string[] = [];
  const fetcher = {
    fetch: async (url: string) => {
      const path = url.replace(SITE, '');
      const given = answers[path] ?? { status: 404 };
      const index = asked.filter((one) => one === path).length;
      const answer: Answer = Array.isArray(given) ? (given[index] ?? given.at(-1)) : given;
      asked.push(path);
      const statusCode = answer.status === undefined ? 200 : answer.status;
      return {
        ...{
          url,
          statusCode,
          error: statusCode === null ? 'timeout' : null,
          isBrokenOff: answer.isCut ?? false,
        },
        ...{ headers: answer.location === undefined ? [] : [['location', answer.location]] },
        ...{ fetchedAt: new Date('2026-03-01T06:00:00Z'), body: Buffer.from('') },
      };
    },
  };
  const parser = {
    parse: async (
      { answer }: { readonly answer: { readonly url: string } },
      take: (reply: object) => Promise<void>,
    ) => {
      const given = answers[answer.url.replace(SITE, '')];
      const { page = {} } = (Array.isArray(given) ? given.at(-1) : given) ?? {};
      const record = {
        meta_robots_index: null,
        indexable: true,
        rel_canonical: null,
        hreflang_hrefs: null,
        ...page,
      };
      await take({ pages: { bytes: Buffer.from(JSON.stringify(record)), isCompressed: false } });
    },
  };
  const control = new CrawlControl();
  const sideWork = new SideWork();
  const rulesOf = async () => ({ isUnavailable: false, isAllowed: () => true, delayMs: null });
  const tools = {
    ...{ frontier, folder, fetcher, parser, control, sideWork, robots: { rulesOf }, pace: new Pace(100_000) },
    ...{
      scope: new Scope(RULES),
      signal: new AbortController().signal,
      isList: false,
      concurrency: 1,
      retryDelayMs: 1,
    },
    ...more,
  } as unknown as AgainTools;
  const ask = async (options: RecheckOptions = { recheck: 100 }) => {
    await askAgain(options, tools);
    return asked;
  };
  const records = (): Record<string, unknown>[] =>
    [...frontier.requests.records()]
      .map((line) => JSON.parse(line))
      .map((record) => ({ ...record, url: record.url.replace(SITE, '') }));
  return { frontier, tools, asked, ask, records, control, sideWork };
}

async function* pieces(...urls: readonly string[]) {
  yield urls;
}

test('pages of the previous crawl and URLs with clicks are requested, once and within the limit', async () => {
  const { frontier, ask, asked, records, sideWork } = await crawlOf({ '/old': {} });
  frontier.addFormer(['/', '/old', '/older'].map((path) => SITE + path));
  frontier.addFormer(['https://else.example/x']);
  const clicked = [`${SITE}/clicked`, `${SITE}/`, 'https://else.example/y', 'no url', `${SITE}/clicked`];
  await ask({ recheck: 3, demanded: pieces(...clicked) });
  expect(asked).toEqual(['/clicked', '/old', '/older']);
  expect(records()).toMatchObject([
    { url: '/clicked', kind: 'recheck', status_code: 404, is_indexable: false },
    { url: '/old', kind: 'recheck', status_code: 200, is_indexable: true },
    { url: '/older', kind: 'recheck', status_code: 404 },
  ]);
  expect(sideWork.words).toEqual([]);
  // A resumed crawl plans nothing again, and requests only what has no answer.
  await ask({ recheck: 3, demanded: pieces(`${SITE}/late`) });
  expect(asked).toHaveLength(3);
});

test('the limit counts URLs with clicks first, and 0 requests none', async () => {
  const clicked = [`${SITE}/a`, `${SITE}/b`, `${SITE}/c`];
  const few = await crawlOf({});
  few.frontier.addFormer([`${SITE}/old`]);
  expect(await few.ask({ recheck: 2, demanded: pieces(...clicked) })).toEqual(['/a', '/b']);
  const none = await crawlOf({});
  none.frontier.addFormer([`${SITE}/old`]);
  expect(await none.ask({ recheck: 0, demanded: pieces(...clicked) })).toEqual([]);
  const list = await crawlOf({}, { isList: true });
  list.frontier.addFormer([`${SITE}/old`]);
  expect(await list.ask({ recheck: 5, demanded: pieces(...clicked) })).toEqual([]);
});

test('redirects are followed to their end, at most ten of them', async () => {
  const hops = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`/hop/${n}`, { status: 301, location: `${SITE}/hop/${n + 1}` }]),
  );
  const { frontier, ask, records } = await crawlOf({
    ...hops,
    '/home': { status: 302, location: `${SITE}/` },
  });
  frontier.addFormer([`${SITE}/hop/0`, `${SITE}/home`]);
  const asked = await ask();
  expect(asked).toEqual(['/home', ...Array.from({ length: 11 }, (_, n) => `/hop/${n}`)]);
  expect(records().find(({ url }) => url === '/hop/1')).toMatchObject({
    ...{ kind: 'target', declared_as: 'redirect', source_url: `${SITE}/hop/0` },
    ...{ status_code: 301, redirect_location: `${SITE}/hop/2` },
  });
});

test('a request that fails or is told to come later is repeated, at most three times', async () => {
  const busy = { status: 503 };
  const { frontier, ask, records } = await crawlOf({
    '/busy': [busy, busy, {}],
    '/gone': { status: 410 },
    '/silent': { status: null },
    '/cut': { isCut: true },
  });
  frontier.addFormer(['/busy', '/cut', '/gone', '/silent'].map((path) => SITE + path));
  const asked = await ask();
  expect(asked).toEqual(['/busy', '/busy', '/busy', '/cut', '/gone', '/silent', '/silent', '/silent']);
  expect(records()).toMatchObject([
    { url: '/busy', status_code: 200, is_indexable: true },
    { url: '/cut', status_code: 200 },
    { url: '/gone', status_code: 410, is_indexable: false },
    { url: '/silent', status_code: null, error: 'timeout', is_indexable: null },
  ]);
});

test('a page says whether it may be indexed, its canonical and its language versions; a refusal says nothing', async () => {
  const page = {
    meta_robots_index: false,
    indexable: false,
    rel_canonical: `${SITE}/c`,
    hreflang_hrefs: ['x'],
  };
  const { frontier, ask, records } = await crawlOf({ '/page': { page }, '/refused': { status: 403 } });
  frontier.addFormer([`${SITE}/page`, `${SITE}/refused`]);
  await ask();
  expect(records()).toMatchObject([
    { url: '/page', is_noindex: true, is_indexable: false, canonical: `${SITE}/c`, hreflang_hrefs: ['x'] },
    { url: '/refused', status_code: 403, is_indexable: null, is_noindex: null },
  ]);
});

test('a URL that robots.txt blocks, or whose robots.txt is unavailable, is not requested', async () => {
  for (const [rules, expected] of [
    [
      { isUnavailable: true, hostError: null },
      { error: 'robots_unavailable', robots_txt_denied: false },
    ],
    [
      { isUnavailable: true, hostError: { error: 'unknown_host' } },
      { error: 'unknown_host', is_indexable: null },
    ],
    [
      { isUnavailable: false, isAllowed: () => false },
      { robots_txt_denied: true, is_indexable: false },
    ],
  ] as const) {
    const { frontier, ask, records } = await crawlOf({}, { robots: { rulesOf: async () => rules } } as never);
    frontier.addFormer([`${SITE}/a`]);
    expect(await ask()).toEqual([]);
    expect(records()).toMatchObject([{ status_code: null, ...expected }]);
  }
});

test('a site that answers 50 requests in a row with nothing is silent, and is left', async () => {
  const paths = Array.from({ length: 60 }, (_, n) => `/${String(n).padStart(2, '0')}`);
  const answers = Object.fromEntries(paths.map((path) => [path, { status: null }]));
  const silent = await crawlOf(answers);
  silent.frontier.addFormer(paths.map((path) => SITE + path));
  expect(new Set(await silent.ask()).size).toBe(50);
  const alive = await crawlOf({ ...answers, '/30': {} });
  alive.frontier.addFormer(paths.map((path) => SITE + path));
  expect(new Set(await alive.ask()).size).toBe(60);
});

test('a crawl that is terminated or cancelled requests nothing more', async () => {
  for (const end of ['terminate', 'cancel'] as const) {
    const { frontier, ask, control } = await crawlOf({});
    frontier.addFormer([`${SITE}/a`]);
    control[end]();
    expect(await ask()).toEqual([]);
  }
});
