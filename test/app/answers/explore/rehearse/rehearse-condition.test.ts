import { expect, test } from 'vitest';
import { askedRows } from '../../../../../src/app/answers/explore/rehearse/asked-rows.ts';
import { readAtStake } from '../../../../../src/app/answers/explore/rehearse/at-stake.ts';
import {
  readCrawledPages,
  readCrawlGraph,
} from '../../../../../src/app/answers/explore/rehearse/crawl-graph.ts';
import {
  rehearseNoindex,
  rehearseRemoval,
} from '../../../../../src/app/answers/explore/rehearse/rehearse-condition.ts';
import { rehearsedPages } from '../../../../../src/app/answers/explore/rehearse/rehearsed-pages.ts';
import { page, rehearsedSite, url } from './rehearsed-site.ts';

const UNREAD = { status_code: null, is_robots_denied: false, sitemaps: '/map.xml' };
const SITE = rehearsedSite({
  'pages.sitemaps_file_origin': [
    page('/', { depth: 0 }),
    page('/sale', { sitemaps: '/map.xml' }),
    page('/lamp', { depth: 2, sitemaps: '/map.xml' }),
    page('/old', { depth: 2, status_code: 404, state: 'client_error' }),
    page('/blue', { depth: 3 }),
    page('/silent', { ...UNREAD, state: 'no_answer' }),
    page('/closed', { ...UNREAD, state: 'robots_denied', status_code: 200, is_robots_denied: true }),
  ],
  'AND links.is_internal': [
    ...['/sale', '/silent', '/closed'].map((target) => ['/', target]),
    ...[...['/lamp', '/old'].map((target) => ['/sale', target]), ['/lamp', '/blue']],
  ].map(([origin = '', target = '']) => ({ origin: url(origin), target: url(target) })),
});

async function rehearse(judge: typeof rehearseRemoval, paths: readonly string[], unknown = 0) {
  const asked = askedRows(SITE, new AbortController().signal);
  const graph = await readCrawlGraph(asked, 'c2', await readCrawledPages(asked, 'c2'), []);
  const stake = await readAtStake(asked, { crawl_id: 'c2', project_id: 'p' });
  const matching = paths.map((path) => graph.numberOf.get(url(path)) ?? -1);
  const effect = judge({ matching, unknown }, graph);
  const { rows } = rehearsedPages({ graph, stake, effect, hasLinks: true });
  const changes = rows.map(({ url: of, change, depth_after }) => [
    of.slice(url('').length),
    change,
    depth_after,
  ]);
  return { changes, effect };
}

test('a removed page is not an orphan too, and neither is one that answers 404 already', async () => {
  const { changes, effect } = await rehearse(rehearseRemoval, ['/sale', '/lamp', '/old']);
  expect(changes).toEqual([
    ['/sale', 'removed', 1],
    ['/lamp', 'removed', null],
    ['/blue', 'unreachable', null],
  ]);
  // References on a page that answers 404 already need no update.
  expect([...effect.changed.values()].map(({ state, isGone }) => [state, isGone])).toEqual([
    ...['client_error', 'client_error', 'client_error'].map((state) => [state, true]),
  ]);
  expect(effect.notes).toEqual(['1 matching page is not counted: it answers 404 or 410 already.']);
});

test('pages for which the condition is unknown are noted', async () => {
  const note = 'Not judged, because the condition is unknown for them: 2 pages.';
  expect((await rehearse(rehearseRemoval, [], 2)).effect.notes).toEqual([note]);
  expect((await rehearse(rehearseNoindex, ['/sale'], 2)).effect.notes).toEqual([note]);
  const none = await rehearse(rehearseNoindex, []);
  expect(none.effect.notes).toEqual(['No page of the crawl meets the condition.']);
});

test('pages that the crawl did not read are not judged', async () => {
  const unread = ['/silent', '/closed'];
  const removal = await rehearse(rehearseRemoval, unread);
  expect(removal.changes.map(([, change]) => change)).toEqual(['unjudged', 'unjudged']);
  expect([...removal.effect.linked.keys()]).toEqual(unread.map(url));
  const noindex = await rehearse(rehearseNoindex, [...unread, '/sale']);
  expect(noindex.changes.map(([path, change]) => [path, change])).toEqual([
    ['/sale', 'lost'],
    ...['/closed', '/silent'].map((path) => [path, 'unjudged']),
  ]);
  // Whether an unread page gets a noindex that a search engine reads is unknown.
  expect([[...noindex.effect.listed], [...noindex.effect.linked]]).toEqual([
    [[url('/sale'), 'remove: noindex']],
    [[url('/sale'), 'update: the target gets noindex']],
  ]);
});
