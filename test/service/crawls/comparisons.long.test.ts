import { expect, test } from 'vitest';
import type { CrawlOverCrawlInput } from '../../../src/client/resources/crawl-over-crawls.ts';
import { field, importFolder, type Json } from '../support.ts';
import { type Living, living, refusal, SECOND, START } from './living.ts';

const FIELDS = [
  field('url', 'string'),
  field('status_code', 'natural'),
  field('title', 'string'),
  field('depth', 'string'),
];

/** A life with two imported crawls of a project: their pages given by URL, and whatever else. */
async function compared(
  pages1: readonly Json[],
  pages2: readonly Json[],
): Promise<{ life: Living; pair: { crawl1: string; crawl2: string } }> {
  const dirs = [
    await importFolder('shop-2026-01-01', { pages: { fields: FIELDS, rows: pages1 } }),
    await importFolder('shop-2026-01-08', { pages: { fields: FIELDS, rows: pages2 } }),
  ];
  const life = await living({ generate: [], importDirs: dirs });
  const [crawl1, crawl2] = await life.crawls();
  return { life, pair: { crawl1: String(crawl1?.id), crawl2: String(crawl2?.id) } };
}

async function comparedRows(life: Living, id: string, fields: readonly string[]): Promise<unknown[]> {
  const { urls } = await life.client.search(
    { kind: 'crawl_over_crawl', id: id },
    { fields: [...fields], limit: 100 },
  );
  return urls ?? [];
}

const PAGES_1 = [
  { url: 'https://a.example/', status_code: 200, title: 'Home', depth: '0' },
  { url: 'https://a.example/gone', status_code: 200, title: null, depth: 'deep' },
  { url: 'https://a.example/kept', status_code: 200, title: 'Old' },
];
const PAGES_2 = [
  { url: 'https://a.example/', status_code: 200, title: 'Home', depth: '0' },
  { url: 'https://a.example/new', status_code: 404, title: 'New' },
  { url: 'https://a.example/kept', status_code: 301, title: 'Changed' },
];

test('a comparison runs for ten seconds, then has a row for each URL of both crawls', async () => {
  const { life, pair } = await compared(PAGES_1, PAGES_2);
  const { client } = life;
  const launched = await client.call('launchCrawlOverCrawl', { project_id: life.projectId, query: pair });
  expect(launched).toMatchObject({
    project_id: life.projectId,
    crawl1_id: pair.crawl1,
    crawl2_id: pair.crawl2,
    status: 'running',
    end_date: null,
    end_reason: null,
    attached_to_a_crawl: false,
    last_data_accessed_at: null,
    configuration: { id: expect.any(String), name: 'default', url_transformations: [] },
    network_name: expect.any(String),
    version: expect.any(String),
  });
  expect(await refusal(client.search({ kind: 'crawl_over_crawl', id: launched.id }, {}))).toMatchObject({
    code: 'wrong_state',
  });
  const comparing = `${launched.id} is comparing ${pair.crawl1}: wait until it is done`;
  expect(String(await refusal(client.call('deleteCrawl', { crawl_id: pair.crawl1 })))).toContain(comparing);
  await life.clock(START + 11 * SECOND);
  const done = await client.call('crawlOverCrawl', { crawl_over_crawl_id: launched.id });
  expect(done).toEqual({
    ...launched,
    status: 'done',
    end_reason: 'ok',
    end_date: Number(launched.creation_date) + 10 * SECOND,
  });
  const names = [
    'url',
    'presence',
    'crawl1_status_code',
    'crawl2_status_code',
    'crawl1_title',
    'crawl2_title',
    'crawl1_depth',
  ];
  const rows = (await comparedRows(life, done.id, names)) as Json[];
  expect(rows.map((row) => names.map((name) => row[name]))).toEqual([
    ['https://a.example/', 'in_both', 200, 200, 'Home', 'Home', 0],
    ['https://a.example/gone', 'only_crawl1', 200, null, null, null, null],
    ['https://a.example/kept', 'in_both', 200, 301, 'Old', 'Changed', null],
    ['https://a.example/new', 'only_crawl2', null, 404, null, 'New', null],
  ]);
  // A field that neither crawl has is there and null.
  expect(await comparedRows(life, done.id, ['crawl1_word_count'])).toEqual(
    Array(4).fill({ crawl1_word_count: null }),
  );
  expect(
    (await client.call('crawlOverCrawl', { crawl_over_crawl_id: done.id })).last_data_accessed_at,
  ).toBeGreaterThan(START);
  expect((await client.call('project', { project_id: life.projectId })).project.crawl_over_crawl_ids).toEqual(
    [done.id],
  );

  await client.call('deleteCrawlOverCrawl', { crawl_over_crawl_id: done.id });
  expect(await refusal(client.call('crawlOverCrawl', { crawl_over_crawl_id: done.id }))).toMatchObject({
    code: 'not_found',
  });
  expect(await refusal(client.search({ kind: 'crawl_over_crawl', id: done.id }, {}))).toMatchObject({
    code: 'not_found',
  });
  expect((await client.call('project', { project_id: life.projectId })).project.crawl_over_crawl_ids).toEqual(
    [],
  );
});

