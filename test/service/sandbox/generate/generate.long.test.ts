import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { FieldRecord } from '../../../../src/client/resources/fields.ts';
import { PAGE_FIELD_RECORDS } from '../../../../src/service/fields/specified-page-fields.ts';
import { parseSpec } from '../../../../src/service/sandbox/generate/parse-spec.ts';
import { startSandbox } from '../../../../src/service/sandbox/start-sandbox.ts';
import { type Json, lines, Service, service, sharedService } from '../../support.ts';

const it = await sharedService({
  generate: ['crawls=3,pages=2000,links=20000,clusters=50,structured_data=70,seed=5'],
});
const crawls = await it.crawls();
const rowsOf = async (index: number, dataType: string): Promise<Json[]> =>
  lines((await it.export(String(crawls[index]?.id), dataType, 'json')).text).map(
    (line) => JSON.parse(line) as Json,
  );
const pages = await Promise.all([0, 1, 2].map((index) => rowsOf(index, 'pages')));
const [first = [], second = []] = pages;
const byUrl = new Map(first.map((row) => [row.url, row]));

test('equal seeds produce equal ids, dates and bytes; other seeds different ones', async () => {
  const digest = async (spec: string): Promise<string> => {
    await using sandbox = await startSandbox({ generate: [spec] });
    const other = new Service(sandbox);
    const hash = createHash('sha256').update(JSON.stringify(await other.crawls()));
    for (const dataType of ['pages', 'links'])
      hash.update((await other.export(await other.crawlId(), dataType, 'csv')).bytes);
    return hash.digest('hex');
  };
  const spec = 'crawls=2,pages=300,links=900,columns=130,seed=';
  const [a, b, c] = await Promise.all([digest(`${spec}7`), digest(`${spec}7`), digest(`${spec}8`)]);
  expect(a).toBe(b);
  expect(a).not.toBe(c);
});

test('crawls are a week apart, the first on a fixed day', () => {
  const ended = crawls.map((crawl) => Number(crawl.ended_at));
  expect(new Date(ended[0] ?? 0).toISOString()).toMatch(/^2025-01-06T/);
  expect(ended.map((at) => (at - (ended[0] ?? 0)) / 86_400_000)).toEqual([0, 7, 14]);
  expect(crawls[0]?.fetched_urls).toBe(first.filter((row) => row.fetched === true).length);
});

test('the page fields are exactly those of the specification', async () => {
  const { json } = await it.api(`/data/crawl/${crawls[0]?.id}/pages/fields`);
  const fields = json.fields as FieldRecord[];
  expect(fields).toEqual(PAGE_FIELD_RECORDS);
  expect(fields).toHaveLength(99);
  expect(Object.keys(first[0] ?? {})).toEqual(fields.map((field) => field.name));
});

const IS_A: Readonly<Record<string, (item: unknown) => boolean>> = {
  natural: (item) => Number.isInteger(item) && Number(item) >= 0,
  percentage: (item) => Number(item) >= 0 && Number(item) <= 1,
  bool: (item) => typeof item === 'boolean',
  datetime: (item) => /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d UTC$/.test(String(item)),
  string: (item) => typeof item === 'string',
};

test('generated values fit the types of their fields', () => {
  // One assertion for all of them: there are 200,000.
  const strange = PAGE_FIELD_RECORDS.flatMap(({ name, type, values }) =>
    first.flatMap(({ [name]: value }) =>
      (Array.isArray(value) ? value : value === null ? [] : [value])
        .filter((item) => (values && !values.includes(item)) || IS_A[type]?.(item) === false)
        .map((item) => `${name} ${item}`),
    ),
  );
  expect(strange).toEqual([]);
});

test('many-valued fields have no, one and several values', () => {
  for (const name of ['sources', 'meta_robots', 'sitemaps_file_origin']) {
    const kinds = new Set(
      first.map((row) => (row[name] === null ? 'null' : Array.isArray(row[name]) ? 'several' : 'one')),
    );
    expect(kinds, name).toEqual(new Set(['null', 'one', 'several']));
  }
});

test('URLs are unique, statuses varied and within their ranges', () => {
  expect(byUrl.size).toBe(first.length);
  const statuses = new Set(first.map((row) => row.status_code));
  for (const status of [200, 301, 404, 500, null]) expect(statuses).toContain(status);
  expect(first.filter((row) => row.status_code === 200).length).toBeGreaterThan(first.length * 0.8);
  for (const row of first) expect(row.fetched).toBe(row.status_code !== null);
});

