import { expect, test } from 'vitest';
import { filterOfQuery } from '../../../../../src/app/answers/explore/pages/page-filter.ts';
import { pageStatement } from '../../../../../src/app/answers/explore/pages/page-statement.ts';
import { CRAWL, fakeWarehouse } from '../fake-warehouse.ts';

const { signal } = new AbortController();
const statementOf = (query: string, more: Parameters<typeof fakeWarehouse>[0] = {}) =>
  pageStatement(fakeWarehouse(more).warehouse, filterOfQuery('p', new URLSearchParams(query)), signal);
const shownOf = async (query: string, more: Parameters<typeof fakeWarehouse>[0] = {}) =>
  /^SELECT (.*)/
    .exec((await statementOf(query, more)).sql)?.[1]
    ?.replaceAll('"', '')
    .split(', ');

const USUAL = ['url', 'status_code', 'is_indexable', 'depth', 'nb_inlinks', 'title'];
const IS_RELATED = { 'AS are_related': [{ are_related: true, are_rechecked: true }] };
const WITH_DAYS = { 'SELECT DISTINCT kind': [{ kind: 'search' }, { kind: 'logs' }] };

test.each([
  ['', {}, [...USUAL, 'inrank_decimal']],
  ['sort=depth', {}, USUAL],
  ['columns=h1&depth=gte:2', {}, [...USUAL, 'h1', 'inrank_decimal']],
  ['', WITH_DAYS, [...USUAL, 'clicks', 'search_bot_hits', 'inrank_decimal']],
  ['issue=thin&sort=depth', {}, ['url', 'why', ...USUAL.slice(1)]],
  ['issue=thin&sort=depth', IS_RELATED, ['url', 'why', 'related_url', ...USUAL.slice(1)]],
  ['change=title&sort=depth', {}, ['url', 'before', 'after', ...USUAL.slice(1)]],
  ['change=changed&sort=depth', {}, ['url', 'changed', ...USUAL.slice(1)]],
  ['change=removed&sort=depth', {}, ['url', 'reason', 'moved_to', ...USUAL.slice(1)]],
  [
    'change=is_indexable&sort=depth',
    {},
    ['url', 'before', 'after', 'non_indexable_reason', ...USUAL.slice(1)],
  ],
] as const)('the list of %j shows its columns', async (query, more, columns) => {
  expect(await shownOf(query, more)).toEqual(columns);
});

test.each([
  ['', { crawl: 'c2' }, null],
  ['depth=in:1,2', { crawl: 'c2', depth_1: '1', depth_2: '2' }, null],
  ['issue=thin', { crawl: 'c2', issue: 'thin' }, null],
  ['issue=thin&change=fixed', { crawl: 'c2', since: 'c1', issue: 'thin' }, 'c1'],
  ['change=added', { crawl: 'c2', since: 'c1' }, 'c1'],
  ['change=added&since=c0', { crawl: 'c2', since: 'c0' }, 'c0'],
  ['segment=product', { crawl: 'c2', segment: 'product', segmentation: 'template' }, null],
] as const)('%j has only the parameters of its SQL', async (query, expected, since) => {
  const { parameters, sql, since: other } = await statementOf(query);
  expect([Object.values(Object.fromEntries(parameters)), other]).toEqual([Object.values(expected), since]);
  for (const name of parameters.keys()) expect(sql).toContain(`$${name}`);
});

test.each([
  ['', '$crawl'],
  ['change=added', '$crawl'],
  ['change=removed', '$since'],
  ['change=title', '$crawl'],
  ['issue=thin&change=fixed', '$since'],
  ['issue=thin&change=new', '$crawl'],
])('the pages of %j belong to %s', async (query, own) => {
  const { sql, inlinks } = await statementOf(query);
  expect(sql).toContain(`WHERE pages.crawl_id = ${own}`);
  expect(inlinks).toContain(`WHERE links.crawl_id = ${own}`);
});

