import { expect, test } from 'vitest';
import {
  readCanonical,
  readHreflangs,
  readItems,
  readPage,
  readPageIssues,
  readRedirects,
  readSimilar,
  readUnknownTexts,
  type UrlPage,
} from '../../../../../src/app/answers/explore/url/read-page.ts';
import { readInlinks, readOutlinks } from '../../../../../src/app/answers/explore/url/url-links.ts';
import type { UrlPlace } from '../../../../../src/app/answers/explore/url/url-place.ts';

/** A place whose queries return these rows, one after the other. */
function place(...answers: (readonly object[])[]) {
  const asked: { sql: string; values: unknown }[] = [];
  const rows = async (_schema: unknown, sql: string, values?: unknown) => {
    asked.push({ sql, values });
    return answers.shift() ?? [];
  };
  const value = { url: 'u', limit: 3, crawl: { has_structured_data: true }, rows } as unknown as UrlPlace;
  return { place: value, asked };
}
const pageWith = (more: object) => ({ status_code: 200, observation: 'read', ...more }) as unknown as UrlPage;
const observed = [{ is_observed: true }];

test('a page that the crawl does not contain has a reason', async () => {
  expect(await readPage(place([]).place)).toMatchObject({ found: null, why: expect.any(String) });
  expect(await readPage(place([{ title: 'A' }]).place)).toEqual({ found: { title: 'A' }, why: null });
});

test('redirects are read hop by hop', async () => {
  const end = { final_url: 'c', final_status_code: 200, is_loop: false, is_cut: true };
  const hop = (from: string, to: string) => ({ hop_url: from, hop_status_code: 301, hop_target: to, ...end });
  expect(await readRedirects(place([hop('a', 'b'), hop('b', 'c')]).place)).toEqual({
    found: {
      ...end,
      hops: [
        { url: 'a', status_code: 301, target: 'b' },
        { url: 'b', status_code: 301, target: 'c' },
      ],
    },
    why: null,
  });
  expect((await readRedirects(place([]).place)).why).toMatch(/no redirect/);
});

test('the canonical is that of the page, in the crawl or not', async () => {
  for (const none of [null, pageWith({ canonical_url: null })])
    expect(await readCanonical(place().place, none)).toMatchObject({ found: null });
  const page = pageWith({ canonical_url: 'c' });
  expect((await readCanonical(place([{ status_code: 200, is_indexable: true }]).place, page)).found).toEqual({
    url: 'c',
    is_in_crawl: true,
    status_code: 200,
    is_indexable: true,
  });
  expect((await readCanonical(place([]).place, page)).found).toEqual({
    url: 'c',
    is_in_crawl: false,
    status_code: null,
    is_indexable: null,
  });
});

test('language versions have their languages if each link has one', async () => {
  const other = { url: 'b', status_code: 200, is_indexable: true, hreflang_hrefs: ['u'], is_read: true };
  const page = pageWith({ hreflang_hrefs: ['b', 'c', 'd'], hreflang_langs: ['de', 'fr', 'es'] });
  const { place: at, asked } = place([other, { ...other, url: 'd', hreflang_hrefs: null }]);
  expect((await readHreflangs(at, page)).found).toEqual([
    { url: 'b', lang: 'de', is_in_crawl: true, status_code: 200, is_indexable: true, returns: true },
    { url: 'c', lang: 'fr', is_in_crawl: false, status_code: null, is_indexable: null, returns: null },
    { url: 'd', lang: 'es', is_in_crawl: true, status_code: 200, is_indexable: true, returns: false },
  ]);
  const unread = { ...other, hreflang_hrefs: null, is_read: false };
  expect((await readHreflangs(place([unread]).place, page)).found[0]).toMatchObject({
    url: 'b',
    returns: null,
  });
  expect(asked[0]).toMatchObject({ sql: expect.stringContaining('IN ($url_0, $url_1, $url_2)') });
  const partly = pageWith({ hreflang_hrefs: ['b', null], hreflang_langs: ['de'] });
  expect((await readHreflangs(place([]).place, partly)).found).toMatchObject([{ url: 'b', lang: null }]);
  const many = pageWith({ hreflang_hrefs: Array.from({ length: 101 }, (_, index) => `p${index}`) });
  expect((await readHreflangs(place([]).place, many)).found).toHaveLength(100);
  for (const none of [null, pageWith({ hreflang_hrefs: null, hreflang_langs: null })])
    expect(await readHreflangs(place().place, none)).toMatchObject({ found: [], why: expect.any(String) });
  const without = pageWith({ hreflang_hrefs: null, hreflang_langs: null });
  expect((await readHreflangs(place(observed).place, without)).why).toMatch(/found no hreflang/);
});

