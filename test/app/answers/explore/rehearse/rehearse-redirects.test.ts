import { expect, test } from 'vitest';
import { Rehearsal, readRehearsal } from '../../../../../src/app/answers/explore/rehearse/read-rehearsal.ts';
import { chainsOf } from '../../../../../src/app/answers/explore/rehearse/redirect-chains.ts';
import { rehearsalBlocks } from '../../../../../src/app/answers/explore/rehearse/rehearsal-blocks.ts';
import { printBlocks } from '../../../../../src/app/answers/presentation/print-blocks.ts';
import { page, rehearsedSite, url } from './rehearsed-site.ts';

type Found = Readonly<Record<string, readonly object[]>>;
const rehearse = (lines: readonly string[], more: Found = {}): Promise<Rehearsal> => {
  const content = `from,to,status\n${lines.join('\n')}\n`;
  const change = { kind: 'redirects', given: 'moves.csv', content } as const;
  return readRehearsal(rehearsedSite(more), { change }, new AbortController().signal);
};
const path = (of: string | null): string | undefined => of?.replace(url(''), '');
const changes = ({ pages }: Rehearsal) =>
  pages.map(({ url: of, change, state_after, depth_after }) => [path(of), change, state_after, depth_after]);
const redirects = (rehearsal: Rehearsal) =>
  rehearsal.redirects.map(({ url: of, hops_before, hops_after, final_url, problems }) => [
    path(of),
    ...[hops_before, hops_after, path(final_url)],
    problems,
  ]);
const count = ({ figures }: Rehearsal, name: string) => figures.find(({ figure }) => figure === name)?.count;

/** A site whose old pages redirect already. */
const OLD: Found = {
  'pages.sitemaps_file_origin': [
    page('/', { depth: 0 }),
    page('/sale', { sitemaps: '/map.xml' }),
    page('/lamp', { depth: 2 }),
    page('/hidden', { state: 'noindex' }),
    page('/gone', { status_code: 404, state: 'client_error' }),
    page('/closed', { status_code: null, state: 'robots_denied', is_robots_denied: true }),
    page('/image', { state: null }),
    page('/alone', { depth: null, sitemaps: '/map.xml' }),
    page('/old', { status_code: 301, state: 'redirect', redirect_location: url('/sale') }),
    page('/older', { status_code: 302, state: 'redirect', redirect_location: url('/old') }),
  ],
  "'link' AS kind": [{ source: url('/'), target: url('/sale'), kind: 'link' }],
  'AND links.is_internal': [
    ...['/sale', '/hidden', '/gone', '/closed', '/image', '/old', '/older'].map((target) => ['/', target]),
    ['/sale', '/lamp'],
    ['/alone', '/unread'],
  ].map(([origin = '', target = '']) => ({ origin: url(origin), target: url(target) })),
};

test('a page that redirects loses its links, and links to it lead to its target', async () => {
  const rehearsal = await rehearse(['/sale,/alone'], OLD);
  expect(Rehearsal.parse(rehearsal)).toEqual(rehearsal);
  expect(changes(rehearsal)).toEqual([
    ['/sale', 'redirected', 'redirect', 1],
    ['/old', 'longer', 'redirect', 1],
    ['/older', 'longer', 'redirect', 1],
    ['/lamp', 'unreachable', null, null],
    ['/alone', 'linked', 'indexable', 2],
  ]);
  expect(rehearsal.notes).toEqual([
    '1 page that gets a path has links to URLs outside the crawl. More pages may keep a path.',
  ]);
  expect(rehearsal.pages[0]).toMatchObject({ clicks: 40, hits: 8, depth_before: 1 });
  expect(redirects(rehearsal)).toEqual([
    ['/old', 1, 2, '/alone', 'longer'],
    ['/older', 2, 3, '/alone', 'longer'],
    ['/sale', 0, 1, '/alone', null],
  ]);
  expect(rehearsal.sitemaps).toEqual([
    { url: url('/sale'), sitemap: '/map.xml', action: `replace: redirects to ${url('/alone')}` },
  ]);
  expect(rehearsal.links.map(({ source, kind, action }) => [path(source), kind, action])).toContainEqual([
    ...['/', 'link'],
    `update: the target redirects to ${url('/alone')}`,
  ]);
});

test('chains lead through redirects of the file, of the crawl, and outside the crawl', async () => {
  const rehearsal = await rehearse(['/lamp,/moved', '/moved,/older', '/old,/alone,302'], OLD);
  expect(redirects(rehearsal)).toEqual([
    ['/lamp', 0, 4, '/alone', 'chain'],
    ['/moved', null, 3, '/alone', 'chain'],
    ['/old', 1, 1, '/alone', null],
    // Its final URL is another one.
    ['/older', 2, 2, '/alone', null],
  ]);
  expect(changes(rehearsal)).toEqual([
    ['/lamp', 'redirected', 'redirect', 2],
    ['/old', 'redirected', 'redirect', 1],
    ['/moved', 'not_in_crawl', 'redirect', 3],
    ['/lamp', 'chain', 'redirect', 2],
    ['/moved', 'chain', 'redirect', 3],
    ['/alone', 'linked', 'indexable', 2],
  ]);
  expect(rehearsal.pages[2]).toMatchObject({ is_in_crawl: false, state_before: null, depth_before: null });
});

