import { expect, test } from 'vitest';
import { readUrl } from '../../../../../src/app/answers/explore/url/read-url.ts';
import type { CatalogReader } from '../../../../../src/etl/state/catalog/catalog.ts';
import { fakeWarehouse } from '../fake-warehouse.ts';

const { signal } = new AbortController();
const CRAWL = {
  ...{ crawl_id: 'c2', project_id: 'p', project: 'Shop', crawl_number: 2, ended_at: null, config: 'x' },
  ...{ has_links: true, has_structured_data: true, scope_note: null },
};
const BLOG = { ...CRAWL, crawl_id: 'b1', project_id: 'b', project: 'Blog' };
const CHOSEN = { 'crawls.has_structured_data': [CRAWL] };
const urls = (...found: readonly string[]) => found.map((url) => ({ url }));

const story = (url: string, answers: Readonly<Record<string, readonly object[]>>) =>
  readUrl(fakeWarehouse({ ...CHOSEN, ...answers }).warehouse, { url }, signal);

test('an unknown URL says why each part is empty', async () => {
  const { is_known, empty, crawl, page } = await story('https://shop.example/Lamp', {});
  expect([is_known, crawl, page]).toEqual([false, CRAWL, null]);
  expect(empty).toMatchObject({
    page: 'the crawl does not contain this page',
    history: 'no crawl of this configuration contains this page',
    hits: 'the project has no log files',
  });
});

test('pages with the same path are near, then those with the longest common beginning', async () => {
  const site = 'https://shop.example';
  const { near } = await story(`${site}/lamps/red`, {
    'strpos(page.rest': urls('http://shop.example/lamps/red', `${site}/lamps/red/`),
    'pages.url > $whole': urls(`${site}/lamps/red/`, `${site}/lamps/rose`, `${site}/zoo`),
    'pages.url < $whole': urls(`${site}/lamps/`, `${site}/a`),
    'ORDER BY length(pages.url)': urls('not asked'),
  });
  expect(near).toEqual([
    'http://shop.example/lamps/red',
    `${site}/lamps/red/`,
    `${site}/lamps/rose`,
    `${site}/lamps/`,
  ]);
});

test('a common host alone makes no page near, so those that contain the text are', async () => {
  const site = 'https://shop.example';
  const around = {
    'pages.url > $whole': urls(`${site}/zoo`),
    'ORDER BY length(pages.url)': urls(`${site}/x?u=lamp`),
  };
  expect((await story(`${site}/lamp`, around)).near).toEqual([`${site}/x?u=lamp`]);
});

test('a text without a scheme is a part of a URL first, then a host or a path', async () => {
  expect(
    (await story('lamp', { 'ORDER BY length(pages.url)': urls('https://shop.example/lamp') })).near,
  ).toEqual(['https://shop.example/lamp']);
  for (const [text, path, whole] of [
    ['shop.example/Lamp/', '/lamp', 'https://shop.example/Lamp/'],
    ['/Lamp', '/lamp', '/Lamp'],
    ['https://shop.example', '', 'https://shop.example'],
  ] as const) {
    const { warehouse, asked } = fakeWarehouse(CHOSEN);
    await readUrl(warehouse, { url: text }, signal);
    const sent = (part: string) => asked.find(({ sql }) => sql.includes(part))?.parameters;
    expect([sent('strpos(page.rest')?.path, sent('> $whole')?.whole], text).toEqual([path, whole]);
  }
});

test('of several projects, the one that has the page is meant', async () => {
  const both = { 'crawls.has_structured_data': [BLOG, CRAWL] };
  const having = (...ids: readonly string[]) =>
    story('https://shop.example/', {
      ...both,
      'SELECT DISTINCT pages.crawl_id': ids.map((crawl_id) => ({ crawl_id })),
    });
  expect((await having('c2')).crawl.project).toBe('Shop');
  expect((await having('b1')).crawl.project).toBe('Blog');
  for (const ids of [[], ['b1', 'c2']])
    await expect(having(...ids)).rejects.toMatchObject({
      message: 'the warehouse has 2 projects: name one',
      hint: '--project Blog, --project Shop',
    });
  await expect(story('https://shop.example/', { 'crawls.has_structured_data': [] })).rejects.toThrow(
    'no crawl has pages yet',
  );
});

test('a search for near pages that fails is an error, also after the requester has left', async () => {
  const { warehouse } = fakeWarehouse(CHOSEN);
  const leaving = new AbortController();
  const failing: CatalogReader = {
    rows: async (sql, ...rest) => {
      if (sql.includes('> $whole')) throw new Error('no answer');
      return warehouse.rows(sql, ...rest);
    },
  };
  const asked = { url: 'https://shop.example/x' };
  await expect(readUrl(failing, asked, leaving.signal)).rejects.toThrow('no answer');
  leaving.abort(new Error('left'));
  await expect(readUrl(failing, asked, leaving.signal)).rejects.toThrow('left');
});