test('redirects and canonicals point to pages of the crawl, with their true status', () => {
  const redirects = first.filter((row) => row.redirect_location !== null);
  expect(redirects.length).toBeGreaterThan(50);
  for (const row of redirects) {
    expect(byUrl.has(row.redirect_location)).toBe(true);
    if (row.final_redirect_location === null) expect(row.is_redirect_loop).toBe(true);
    else expect(byUrl.get(row.final_redirect_location)?.status_code).toBe(row.final_redirect_status);
  }
  expect(redirects.some((row) => row.final_redirect_status === 404)).toBe(true);
  for (const row of first) if (row.rel_canonical !== null) expect(byUrl.has(row.rel_canonical)).toBe(true);
  const matching = first.filter((row) => row.canonical_evaluation === 'matching');
  expect(matching.every((row) => row.rel_canonical === row.url)).toBe(true);
});

test('links connect pages of their crawl', async () => {
  const links = await rowsOf(0, 'links');
  expect(links).toHaveLength(20_000);
  const loose = links.filter(
    ({ origin, target, intern, target_status }) =>
      !byUrl.has(origin) ||
      byUrl.has(target) !== intern ||
      (intern && byUrl.get(target)?.status_code !== target_status),
  );
  expect(loose).toEqual([]);
  const broken = links.filter((link) => link.target_status === 404);
  expect(broken.length).toBeGreaterThan(100);
  const external = links.filter((link) => link.intern === false).length;
  expect(external / links.length).toBeGreaterThan(0.05);
  expect(external / links.length).toBeLessThan(0.12);
});

test('between consecutive crawls most pages stay, and some are removed, added and changed', () => {
  const share = (rows: Json[]): number => rows.length / first.length;
  const stayed = second.filter((row) => byUrl.has(row.url));
  expect(1 - share(stayed)).toBeGreaterThan(0.015);
  expect(1 - share(stayed)).toBeLessThan(0.05);
  for (const name of ['status_code', 'title', 'h1', 'rel_canonical']) {
    const changed = share(stayed.filter((row) => row[name] !== byUrl.get(row.url)?.[name]));
    expect(changed, name).toBeGreaterThan(0.008);
    expect(changed, name).toBeLessThan(0.06);
  }
  for (const name of ['word_count', 'depth', 'language']) {
    const same = stayed.filter((row) => row.status_code === byUrl.get(row.url)?.status_code);
    expect(
      same.every((row) => row[name] === byUrl.get(row.url)?.[name]),
      name,
    ).toBe(true);
  }
});

/** How often each value stands in a list. */
function countBy<T>(values: readonly T[]): Map<T, number> {
  const found = new Map<T, number>();
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
  return found;
}

/** The values of a many-valued field. */
const valuesOf = (value: unknown): unknown[] =>
  value === null ? [] : Array.isArray(value) ? value : [value];

test('the link counts of each page match the links, and a failed page has none', async () => {
  for (const [index, rows] of pages.entries()) {
    const links = await rowsOf(index, 'links');
    const number = (end: 'origin' | 'target', test: (link: Json) => boolean) => {
      const found = countBy(links.filter(test).map((link) => link[end]));
      return (url: unknown): number => found.get(url) ?? 0;
    };
    const inlinks = number('target', (link) => link.intern === true);
    const followed = number('target', (link) => link.intern === true && link.follow === true);
    const internal = number('origin', (link) => link.intern === true);
    const internalFollowed = number('origin', (link) => link.intern === true && link.follow === true);
    const external = number('origin', (link) => link.intern === false);
    const externalFollowed = number('origin', (link) => link.intern === false && link.follow === true);
    const counted = rows.map(({ url, status_code }) => {
      const isOk = status_code === 200;
      return {
        url,
        status_code,
        nb_inlinks: inlinks(url),
        follow_inlinks: followed(url),
        nofollow_inlinks: inlinks(url) - followed(url),
        internal_outlinks: isOk ? internal(url) : null,
        internal_follow_outlinks: isOk ? internalFollowed(url) : null,
        internal_nofollow_outlinks: isOk ? internal(url) - internalFollowed(url) : null,
        external_outlinks: isOk ? external(url) : null,
        external_follow_outlinks: isOk ? externalFollowed(url) : null,
        external_nofollow_outlinks: isOk ? external(url) - externalFollowed(url) : null,
      };
    });
    const names = Object.keys(counted[0] ?? {});
    expect(rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))).toEqual(counted);
    const failed = rows.filter(({ status_code }) => status_code !== 200);
    expect(failed.filter(({ url }) => internal(url) + external(url) > 0)).toEqual([]);
  }
});

