import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Condition,
  conditionKey,
  filterOfQuery,
  OPERATORS,
  type Operator,
  pagesAddress,
  pagesCommand,
} from '../../../../../src/app/answers/explore/pages/page-filter.ts';
import { pageStatement } from '../../../../../src/app/answers/explore/pages/page-statement.ts';
import { readInlinksOfPages, readPages } from '../../../../../src/app/answers/explore/pages/read-pages.ts';
import type { QueryProcess } from '../../../../../src/app/answers/query/query-process.ts';
import { withAdded } from '../../../../../src/app/console/pages/project/page-list-page.ts';
import { findNonPortable } from '../../../../../src/etl/project/sql/text/portable-sql.ts';
import { at, dataset, pagesOf } from '../../../../questions/sites/sites.ts';
import { publishedSites } from '../../../../support/published-sites.ts';
import { testSeed } from '../../../../support/random.ts';
import { sharedFolder, temporaryConnection, temporaryFolder } from '../../../../support/temporary.ts';
import { STORY, url } from '../story-site.ts';

const folder = sharedFolder();
const signal = new AbortController().signal;
let warehouse: QueryProcess;
let project: string;
let rows: readonly Record<string, unknown>[];
beforeAll(async () => {
  warehouse = await publishedSites(folder, STORY);
  rows = await warehouse.rows(
    `SELECT pages.* FROM mart.pages AS pages JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id
     WHERE crawls.is_main AND crawls.crawl_id = 'shop-3'`,
    signal,
  );
  project = String(rows[0]?.project_id);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

const query = (text: string) => filterOfQuery(project, new URLSearchParams(text));
const urls = async (text: string): Promise<unknown[]> => {
  const found = await readPages(warehouse, query(text), 10_000, signal);
  expect(found.rows.length).toBe(found.total);
  return found.rows.map(({ url }) => url).sort();
};

/** What an operator means, told again without SQL. */
const MEANS: Readonly<Record<Operator, (value: unknown, given: string) => boolean>> = {
  eq: (value, given) => value !== null && compared(value, given) === 0,
  ne: (value, given) => value === null || compared(value, given) !== 0,
  gt: (value, given) => value !== null && compared(value, given) > 0,
  gte: (value, given) => value !== null && compared(value, given) >= 0,
  lt: (value, given) => value !== null && compared(value, given) < 0,
  lte: (value, given) => value !== null && compared(value, given) <= 0,
  contains: (value, given) =>
    String(value ?? '')
      .toLowerCase()
      .includes(given.toLowerCase()) && value !== null,
  not_contains: (value, given) =>
    value === null || !String(value).toLowerCase().includes(given.toLowerCase()),
  starts: (value, given) => value !== null && String(value).startsWith(given),
  ends: (value, given) => value !== null && String(value).endsWith(given),
  has: (value, given) => Array.isArray(value) && value.includes(given),
  in: (value, given) => value !== null && given.split(',').some((one) => compared(value, one) === 0),
  is: (value, given) =>
    ({ null: value === null, not_null: value !== null, true: value === true, false: value === false })[
      given
    ] ?? false,
};

function compared(value: unknown, given: string): number {
  const [a, b] = typeof value === 'number' ? [value, Number(given)] : [String(value), given];
  return a < b ? -1 : a > b ? 1 : 0;
}

const COLUMNS = {
  text: ['url', 'title', 'h1', 'non_indexable_reason', 'status_code_range', 'canonical_kind'],
  number: ['status_code', 'depth', 'nb_inlinks', 'word_count'],
  boolean: ['is_indexable', 'fetched'],
  list: ['sources'],
} as const;
const OF: Readonly<Record<keyof typeof COLUMNS, readonly Operator[]>> = {
  text: ['eq', 'ne', 'contains', 'not_contains', 'starts', 'ends', 'is'],
  number: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'is'],
  boolean: ['is'],
  list: ['has', 'is'],
};

/** A condition with a value that pages have, a part of one, or another. */
const condition: fc.Arbitrary<Condition> = fc
  .constantFrom(...(Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]))
  .chain((family) =>
    fc.record({
      column: fc.constantFrom<string>(...COLUMNS[family]),
      operator: fc.constantFrom<Operator>(...OF[family]),
      place: fc.nat(),
      part: fc.tuple(fc.nat(6), fc.nat(12)),
      other:
        family === 'number' ? fc.integer({ min: -1, max: 600 }).map(String) : fc.string({ minLength: 1 }),
      isOther: fc.boolean(),
      family: fc.constant(family),
    }),
  )
  .map(({ column, operator, place, part, other, isOther, family }) => {
    if (operator === 'is') {
      const values = family === 'boolean' ? ['null', 'not_null', 'true', 'false'] : ['null', 'not_null'];
      return { column, operator, value: values[place % values.length] ?? 'null' };
    }
    const known = rows.map((row) => row[column]).filter((value) => value !== null);
    const value = String([known[place % Math.max(known.length, 1)] ?? other].flat()[0] ?? other);
    const cut = family === 'text' && operator !== 'eq' ? value.slice(part[0], part[0] + part[1]) : value;
    return { column, operator, value: isOther || cut === '' ? other : cut };
  });

