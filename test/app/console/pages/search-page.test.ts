import { expect, test } from 'vitest';
import type { PageRequest } from '../../../../src/app/console/page-parts/console-page.ts';
import { SEARCH } from '../../../../src/app/console/pages/search-page.ts';
import type { Readers } from '../../../../src/app/console/readers/readers.ts';

const PROJECT = { project_id: 'p', project: 'Shop' };
const PAGE = { ...PROJECT, url: 'https://a.example/x', title: null, status_code: null };
const FOUND = {
  text: 'x',
  projects: [PROJECT],
  pages: [PAGE, { ...PAGE, title: 'Shoes', status_code: 404 }],
  crawls: [{ ...PROJECT, crawl_id: 'c1', crawl_number: 1, ended_at: '2026-11-02T06:00:00Z' }],
  issues: [{ ...PROJECT, issue: 'thin', title: 'Little text', pages: 1200 }],
  questions: [{ name: 'q1_pages', title: 'All pages' }],
  is_cut: false,
};
const NONE = { projects: [], pages: [], crawls: [], issues: [], questions: [] };
const drawn = (more: object) => SEARCH.draw({ ...FOUND, ...more }, {} as PageRequest);

test('results are listed by kind; a kind without results has no list', () => {
  const { title, body } = drawn({});
  expect(title).toBe('Search for x');
  expect([...body.text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, head]) => head)).toEqual([
    ...['Projects', 'Pages', 'Crawls', 'Issues', 'Questions'],
  ]);
  expect(body.text).toContain('without a title, no answer, Shop');
  expect(body.text).toContain('Shoes, status 404, Shop');
  expect(body.text).toContain('Little text: <a href="/projects/p/pages?issue=thin">1,200 pages</a>');
  expect(body.text).toContain('<a href="/ask?question=q1_pages">All pages</a>');
  expect(body.text).not.toContain('class="notice"');
  expect(drawn({ crawls: [] }).body.text).not.toContain('<h2>Crawls');
});

test('twenty results of a kind are said to be the first ones', () => {
  const pages = Array.from({ length: 20 }, () => PAGE);
  expect(drawn({ pages }).body.text).toContain('The first 20 results.');
  expect(drawn({ pages: pages.slice(1) }).body.text).not.toContain('The first');
});

test('a search without results, or cut, is told; an empty one is not', () => {
  expect(drawn({ ...NONE, text: '' })).toMatchObject({ title: 'Search' });
  expect(drawn({ ...NONE, text: '' }).body.text).not.toContain('class="notice"');
  expect(drawn(NONE).body.text).toContain('No results.');
  for (const kind of Object.keys(NONE))
    expect(drawn({ ...NONE, [kind]: FOUND[kind as keyof typeof NONE] }).body.text).not.toContain(
      'No results.',
    );
  const cut = drawn({ ...NONE, is_cut: true }).body.text;
  expect(cut).toContain('The search of pages was stopped after 0.9 s.');
  expect(cut).not.toContain('No results.');
});

test('an empty text reads nothing; questions are found by name and title, whatever their case', async () => {
  const read = (text: string, pages: () => Promise<unknown>, signal = new AbortController().signal) =>
    SEARCH.read(
      { query: new URLSearchParams({ q: text }) } as PageRequest,
      {
        rows: async (_sql: string) => [],
        questions: async () => [
          { name: 'q1_pages', title: 'Everything', sql: '' },
          { name: 'q2_links', title: 'PAGES that link', sql: '' },
          { name: 'q3', title: 'Other', sql: '' },
        ],
        onceAsked: pages,
        warehouse: { use: async () => [] },
      } as never as Readers,
      signal,
    ) as Promise<typeof FOUND>;
  const refused = async (): Promise<never> => {
    throw new Error('no warehouse');
  };
  expect(await read('  ', refused)).toEqual({ ...NONE, text: '', is_cut: false });
  const found = await read(' pages ', async () => [PAGE]);
  expect([found.text, found.pages, found.is_cut]).toEqual(['pages', [PAGE], false]);
  expect(found.questions.map(({ name }) => name)).toEqual(['q1_pages', 'q2_links']);
  await expect(read('x', refused)).rejects.toThrow('no warehouse');
  const gone = AbortSignal.abort(new Error('the person has left'));
  await expect(read('x', refused, gone)).rejects.toThrow('the person has left');
});