const MOVED = [
  { url: 'http://old.example/' },
  { url: 'http://old.example/shop/a' },
  { url: 'https://www.old.example:8080/b?x=old.example' },
  { url: 'https://sold.example/c' },
];
const replaced = (
  type: 'replace_prefix' | 'replace_domain',
  crawl_to_transform: 1 | 2,
  find: string,
  replace: string,
): CrawlOverCrawlInput => ({
  configuration: {
    name: 'moved',
    url_transformations: { type, crawl_to_transform, config: { find, replace } },
  },
});

test.each([
  [
    replaced('replace_prefix', 1, 'http://old.example/shop', 'https://a.example'),
    [
      ['http://old.example/', 'only_crawl1', 'http://old.example/'],
      ['https://a.example/a', 'in_both', 'http://old.example/shop/a'],
      [
        'https://www.old.example:8080/b?x=old.example',
        'only_crawl1',
        'https://www.old.example:8080/b?x=old.example',
      ],
      ['https://sold.example/c', 'only_crawl1', 'https://sold.example/c'],
    ],
  ],
  [
    replaced('replace_domain', 1, 'old.example', 'new.example'),
    [
      ['http://new.example/', 'only_crawl1', 'http://old.example/'],
      ['http://new.example/shop/a', 'only_crawl1', 'http://old.example/shop/a'],
      [
        'https://www.old.example:8080/b?x=old.example',
        'only_crawl1',
        'https://www.old.example:8080/b?x=old.example',
      ],
      ['https://sold.example/c', 'only_crawl1', 'https://sold.example/c'],
      ['https://a.example/a', 'only_crawl2', null],
    ],
  ],
  [
    replaced('replace_domain', 1, 'old.example:8080', 'new.example'),
    [
      ['http://old.example/', 'only_crawl1', 'http://old.example/'],
      ['http://old.example/shop/a', 'only_crawl1', 'http://old.example/shop/a'],
      [
        'https://www.new.example/b?x=old.example',
        'only_crawl1',
        'https://www.old.example:8080/b?x=old.example',
      ],
      ['https://sold.example/c', 'only_crawl1', 'https://sold.example/c'],
      ['https://a.example/a', 'only_crawl2', null],
    ],
  ],
])('URLs are rewritten before the comparison: %j', async (input, expected) => {
  const { life, pair } = await compared(MOVED, [{ url: 'https://a.example/a' }]);
  const { id, configuration } = await life.client.call('launchCrawlOverCrawl', {
    project_id: life.projectId,
    query: pair,
    body: input,
  });
  expect(configuration).toMatchObject({
    name: 'moved',
    url_transformations: [input.configuration?.url_transformations],
  });
  await life.clock(START + 11 * SECOND);
  const names = ['url', 'presence', 'crawl1_url'];
  const rows = (await comparedRows(life, id, names)) as Json[];
  expect(rows.map((row) => names.map((name) => row[name]))).toEqual(expected);
});