test('a text is unknown only where the data of the crawl has no such field', async () => {
  const page = pageWith({ title: null, meta_description: null });
  expect(await readUnknownTexts(place([], observed).place, page)).toEqual([
    ['title', 'unknown: the data of the crawl contains no titles'],
  ]);
  expect(await readUnknownTexts(place().place, pageWith({ title: 'a', meta_description: 'b' }))).toEqual([]);
  expect(await readUnknownTexts(place().place, null)).toEqual([]);
});

test('similar pages share a cluster', async () => {
  expect((await readSimilar(place().place, null)).found).toEqual({ total: null, rows: [] });
  expect((await readSimilar(place().place, pageWith({ clusters: [] }))).found).toEqual({
    total: 0,
    rows: [],
  });
  const page = pageWith({ clusters: ['x'] });
  expect((await readSimilar(place([{ total: 0 }]).place, page)).why).toMatch(/no similar/);
  const { place: at, asked } = place([{ total: 7 }], [{ url: 'b' }]);
  expect(await readSimilar(at, page)).toEqual({ found: { total: 7, rows: [{ url: 'b' }] }, why: null });
  expect(asked[1]?.sql).toContain('LIMIT 3');
});

test('structured data and issues have a reason where there are none', async () => {
  const unloaded = { ...place().place, crawl: { has_structured_data: false } } as UrlPlace;
  const page = pageWith({});
  expect((await readItems(unloaded, page)).why).toMatch(/not loaded/);
  expect((await readItems(place([], observed).place, page)).why).toMatch(/found no structured data/);
  expect((await readItems(place([{ type: 'Product' }]).place, page)).why).toBeNull();
  const seen = async (more: object) => (await readItems(place([]).place, pageWith(more))).why;
  expect([await seen({ semantic_item_count: 0 }), await seen({ semantic_types: ['Product'] })]).toEqual([
    'the crawl found no structured data on this page',
    'only types were found: Product',
  ]);
  expect((await readPageIssues(place([]).place, null)).why).toMatch(/does not contain/);
  expect((await readPageIssues(place([]).place, pageWith({}))).why).toMatch(/no issue/);
  expect(await readPageIssues(place([{ issue: 'thin' }]).place, null)).toEqual({
    found: [{ issue: 'thin' }],
    why: null,
  });
});

test('a part that the crawl does not show is unknown, as is the content of an unread page', async () => {
  const links = (...answers: (readonly object[])[]) => {
    const { place: at } = place(...answers);
    return { ...at, crawl: { has_links: true, has_structured_data: true } } as UrlPlace;
  };
  const page = pageWith({ hreflang_hrefs: null, clusters: null });
  const none = { total: null, different: null, rows: [] };
  const why = 'unknown: the data of the crawl contains no links';
  expect(await readInlinks(links())).toEqual({ found: none, why });
  expect(await readOutlinks(links(), page)).toEqual({ found: none, why });
  expect(await readInlinks(links([], observed))).toMatchObject({
    found: { total: 0 },
    why: 'no link of the crawl leads to this page',
  });
  for (const read of [readHreflangs, readSimilar, readItems])
    expect((await read(links(), page)).why).toMatch(/^unknown: the data of the crawl contains no /);
  const denied = pageWith({
    ...page,
    status_code: null,
    observation: 'not_requested',
    observation_reason: 'blocked_by_robots',
  });
  for (const read of [readHreflangs, readSimilar, readItems, readOutlinks])
    expect((await read(links(), denied)).why).toBe(
      'unknown: the crawl did not read this page (blocked by robots.txt)',
    );
});
