import { expect, test } from 'vitest';
import type { Crawl } from '../../../../src/client/resources/crawls.ts';
import { listIncrementally } from '../../../../src/etl/pipeline/discover/list-incrementally.ts';
import { CRAWLS, listed } from '../../../../src/etl/pipeline/discover/list-kinds.ts';
import type { KnownItem, KnownList, ListReading } from '../../../../src/etl/project/model/inventory.ts';
import { Pipeline } from '../../../../src/etl/project/model/pipeline.ts';
import { type TestService, testClient } from '../../../client/test-service.ts';
import { crawlsDownFrom, listService, type SomeCrawl, someCrawl } from './list-service.ts';

const signal = new AbortController().signal;

const PIPELINE = Pipeline.parse({
  dataset: 'crawls',
  description: 'crawls',
  source: { kind: 'resource', data_type: 'crawls' },
  columns: { id: 'string' },
});

/** What a sweep of these crawls leaves behind. */
function knownOf(crawls: readonly SomeCrawl[], more: Partial<KnownItem> = {}): KnownList {
  const items = crawls.map((crawl): [string, KnownItem] => [
    crawl.id,
    { ...listed(CRAWLS, crawl as Crawl, PIPELINE), pending: false, gone: false, ...more },
  ]);
  return { items: new Map(items), swept_at: 0 };
}

function list(
  service: TestService,
  known: KnownList,
  { sweep = false, loads = true } = {},
): Promise<ListReading<Crawl>> {
  return listIncrementally(
    { client: testClient(service), kind: CRAWLS, workspaceId: 'w' },
    known,
    { sweep, pipeline: loads ? PIPELINE : undefined },
    signal,
  );
}

const idsOf = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);

test.for([100, 10_000])('with %i known crawls and nothing new, one page is requested', async (count) => {
  const crawls = crawlsDownFrom(count + 50);
  const service = await listService(() => crawls);
  const found = await list(service, knownOf(crawls));
  expect(service.seen).toHaveLength(1);
  expect(found).toMatchObject({ total: count + 50, changed: [], gone: [], isSwept: false });
  expect(found.items).toHaveLength(count + 50);
});

test('new crawls are read until the first page with only known ones', async () => {
  const crawls = crawlsDownFrom(500);
  const service = await listService(() => crawls);
  const found = await list(service, knownOf(crawls.slice(120)));
  expect(service.seen.map(({ path }) => /offset=(\d+)/.exec(path)?.[1])).toEqual(['0', '100', '200']);
  expect(idsOf(found.changed)).toEqual(idsOf(crawls.slice(0, 120)));
  expect(found.items).toHaveLength(500);
});

test('an unknown list is read to its end', async () => {
  const service = await listService(() => crawlsDownFrom(250));
  const found = await list(service, { items: new Map(), swept_at: null });
  expect(service.seen).toHaveLength(3);
  expect(found.isSwept).toBe(true);
  expect(found.changed).toHaveLength(250);
});

test('unfinished crawls are requested by id, fifty in one request', async () => {
  const open = ['running', 'paused', 'pausing', 'terminating', 'archiving', 'unarchiving', 'a_new_state'];
  const crawls = crawlsDownFrom(400).map((crawl, index) =>
    index >= 200 && index < 270 ? { ...crawl, status: open[index % open.length] as string } : crawl,
  );
  const ended = crawls.map((crawl, index) => (index === 230 ? { ...crawl, status: 'done' } : crawl));
  const service = await listService(() => ended);
  const found = await list(service, knownOf(crawls));
  expect(service.seen).toHaveLength(3);
  expect(idsOf(found.changed)).toEqual([crawls[230]?.id]);
  expect(found.items.find(({ id }) => id === crawls[230]?.id)?.status).toBe('done');
});

test('an unfinished crawl that is deleted is confirmed missing by its own address', async () => {
  const crawls = crawlsDownFrom(300).map((crawl, index) =>
    index === 250 ? { ...crawl, status: 'paused' } : crawl,
  );
  const left = crawls.toSpliced(250, 1);
  const service = await listService(() => left);
  const found = await list(service, knownOf(crawls));
  expect(service.seen).toHaveLength(3);
  expect(service.seen.at(-1)?.path).toMatch(/\/crawls\/c50$/);
  expect(found).toMatchObject({ total: 299, gone: ['c50'], isSwept: false });
  expect(found.items).toHaveLength(299);
});