test('conditions on columns select the right pages, whatever their values', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(condition, { minLength: 1, maxLength: 3 }), async (conditions) => {
      const address = new URLSearchParams(
        conditions.map(({ column, operator, value }): [string, string] => [column, `${operator}:${value}`]),
      );
      const expected = rows.filter((row) =>
        conditions.every(({ column, operator, value }) => MEANS[operator](row[column], value)),
      );
      expect(await urls(`crawl=shop-3&${address}`)).toEqual(expected.map(({ url }) => url).sort());
    }),
    { seed: testSeed(), numRuns: 40 },
  );
});

test('decimal numbers are compared exactly, also with whole numbers', async () => {
  const of = (isSo: (depth: number) => boolean): unknown[] =>
    rows
      .filter(({ depth }) => depth !== null && isSo(Number(depth)))
      .map(({ url }) => url)
      .sort();
  for (const [text, isSo] of [
    ['eq:1.5', (depth) => depth === 1.5],
    ['lte:1.5', (depth) => depth <= 1.5],
    ['gt:1.5', (depth) => depth > 1.5],
    ['in:0,1.5', (depth) => depth === 0],
    ['eq:2.0', (depth) => depth === 2],
  ] as const satisfies readonly (readonly [string, (depth: number) => boolean])[])
    expect([text, await urls(`crawl=shop-3&depth=${text}`)]).toEqual([text, of(isSo)]);
});