test('a loop has no final URL, also if it leads through redirects of the crawl', async () => {
  const rehearsal = await rehearse(['/sale,/older', '/lamp,/sale', '/a,/b', '/b,/a'], OLD);
  expect(redirects(rehearsal)).toEqual([
    ['/sale', 0, 3, undefined, 'loop'],
    ['/lamp', 0, 4, undefined, 'loop'],
    ['/a', null, 2, undefined, 'loop'],
    ['/b', null, 2, undefined, 'loop'],
    ['/old', 1, 3, undefined, 'loop'],
    ['/older', 2, 3, undefined, 'loop'],
  ]);
  expect([count(rehearsal, 'loop'), count(rehearsal, 'chain'), count(rehearsal, 'longer')]).toEqual([
    6, 0, 0,
  ]);
  expect(rehearsal.sitemaps.map(({ action }) => action)).toEqual(['remove: redirects in a loop']);
});

test('a target has an answer that is known or unknown', async () => {
  const targets = ['/gone', '/hidden', '/closed', '/image', '/nowhere', 'https://other.example/', '/sale'];
  const rehearsal = await rehearse(
    targets.map((target, place) => `/a${place},${target}`),
    OLD,
  );
  expect(rehearsal.redirects.map(({ target, problems }) => [path(target), problems])).toEqual([
    ['/gone', 'target_error'],
    ['/hidden', 'target_not_indexable'],
    ['/closed', 'target_unknown'],
    ['/image', 'target_unknown'],
    ['/nowhere', 'target_unknown'],
    ['https://other.example/', 'target_unknown'],
    ['/sale', null],
  ]);
  const hidden = await rehearse(['/sale,/hidden'], OLD);
  expect(hidden.sitemaps.map(({ action }) => action)).toEqual([`remove: redirects to ${url('/hidden')}`]);
  expect(count(rehearsal, 'not_in_crawl')).toBe(7);
  // A sitemap may contain them.
  expect(rehearsal.figures.find(({ figure }) => figure === 'sitemaps')).toMatchObject({
    count: null,
    why: 'the crawl does not know the sitemap entries of 7 URLs',
  });
  expect(rehearsal.notes).toEqual([
    'Links on 2 targets outside the crawl are unknown. More pages may keep a path.',
  ]);
  const output = printBlocks(rehearsalBlocks(rehearsal, 'crawlhouse rehearse'), { width: 120 });
  expect(output).toContain('Shop: moves.csv rehearsed on crawl 2');
  expect(output).toMatch(/^https:\/\/shop\.example\/a2 +https:\/\/shop\.example\/closed +- → 1 +blocked$/m);
  expect(output).toMatch(/^https:\/\/shop\.example\/a4 .* not in the crawl$/m);
});

test('a source outside the crawl has its clicks and hits, and a redirect without a location is an error', async () => {
  const bare = page('/bare', { status_code: 302, state: 'redirect' });
  const pages = [page('/', { depth: 0 }), bare];
  const rehearsal = await rehearse(['/sale/old,/bare'], { ...OLD, 'pages.sitemaps_file_origin': pages });
  expect(rehearsal.pages).toMatchObject([
    { change: 'not_in_crawl', is_in_crawl: false, clicks: 0, hits: 2 },
    { change: 'target_error', hits: 2 },
  ]);
});

test('a redirect that the crawl found changes nothing, and a blocked page is not judged', async () => {
  const rehearsal = await rehearse(['/old,/sale', '/older,/old,301', '/closed,/sale', '/img/*,/'], OLD);
  expect(changes(rehearsal)).toEqual([
    // Only its status differs.
    ['/older', 'redirected', 'redirect', 1],
    ['/img/*', 'not_in_crawl', 'redirect', null],
    ['/older', 'chain', 'redirect', 1],
    ['/closed', 'unjudged', 'robots_denied', 1],
  ]);
  expect(rehearsal.notes).toEqual([
    'Not counted, because the crawl already found them: 1 redirect.',
    'Not expanded, because * is not a pattern here: 1 redirect.',
  ]);
});

test('without links, clicks and hits, their figures are unknown', async () => {
  const found = { 'FROM mart.log_days': [], 'FROM mart.ranking_days': [], ...OLD };
  const crawl = {
    ...{ crawl_id: 'c2', project_id: 'p', project: 'Shop', crawl_number: 2, ended_at: null },
    ...{ has_links: false, has_all_links: null, start_url: null, scope_note: null },
  };
  const bare = await rehearse(['/sale,/'], { 'crawls.has_all_links, projects.start_url': [crawl], ...found });
  const figures = bare.figures.map(({ figure, count: of, clicks, hits }) => [figure, of, clicks, hits]);
  expect(figures).toContainEqual(['redirected', 1, null, null]);
  for (const figure of ['orphan', 'deeper', 'linked', 'links', 'linking_pages'])
    expect(figures).toContainEqual([figure, null, null, null]);
  expect(bare.pages[0]).toMatchObject({ depth_before: null, depth_after: null, clicks: null, hits: null });
});

