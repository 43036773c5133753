import { expect, test } from 'vitest';
import type { PageRequest } from '../../../../src/app/console/page-parts/console-page.ts';
import { PROJECTS } from '../../../../src/app/console/pages/projects-page.ts';
import type { Readers } from '../../../../src/app/console/readers/readers.ts';

const project = (id: string, pages: number | null, more: object = {}) => ({
  project_id: id,
  project_name: id.toUpperCase(),
  crawls: 1,
  crawl_id: `c-${id}`,
  crawl_number: 1,
  ended_at: '2026-11-02T06:00:00Z',
  pages,
  pages_change: null,
  indexable_pages: 2,
  error_pages: 0,
  ...more,
});
const ALL = [project('a', 20), project('b', null), project('c', 5), project('d', 100), project('e', null)];
const request = (query: string) => ({ query: new URLSearchParams(query) }) as PageRequest;
interface Document {
  readonly projects: readonly { readonly project_id: string }[];
  readonly paging: object;
  readonly total: number;
}

async function listed(query: string, all: readonly object[] = ALL) {
  const readers = { rowsOnce: async () => all } as never as Readers;
  const document = await PROJECTS.read(request(query), readers, new AbortController().signal);
  const drawn = PROJECTS.draw(document, request(query)).body.text;
  const { projects, paging, total } = document as Document;
  return { names: projects.map(({ project_id }) => project_id).join(' '), paging, total, drawn };
}

test.each([
  ['', 'a b c d e'],
  ['sort=pages', 'c a d b e'],
  ['sort=-pages', 'd a c b e'],
  ['sort=project_name', 'a b c d e'],
  ['sort=-project_name', 'e d c b a'],
  ['sort=none', 'a b c d e'],
  ['sort=-', 'a b c d e'],
  ['name=C', 'c'],
  ['name=x', ''],
])('%s lists %s', async (query, names) => {
  const list = await listed(query);
  expect([list.names, list.total]).toEqual([names, 5]);
});

test('fifty projects are on a page', async () => {
  const many = Array.from({ length: 51 }, (_, number) => project(`p${number}`, number));
  const second = await listed('page=2', many);
  expect([second.names, second.paging]).toEqual(['p50', { page: 2, pages: 2, total: 51 }]);
  expect((await listed('', many)).names).toMatch(/^p0 .* p49$/);
});

test('a head shows the order, and sorts the other way', async () => {
  const head = async (query: string): Promise<(string | undefined)[]> =>
    [...(await listed(query)).drawn.matchAll(/<th scope="col".*?<\/th>/g)].map(([all]) =>
      all.replaceAll(/<span[^>]*>|<\/?(?:th|a|span)>|<th scope="col"|class="number"/g, ''),
    );
  expect((await head(''))[0]).toBe(' aria-sort="ascending"><a href="/projects?sort=-project_name">project ▲');
  expect((await head('sort=pages&page=2'))[3]).toBe(
    '  aria-sort="ascending"><a href="/projects?sort=-pages">pages ▲',
  );
  expect((await head('sort=-pages'))[3]).toBe(
    '  aria-sort="descending"><a href="/projects?sort=pages">pages ▼',
  );
  expect((await head('sort=-pages'))[0]).toBe('><a href="/projects?sort=project_name">project');
});

test('a project without a crawl has dashes, and an empty list names its reason', async () => {
  const { drawn } = await listed('', [
    project('a', 20, { pages_change: -3 }),
    project('b', null, { crawl_id: null, project_name: null }),
  ]);
  const [one, other] = [...drawn.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) => row);
  expect(one).toContain('2026-11-02 06:00');
  expect(one).toContain('−3');
  expect(one).toContain('<a href="/crawls/c-a"');
  expect(other).toContain('<a href="/projects/b">b</a>');
  expect(other).not.toContain('2026-11-02');
  expect(other).not.toContain('/crawls/');
  const none = await listed('', []);
  expect(none.drawn).toContain('No project is loaded yet.');
  expect(none.drawn).not.toContain('<form');
  const unmatched = await listed('name=x');
  expect(unmatched.drawn).toContain('No project matches this name.');
  expect(unmatched.drawn).toContain('<form');
});