test.for([
  ['an ended crawl that was deleted', (all: SomeCrawl[]) => all.toSpliced(250, 1), [], ['c50']],
  ['a late one', (all: SomeCrawl[]) => all.toSpliced(280, 0, someCrawl('late')), ['late'], []],
  [
    'one deleted and a new one',
    (all: SomeCrawl[]) => [someCrawl('new'), ...all.toSpliced(250, 1)],
    ['new'],
    ['c50'],
  ],
] as const)(
  'if the total shows that %s is missing, the whole list is read',
  async ([, change, more, less]) => {
    const crawls = crawlsDownFrom(300);
    const service = await listService(() => change(crawls));
    const found = await list(service, knownOf(crawls));
    expect(found.isSwept).toBe(true);
    expect(idsOf(found.changed)).toEqual(more);
    expect(found.gone).toEqual(less);
    expect(found.items).toHaveLength(300 + more.length - less.length);
  },
);

test('crawls that appear while the list is read are neither missed nor duplicated', async () => {
  const crawls = crawlsDownFrom(350);
  // One more with each of the first requests, so every page shifts by one.
  const service = await listService((request) => {
    const more = Math.min(request, 3);
    return [...Array.from({ length: more }, (_none, index) => someCrawl(`n${more - index}`)), ...crawls];
  });
  const found = await list(service, knownOf(crawls.slice(150)));
  expect(new Set(idsOf(found.items)).size).toBe(found.items.length);
  expect(found.items).toHaveLength(found.total);
});

test('a crawl deleted during a full read causes no other crawl to be missed', async () => {
  const crawls = crawlsDownFrom(250);
  const service = await listService((request) => (request === 1 ? crawls : crawls.toSpliced(10, 1)));
  const found = await list(service, { items: new Map(), swept_at: null });
  expect(idsOf(found.items)).toEqual(idsOf(crawls.toSpliced(10, 1)));
});

test('a full resync reads everything even if the newest page is known', async () => {
  const crawls = crawlsDownFrom(300);
  const swapped = crawls.with(299, { ...crawls[299], status: 'archived' } as SomeCrawl);
  const service = await listService(() => swapped);
  const found = await list(service, knownOf(crawls), { sweep: true });
  expect(service.seen).toHaveLength(3);
  expect(idsOf(found.changed)).toEqual(['c1']);
});

test('records missing from raw are requested again, and deleted ones stay pending until raw has them', async () => {
  const crawls = crawlsDownFrom(300);
  const known = knownOf(crawls);
  const before = known.items.get('c20') as KnownItem;
  const gone = { ...before, id: 'x', gone: true, pending: true };
  const items = new Map([...known.items, ['c20', { ...before, pending: true }], ['x', gone]]);
  const service = await listService(() => crawls);
  const found = await list(service, { ...known, items });
  expect(idsOf(found.changed)).toEqual(['c20']);
  expect(found.gone).toEqual(['x']);
  expect(service.seen).toHaveLength(2);
  const without = await list(service, { ...known, items }, { loads: false });
  expect(without.changed).toEqual([]);
});

test('a record with changed content is a change for the pipeline of the list, changed secrets are not', async () => {
  const config = {
    id: 'k',
    name: 'daily',
    start_url: 'https://x',
    max_speed: 1,
    user_agent: 'a',
    http_auth: { password: 'old' },
  };
  const crawls = crawlsDownFrom(150).map((crawl) => ({ ...crawl, crawl_config: config }));
  const known = knownOf(crawls);
  const later = crawls
    .with(0, { ...crawls[0], fetched_urls: 7 } as never)
    .with(1, { ...crawls[1], crawl_config: { ...config, http_auth: { password: 'new' } } } as never);
  const service = await listService(() => later);
  expect(idsOf((await list(service, known)).changed)).toEqual(['c150']);
  expect((await list(service, known, { loads: false })).changed).toEqual([]);
});