test('the rows of an issue are found in the crawl of its pages, which may have rechecked URLs', async () => {
  const { warehouse, asked } = fakeWarehouse(IS_RELATED);
  for (const change of ['new', 'fixed']) {
    const filter = filterOfQuery('p', new URLSearchParams({ issue: 'thin', change }));
    const { issue, sql } = await pageStatement(warehouse, filter, signal);
    expect(issue).toMatchObject({ issue: 'thin', fix: 'f' });
    expect(sql).toContain('FROM mart.rechecks');
  }
  const found = asked.filter(({ sql }) => sql.includes('AS are_related'));
  expect(found.map(({ parameters }) => parameters.crawl)).toEqual(['c2', 'c1']);
  expect((await statementOf('')).sql).toContain('FROM mart.pages AS pages');
  expect((await statementOf('', { 'AS chosen': [{ ...CRAWL, has_links: false }] })).inlinks).toBe(null);
  const off = { 'FROM mart.project_issues WHERE': [] };
  expect((await statementOf('issue=thin', off)).issue).toBe(null);
});

test('the rows of a part are found by their URLs, and what is joined to find them is not joined again', async () => {
  const { part } = await statementOf('segment=product');
  expect(part(10, 0)).toMatch(/JOIN \(SELECT DISTINCT \* FROM \(\nSELECT url\n[\s\S]*, url\nLIMIT 10\n\)/);
  expect(part(10, 0).match(/mart.page_segments/g)).toHaveLength(1);
  expect(part(10, 20)).toContain(', url\nOFFSET 20 LIMIT 10\n)');
  const beside = await statementOf('clicks=gte:1', WITH_DAYS);
  expect(beside.part(10, 0)).toContain('SELECT pages.*, listed.clicks FROM mart.pages');
  expect(beside.part(10, 0).match(/LEFT JOIN mart.page_(demand|hits)/g)).toEqual([
    'LEFT JOIN mart.page_demand',
    'LEFT JOIN mart.page_hits',
  ]);
  expect(beside.count).toContain('LEFT JOIN mart.page_demand');
  expect((await statementOf('sort=clicks')).count).not.toContain('LEFT JOIN mart.page_demand');
});

test('a list continues after the value of a page, in both directions', async () => {
  const [up, down] = [await statementOf('sort=depth'), await statementOf('sort=depth desc&title=eq:a')];
  expect(up.place).toMatch(/^SELECT CAST\("depth" AS VARCHAR\) AS value\n[\s\S]*WHERE url = \$after$/);
  expect(up.behind(false)).toContain(
    '("depth" > CAST($after_value AS BIGINT) OR ("depth" = CAST($after_value AS BIGINT) AND url > $after) OR "depth" IS NULL)',
  );
  expect(down.behind(false)).toContain('("depth" < CAST($after_value AS BIGINT) OR ');
  expect(down.behind(true)).toContain('\n  AND ("depth" IS NULL AND url > $after)');
});

const LACKS = {
  before: 1,
  after: 1,
  ...{ issue: 'thin', title: 'Thin', severity: 'low', category: 'c', is_by_days: true, is_sampled: false },
  ...{ lacks_before: null, lacks_after: null },
};

test.each([
  ['since=c1', {}, '--since needs --change', '--change with added'],
  [
    'change=added',
    { 'AS chosen': [{ ...CRAWL, previous_crawl_id: null }] },
    'crawl c2 has no previous',
    '--since',
  ],
  ['issue=thinn', {}, 'there is no issue thinn', 'did you mean thin? '],
  ['issue=thin&change=new', { 'AS is_sampled': [LACKS] }, 'it depends on days', '--crawl c2 --issue thin'],
  ['issue=thin&change=title', {}, '--change: title is not a change of an issue', 'new, fixed'],
  ['change=titel', {}, 'pages have no column titel', 'did you mean title?'],
  ['change=h1', {}, 'the export of crawl c1 lacks h1', 'both crawls'],
  ['change=clicks', {}, 'pages have no column clicks', ''],
  ['columns=url,hh1', {}, 'pages have no column hh1', 'did you mean h1?'],
  ['segment=produkt', {}, 'has no segment produkt', 'did you mean product?'],
  ['', { 'AS chosen': [] }, 'no crawl has pages yet', 'crawlhouse run'],
  ['', { 'AS chosen': [CRAWL, CRAWL] }, 'the warehouse has 2 projects', '--project Shop'],
] as const)('%j is refused: %s', async (query, more, message, hint) => {
  await expect(statementOf(query, more)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
});

test('pages that changed in any field are compared only by the fields of both crawls', async () => {
  const { sql } = await statementOf('change=changed');
  expect(sql).toContain("THEN 'title, '");
  expect(sql).not.toContain("THEN 'h1, '");
});

test('the filter of a statement names its segment uniquely', async () => {
  expect((await statementOf('segment=product')).filter).toMatchObject({
    segment: 'template:product',
    segmentation: undefined,
  });
});