const withPages = (...more: readonly object[]): Found => {
  return { ...OLD, 'pages.sitemaps_file_origin': [...(OLD['pages.sitemaps_file_origin'] ?? []), ...more] };
};
const links = (...targets: readonly string[]) =>
  targets.map((target) => ({ origin: url('/'), target: target.startsWith('/') ? url(target) : target }));

test('links and redirects of the crawl lead through sources outside the crawl', async () => {
  const moved = { status_code: 301, state: 'redirect', redirect_location: url('/%75nread') };
  for (const target of ['/unread', '/moved']) {
    const found = { ...withPages(page('/moved', moved)), 'AND links.is_internal': links(target, '/sale') };
    const rehearsal = await rehearse(['/unread,/alone'], found);
    const depth = target === '/unread' ? 1 : 2;
    expect(changes(rehearsal)).toContainEqual(['/unread', 'not_in_crawl', 'redirect', depth]);
    expect(changes(rehearsal)).toContainEqual(['/alone', 'linked', 'indexable', depth + 1]);
    expect(rehearsal.notes).not.toContainEqual(expect.stringContaining('gets a path'));
  }
});

test('links to a source on another host give it a path', async () => {
  const found = {
    'links.is_internal IS NOT TRUE': links('https://old.example/a', 'https://x.example/'),
    ...OLD,
  };
  expect(changes(await rehearse(['https://old.example/a,/alone'], found))).toEqual([
    ['https://old.example/a', 'not_in_crawl', 'redirect', 1],
    ['/alone', 'linked', 'indexable', 2],
  ]);
});

test('a page that did not answer redirects too', async () => {
  const slow = page('/slow', { status_code: null, state: 'no_answer' });
  const rehearsal = await rehearse(['/slow,/alone'], withPages(slow));
  expect(changes(rehearsal)).toEqual([
    ['/slow', 'redirected', 'redirect', 1],
    ['/alone', 'linked', 'indexable', 2],
  ]);
  expect(redirects(rehearsal)).toEqual([['/slow', null, 1, '/alone', null]]);
});

test.for([
  ['/lamp', 'replace: redirects to https://shop.example/lamp'],
  ['/image', 'check the target first: redirects to https://shop.example/image'],
  ['/nowhere', 'check the target first: redirects to https://shop.example/nowhere'],
  ['/closed', 'remove: redirects to https://shop.example/closed'],
  ['https://other.example/', 'remove: redirects to https://other.example/'],
])('the sitemap entry of a page that redirects to %s', async ([target, action]) => {
  expect((await rehearse([`/sale,${target}`], OLD)).sitemaps).toMatchObject([{ url: url('/sale'), action }]);
});

test('a redirect without a status in the file is the one of the crawl', async () => {
  const rehearsal = await rehearse(['/older,/old'], OLD);
  expect([changes(rehearsal), rehearsal.notes]).toEqual([
    [],
    ['Not counted, because the crawl already found them: 1 redirect.'],
  ]);
});

test('spellings of one URL redirect together, and so do references to it', async () => {
  const reference = { source: url('/'), target: url('/%7eshop'), kind: 'link' };
  const found = { ...withPages(page('/%7Eshop'), page('/~shop')), "'link' AS kind": [reference] };
  const rehearsal = await rehearse(['/~shop,/sale'], found);
  expect(changes(rehearsal)).toEqual([
    ['/%7Eshop', 'redirected', 'redirect', 1],
    ['/~shop', 'redirected', 'redirect', 1],
  ]);
  expect(redirects(rehearsal).map(([of]) => of)).toEqual(['/%7Eshop', '/~shop']);
  expect(rehearsal.links).toMatchObject([{ target: url('/%7eshop') }]);
});

test('an existing redirect with fewer hops to the same page is listed', async () => {
  const oldest = { status_code: 301, state: 'redirect', redirect_location: url('/older') };
  expect(redirects(await rehearse(['/older,/sale'], withPages(page('/oldest', oldest))))).toEqual([
    ['/older', 2, 1, '/sale', null],
    ['/oldest', 3, 2, '/sale', null],
  ]);
});

test('only a status that browsers follow is a redirect', async () => {
  const choices = page('/choices', { status_code: 300, state: 'redirect', redirect_location: url('/sale') });
  expect(redirects(await rehearse(['/lamp,/choices'], withPages(choices)))).toEqual([
    ['/lamp', 0, 1, '/choices', 'target_error'],
  ]);
});

test('a chain of any length is followed once', () => {
  const next = new Map(Array.from({ length: 30_000 }, (_, place) => [`${place}`, `${place + 1}`]));
  const chain = chainsOf((of) => next.get(of));
  const hops = [...next.keys()].map((of) => chain(of).hops);
  expect([hops[0], hops.at(-1)]).toEqual([30_000, 1]);
});