test('an address of the console and a command produce the same filter, with bound values', async () => {
  const address = pagesAddress(project, {
    crawl: 'latest',
    issue: null,
    status_code: ['gte:300', 'lt:400'],
    title: `eq:"it's"`,
  });
  expect(address).toBe(
    `/projects/${project}/pages?crawl=latest&status_code=gte%3A300&status_code=lt%3A400&title=eq%3A%22it%27s%22`,
  );
  const filter = filterOfQuery(project, new URLSearchParams(address.split('?')[1]));
  expect(pagesCommand(filter)).toBe(
    `crawlhouse pages --project ${project} --crawl latest --filter status_code=gte:300 --filter status_code=lt:400 --filter 'title=eq:"it'\\''s"'`,
  );
  const { sql, parameters } = await pageStatement(warehouse, filter, signal);
  expect(sql).not.toMatch(/it's/);
  expect([...parameters.values()]).toEqual(expect.arrayContaining(['300', '400', `"it's"`]));
});

test('a column whose name is reserved in addresses is filtered with the prefix "column."', () => {
  const columns = ['page', 'columns', 'sort', 'where', 'value', 'column.x', 'depth'];
  const conditions = columns.map((column) => ({ column, operator: 'gte' as const, value: '2' }));
  const address = new URLSearchParams(
    conditions.map(({ column, value }): [string, string] => [conditionKey(column), `gte:${value}`]),
  );
  expect(filterOfQuery('p', address)).toMatchObject({ conditions, sort: undefined, columns: [], where: [] });
  expect([...address.keys()].filter((name) => !name.startsWith('column.'))).toEqual(['depth']);
  const added = withAdded(new URLSearchParams({ column: 'page', operator: 'lt', value: '9', page: '2' }));
  expect(filterOfQuery('p', added).conditions).toEqual([{ column: 'page', operator: 'lt', value: '9' }]);
  expect(added.get('page')).toBe('2');
});

test('the links of a filter are all links to its pages, and no others', async () => {
  const asked = query('crawl=shop-3&status_code=gte:300');
  const { rows: links, total } = await readInlinksOfPages(warehouse, asked, 10_000, signal);
  const expected = await warehouse.rows(
    `SELECT count(*) AS total FROM mart.links WHERE crawl_id = 'shop-3'
       AND target IN (SELECT url FROM mart.pages WHERE crawl_id = 'shop-3' AND status_code >= 300)`,
    signal,
  );
  expect([links.length, total]).toEqual([expected[0]?.total, expected[0]?.total]);
  expect(total).toBeGreaterThan(0);
  expect(Object.keys(links[0] ?? {})).toEqual([
    'source',
    'target',
    'anchor',
    'position',
    'follow',
    'status_code',
  ]);
  expect(links.every(({ status_code }) => Number(status_code) >= 300)).toBe(true);
});

test('a list reports that the links of its crawl are not loaded', async () => {
  await expect(
    readInlinksOfPages(warehouse, { ...query('crawl=blog-1'), project: undefined }, 1, signal),
  ).rejects.toThrow('the links of crawl blog-1 are not loaded');
});

test('the rows and the number of a part are those of the whole list, in its order', async () => {
  for (const text of [
    '',
    'sort=title',
    'sort=clicks desc',
    'search_bot_hits=gte:1&sort=clicks desc&columns=top_query',
    'impressions=is:null&sort=google_bot_hits',
    'where=clicks is null or Average_Position > 2&sort=issues desc&columns=priority,is_ignored',
    'issue=thin',
    'issue=thin&sort=priority desc',
    'issue=linked_redirect&sort=related_url',
    'segment=/lamps/&sort=depth desc',
    'segment=/lamps/&segmentation=(directory)&issues=gte:1',
    ...['title', 'status_code', 'is_indexable', 'changed', 'added', 'removed', 'moved', 'missing'].map(
      (change) => `change=${change}&sort=depth`,
    ),
    'change=title&since=shop-1&sort=before',
    'issue=thin&change=new&sort=priority',
    'issue=thin&change=missing&since=shop-1&columns=clicks',
  ]) {
    const { sql, part, count, parameters } = await pageStatement(
      warehouse,
      query(`crawl=shop-3&${text}`),
      signal,
    );
    const all = await warehouse.rows(sql, signal, parameters);
    const parts: unknown[] = [];
    for (let offset = 0; offset <= all.length; offset += 2)
      parts.push(...(await warehouse.rows(part(2, offset), signal, parameters)));
    expect([text, parts]).toEqual([text, all]);
    expect([text, await warehouse.rows(count, signal, parameters)]).toEqual([text, [{ total: all.length }]]);
  }
});

test('clicks and hits are shown for crawls with data for their days, and 0 means no hit on counted days', async () => {
  const { rows: shown } = await readPages(warehouse, query('crawl=shop-3'), 1000, signal);
  expect(Object.keys(shown[0] ?? {})).toEqual(expect.arrayContaining(['clicks', 'search_bot_hits']));
  const hits = shown.map(({ search_bot_hits }) => search_bot_hits);
  expect([hits.includes(0), hits.includes(null), hits.some((one) => Number(one) > 0)]).toEqual([
    true,
    false,
    true,
  ]);
});

test('added, removed and changed pages are those of mart.page_changes', async () => {
  const changes = await warehouse.rows(
    `SELECT change, url FROM mart.page_changes WHERE crawl_id = 'shop-3' ORDER BY url`,
    signal,
  );
  const by = Map.groupBy(changes, ({ change }) => String(change));
  expect(by.size).toBeGreaterThan(2);
  for (const [change, of] of by)
    expect([change, await urls(`crawl=shop-3&change=${change}`)]).toEqual([change, of.map(({ url }) => url)]);
});

test('missing pages are found in a segment that disappeared with them', async () => {
  expect(await urls('crawl=shop-1&since=shop-3&change=missing&segment=/de/')).toEqual([url('/de/lampe')]);
});

test('an issue about a relation lists both URLs, any other issue lists one', async () => {
  const { columns, rows: linked } = await readPages(
    warehouse,
    query('crawl=shop-3&issue=linked_redirect'),
    9,
    signal,
  );
  expect(columns.map(({ name }) => name).slice(0, 3)).toEqual(['url', 'why', 'related_url']);
  expect(linked.map((row) => [row.url, row.related_url])).toEqual([[url('/lamps/red'), url('/')]]);
  const { columns: others } = await readPages(warehouse, query('crawl=shop-3&issue=thin'), 9, signal);
  expect(others.map(({ name }) => name)).not.toContain('related_url');
  expect(await urls(`crawl=shop-3&issue=linked_redirect&related_url=eq:${url('/')}`)).toEqual([
    url('/lamps/red'),
  ]);
});

test('every form of the list statement is portable SQL', async () => {
  const connection = await temporaryConnection(folder);
  for (const text of [
    'issue=client_error&sort=priority desc',
    'issue=thin&change=new',
    'issue=thin&change=fixed',
    'issue=thin&change=missing&reason=eq:not_linked',
    'change=removed',
    'change=missing&since=shop-1&reason=eq:not_linked',
    'change=changed',
    'change=title&clicks=gte:1&search_bot_hits=is:null&issues=gte:1',
    'segment=/lamps/&sources=has:crawler&url=ends:/red&title=not_contains:x',
    'segment=/lamps/&segmentation=(directory)&depth=in:1,2',
  ]) {
    const { sql, count, inlinks } = await pageStatement(warehouse, query(`crawl=shop-3&${text}`), signal);
    for (const one of [sql, count, inlinks ?? ''])
      expect([text, await findNonPortable(connection, one, { file: 'SQL', line: 1 })]).toEqual([text, []]);
  }
});

test.each([
  ['dpth=gte:1', 'pages have no column dpth', 'did you mean depth?'],
  [
    'depth=contains:1',
    'depth: the operator contains does not work with BIGINT',
    'operators of depth: eq, ne',
  ],
  ['depth=gte:deep', "depth: 'deep' is not a number", 'as in depth=eq:4'],
  ['depth=gte:9223372036854775808', 'depth: 9223372036854775808 is beyond BIGINT', 'as in depth=eq:4'],
  ['depth=lt:-99999999999999999999', 'depth: -99999999999999999999 is beyond BIGINT', 'as in depth=eq:4'],
  ['depth=in:1,99999999999999999999', 'depth: 99999999999999999999 is beyond BIGINT', 'as in depth=eq:4'],
  ['fetch_date=gte:2026-02-30', 'fetch_date: 2026-02-30 is not a calendar day', '2026-11-22'],
  ['fetch_date=gte:2026-02-01 25:00', 'is not a time', '2026-11-22'],
  ['column.page=gte:1', 'pages have no column page', 'docs/reference/dictionary.md'],
  ['column.crawl=eq:1', 'pages have no column crawl', 'docs/reference/dictionary.md'],
  ['is_indexable=is:maybe', 'is_indexable: the operator is does not accept maybe', 'is:true'],
  ['issue=thinn', 'there is no issue thinn', 'did you mean thin?'],
  ['change=titel', 'pages have no column titel', 'did you mean title?'],
  ['issue=thin&change=added', '--change: added is not a change of an issue', 'new, fixed, missing'],
  [
    'issue=bots_on_non_indexable&change=new',
    'it depends on days, and the days differ',
    'omit --change: crawlhouse pages',
  ],
  ['segment=/lmps/', 'has no segment /lmps/', 'did you mean /lamps/?'],
  ['columns=url,hh1', 'pages have no column hh1', 'did you mean h1?'],
  ['change=h1', 'the export of crawl shop-3 lacks h1', 'both crawls'],
  ['change=clicks', 'pages have no column clicks', 'docs/reference/dictionary.md'],
  ['change=before', 'pages have no column before', 'docs/reference/dictionary.md'],
  ['since=shop-1', '--since needs --change', 'use --change with added'],
  ['where=depth >', '--where: depth > is not a single condition', 'as in'],
])('%s is refused, with a hint to the right form', async (text, message, hint) => {
  await expect(pageStatement(warehouse, query(`crawl=shop-3&${text}`), signal)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
});

test('pages whose status is missing from an export do not count as changed', async () => {
  const crawl = STORY.crawls.find(({ id }) => id === 'blog-1');
  if (crawl === undefined) throw new Error('the story has no blog');
  const without = {
    ...crawl,
    id: 'blog-2',
    endedAt: at('2026-03-23T03:00:00Z'),
    pages: dataset([pagesOf('https://blog.example')('/', { depth: 0, title: 'Blog' })], {
      without: ['status_code'],
    }),
  };
  await using other = await publishedSites(await temporaryFolder(), {
    ...STORY,
    crawls: [...STORY.crawls, without],
  });
  const statement = (change: string, blogs: readonly [string, string]): Promise<unknown> => {
    const [crawl, since] = blogs;
    return pageStatement(
      other,
      filterOfQuery('p-blog', new URLSearchParams({ crawl, since, change })),
      signal,
    );
  };
  for (const blogs of [
    ['blog-2', 'blog-1'],
    ['blog-1', 'blog-2'],
  ] as const)
    for (const [change, part] of [
      ['is_indexable', 'status'],
      ['non_indexable_reason', 'status'],
      ['status_code_range', 'range'],
    ] as const)
      await expect(statement(change, blogs)).rejects.toMatchObject({
        message: `the export of crawl blog-2 lacks a field with the ${part} of ${change}`,
      });
  await expect(statement('title', ['blog-2', 'blog-1'])).resolves.toMatchObject({ since: 'blog-1' });
});

test('pages that changed in any field show the changed fields', async () => {
  const { rows } = await readPages(warehouse, query('crawl=shop-3&change=changed'), 10, signal);
  expect(rows.map(({ url, changed }) => [url, changed])).toEqual([
    [url('/lamps/red'), 'status_code, is_indexable'],
  ]);
});

test('every operator of a filter has a readable description', () => {
  expect(Object.keys(OPERATORS).sort()).toEqual(Object.keys(MEANS).sort());
});