test.each(['title', 'h1', 'meta_description'] as const)(
  'a %s is duplicated exactly if another page has it',
  (field) => {
    const name = field.replace('meta_', '');
    for (const rows of pages) {
      const count = countBy(rows.map((row) => row[field]));
      const duplicated = new Set(
        rows.filter((row) => row[field] !== null && (count.get(row[field]) ?? 0) > 1),
      );
      expect(duplicated.size).toBeGreaterThan(10);
      const wrong = rows.filter((row) => {
        const is = duplicated.has(row);
        const expected = is ? 'duplicated' : row[field] === null ? 'not_set' : 'unique';
        return (
          row[`${name}_evaluation`] !== (row.status_code === 200 ? expected : null) ||
          (row[`duplicate_${name}_status`] !== null) !== is ||
          (row[`has_duplicate_${name}_issue`] === true && !is)
        );
      });
      expect(wrong).toEqual([]);
    }
  },
);

test('clusters have the stated size, and every member names its cluster', async () => {
  const clusters = await rowsOf(0, 'clusters');
  expect(clusters).toHaveLength(50);
  const members = new Map<unknown, Json[]>();
  for (const row of first)
    for (const id of valuesOf(row.clusters)) members.set(id, [...(members.get(id) ?? []), row]);
  expect([...members.keys()].sort()).toEqual(clusters.map((cluster) => cluster.cluster_id).sort());
  for (const { cluster_id, size, average_similarity, sample_urls } of clusters) {
    const own = members.get(cluster_id) ?? [];
    expect(size).toBe(own.length);
    expect(own.length).toBeGreaterThan(1);
    const sum = own.reduce((total, row) => total + Number(row.nearduplicate_content_similarity), 0);
    expect(average_similarity).toBeCloseTo(sum / own.length, 3);
    for (const url of valuesOf(sample_urls)) expect(own.map((row) => row.url)).toContain(url);
  }
  for (const row of first) {
    const isIn = valuesOf(row.clusters).length > 0;
    if (row.status_code === 200) expect(row.nearduplicate_content).toBe(isIn);
    expect(row.nearduplicate_content_similarity !== null).toBe(isIn);
    expect(row.nearduplicate_status !== null).toBe(isIn);
  }
});

test('structured data items are on pages that count and name them', async () => {
  for (const [index, rows] of pages.entries()) {
    const items = await rowsOf(index, 'structured_data');
    expect(items).toHaveLength(70);
    const known = new Map(rows.map((row) => [row.url, row]));
    for (const { url } of items) expect(known.get(url)?.status_code).toBe(200);
    for (const row of rows.filter(({ status_code }) => status_code === 200)) {
      const own = items.filter(({ url }) => url === row.url);
      expect(row.semantic_item_count).toBe(own.length);
      expect(valuesOf(row.semantic_types)).toEqual([...new Set(own.map(({ type }) => type))].sort());
    }
  }
});

test('columns selects the first fields, or adds more', async () => {
  const names = async (columns: number): Promise<unknown[]> => {
    const other = await service({ generate: [`pages=3,columns=${columns}`] });
    const { json } = await other.api(`/data/crawl/${await other.crawlId()}/pages/fields`);
    return (json.fields as FieldRecord[]).map((field) => field.name);
  };
  expect(await names(5)).toEqual(['url', 'status_code', 'fetched', 'title', 'depth']);
  const many = await names(200);
  expect(new Set(many).size).toBe(200);
});

test.each([1, 2, 9])('a generated site may have %i pages', async (count) => {
  const other = await service({ generate: [`pages=${count},links=5`] });
  const crawl = await other.crawlId();
  expect(lines((await other.export(crawl, 'pages', 'json')).text)).toHaveLength(count);
  expect(lines((await other.export(crawl, 'links', 'json')).text)).toHaveLength(5);
});

test.each(['page=10', 'pages', 'pages=many', 'pages=1,pages=2', 'columns=0'])(
  '%s is refused with the valid keys',
  (spec) => {
    expect(() => parseSpec(spec)).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining('structured_data') }),
    );
  },
);

test('two specs with one seed are refused', async () => {
  await expect(startSandbox({ generate: ['pages=1,seed=2', 'pages=2,seed=2'] })).rejects.toMatchObject({
    code: 'usage',
  });
});