test('the second crawl can be rewritten instead', async () => {
  const { life, pair } = await compared([{ url: 'https://a.example/a' }], MOVED);
  const input = replaced('replace_prefix', 2, 'http://old.example/shop', 'https://a.example');
  const { id } = await life.client.call('launchCrawlOverCrawl', {
    project_id: life.projectId,
    query: pair,
    body: input,
  });
  await life.clock(START + 11 * SECOND);
  expect(await comparedRows(life, id, ['presence', 'crawl2_url'])).toContainEqual({
    presence: 'in_both',
    crawl2_url: 'http://old.example/shop/a',
  });
});

test('a rewrite that merges two URLs ends the comparison without rows', async () => {
  const { life, pair } = await compared(
    [{ url: 'http://a.example/x' }, { url: 'https://a.example/x' }],
    PAGES_2,
  );
  const input = replaced('replace_prefix', 1, 'http://', 'https://');
  const { id } = await life.client.call('launchCrawlOverCrawl', {
    project_id: life.projectId,
    query: pair,
    body: input,
  });
  await life.clock(START + 11 * SECOND);
  expect(await life.client.call('crawlOverCrawl', { crawl_over_crawl_id: id })).toMatchObject({
    status: 'cancelled',
    end_reason: 'conflicting_urls',
  });
  expect(await refusal(life.client.search({ kind: 'crawl_over_crawl', id: id }, {}))).toMatchObject({
    code: 'wrong_state',
  });
});

test('with trigger_coc, a finished crawl is compared with the previous one', async () => {
  const life = await living();
  const { client } = life;
  const config = await life.config({ trigger_coc: true });
  const first = await client.call('launchCrawl', { project_id: life.projectId, query: { configId: config } });
  await life.clock(START + 61 * SECOND);
  const second = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: config },
  });
  await life.clock(START + 300 * SECOND);
  const { items } = await client.all('crawlOverCrawls', { workspace_id: life.workspaceId });
  expect(items).toMatchObject([
    {
      crawl1_id: first.id,
      crawl2_id: second.id,
      status: 'done',
      attached_to_a_crawl: true,
      creation_date: Number(second.created_at) + 60 * SECOND,
    },
  ]);
});

test('generated comparisons are reproducible, and listed by created_at', async () => {
  const options = { generate: ['crawls=3,comparisons=2,pages=300,columns=8'] };
  const life = await living(options);
  const { client, workspaceId } = life;
  const all = await Array.fromAsync(
    client.list('crawlOverCrawls', {
      workspace_id: workspaceId,
      query: { sort: { name: 'created_at', order: 'asc' } },
    }),
  );
  const crawls = await life.crawls();
  expect(all.map(({ crawl1_id, crawl2_id }) => [crawl1_id, crawl2_id])).toEqual([
    [crawls[0]?.id, crawls[1]?.id],
    [crawls[1]?.id, crawls[2]?.id],
  ]);
  expect(all.every((one) => !('created_at' in one))).toBe(true);
  const filters = { field: ['created_at', 'gt', Number(all[0]?.creation_date)] } as const;
  expect(
    await Array.fromAsync(
      client.list('crawlOverCrawls', { workspace_id: workspaceId, query: { filters: filters as never } }),
    ),
  ).toEqual([all[1]]);
  const counted = await life.service.api(`/data/crawl_over_crawl/${all[0]?.id}/pages/aggs`, {
    body: { aggs: [{ fields: [{ name: 'presence' }] }] },
  });
  const [{ rows }] = counted.json.aggs as [{ rows: [string, number][] }];
  const count = Object.fromEntries(rows);
  expect(count.in_both).toBeGreaterThan(270);
  expect(count.only_crawl1).toBe(300 - Number(count.in_both));
  expect(count.only_crawl2).toBe(count.only_crawl1);
  const again = await living(options);
  expect((await again.client.all('crawlOverCrawls', { workspace_id: workspaceId })).items).toEqual(
    all.toReversed(),
  );
  await expect(living({ generate: ['crawls=2,comparisons=2'] })).rejects.toMatchObject({ code: 'usage' });
});
