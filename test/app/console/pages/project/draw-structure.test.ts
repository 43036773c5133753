import { expect, test } from 'vitest';
import { drawStructure } from '../../../../../src/app/console/pages/project/draw-structure.ts';
import type { Structure } from '../../../../../src/app/console/pages/project/structure-document.ts';

const FIGURE = {
  question: null,
  sql: 'SELECT 1',
  command: 'crawlhouse query',
  address: '/ask',
  ignored: [],
  state: 'read',
  why: null,
  error: null,
} as const;
const FOLDER = {
  folder: '/shop/shoes/',
  is_subfolder: true,
  pages: 12,
  indexable_pages: 0,
  error_pages: null,
  issues: 3,
  clicks: 0,
  search_bot_hits: null,
  ranking_from_date: null,
  ranking_to_date: null,
  log_from_date: null,
  log_to_date: null,
};
const crawl = { crawl_id: 'c2', crawl_number: 2, ended_at: '2026-11-02T06:00:00Z' };

function drawn(more: object, query = ''): string {
  const document = {
    ...{ project_id: 'p', project_name: null, folder: '/shop/', sort: '-pages', crawls: [crawl] },
    crawl: { ...crawl, scope_note: null },
    folders: { ...FIGURE, rows: [FOLDER] },
    depths: { ...FIGURE, rows: [] },
    paging: { page: 1, pages: 1, total: 1 },
    ...more,
  };
  return drawStructure(document as never as Structure, new URLSearchParams(query)).text;
}
const cells = (text: string): string[] =>
  [...text.matchAll(/<t[hd] scope="row">(.*?)<\/th>|<td[^>]*>(.*?)<\/td>/gs)].map(
    ([, head, cell]) => head ?? cell ?? '',
  );
const pages = (filter: string): string => `<a href="/projects/p/pages?crawl=c2&amp;${filter}"`;

test('a folder links to its pages; unknown figures and 0 have no link', () => {
  const within = 'urlpath=starts%3A%2Fshop%2Fshoes%2F';
  expect(cells(drawn({}))).toEqual([
    '<a href="/projects/p/structure?folder=%2Fshop%2Fshoes%2F">shoes/</a>',
    `${pages(within)}>12</a>`,
    '0',
    '<span class="unknown">unknown</span>',
    `${pages(`${within}&amp;issues=gt%3A0&amp;sort=issues+desc`)} aria-label="3, pages with an issue">3</a>`,
    '0',
    '<span class="unknown">unknown</span>',
  ]);
});

test('pages directly in a folder are those without a further slash', () => {
  const text = drawn({
    folders: { ...FIGURE, rows: [{ ...FOLDER, folder: '/sh😀p/', is_subfolder: false }] },
  });
  expect(cells(text)[0]).toBe('pages directly in /sh😀p/');
  const where = new URLSearchParams({ where: `strpos(substr(urlpath, 7), '/') = 0` });
  expect(cells(text)[1]).toBe(`${pages(`urlpath=starts%3A%2Fsh%F0%9F%98%80p%2F&amp;${where}`)}>12</a>`);
});

test('the columns sort by the largest figures first, names from A to Z, and then the other way', () => {
  const heads = (sort: string): string[] =>
    [...drawn({ sort }, 'page=3').matchAll(/<th scope="col"[^>]*>.*?<\/th>/g)]
      .slice(0, 2)
      .map(([head]) => head);
  const to = (sort: string): string => `<a href="/projects/p/structure?sort=${sort}">`;
  const down = ' <span aria-hidden="true">▼</span></th>';
  const up = ' <span aria-hidden="true">▲</span></th>';
  expect(heads('-pages')).toEqual([
    `<th scope="col">${to('folder')}folder</a></th>`,
    `<th scope="col" class="number" aria-sort="descending">${to('pages')}pages</a>${down}`,
  ]);
  expect(heads('pages')[1]).toBe(
    `<th scope="col" class="number" aria-sort="ascending">${to('-pages')}pages</a>${up}`,
  );
  expect(heads('folder')[0]).toBe(`<th scope="col" aria-sort="ascending">${to('-folder')}folder</a>${up}`);
  expect(heads('-folder')[0]).toBe(`<th scope="col" aria-sort="descending">${to('folder')}folder</a>${down}`);
});

test('the folders above are links; the shown one is none', () => {
  const trail = (folder: string) => /<nav class="trail".*?<\/nav>/s.exec(drawn({ folder }, 'page=2'))?.[0];
  const head = '<nav class="trail" aria-label="Folders above"><a href="/projects/p/structure">/</a>';
  expect(trail('/')).toBe(`${head}</nav>`);
  expect(trail('/a/b/c/')).toBe(
    `${head} <a href="/projects/p/structure?folder=%2Fa%2F">a/</a> <a href="/projects/p/structure?folder=%2Fa%2Fb%2F">b/</a> <span aria-current="page">c/</span></nav>`,
  );
});

test('the bars of a depth link to its pages by indexability, within the folder', () => {
  const rows = [
    { depth: 1, indexability: 'indexable', pages: 5 },
    { depth: 1, indexability: 'unknown', pages: 2 },
    { depth: null, indexability: 'not indexable', pages: 1 },
  ];
  const links = (folder: string): string[] =>
    [...drawn({ folder, depths: { ...FIGURE, rows } }).matchAll(/href="([^"]*depth=[^"]*)"/g)].map(([, to]) =>
      decodeURIComponent(to ?? ''),
    );
  const path = '/projects/p/pages?crawl=c2&amp;';
  expect([...new Set(links('/'))]).toEqual([
    `${path}depth=eq:1&amp;is_indexable=is:true`,
    `${path}depth=eq:1&amp;is_indexable=is:null`,
    `${path}depth=is:null&amp;is_indexable=is:false`,
  ]);
  expect(links('/a/')[0]).toBe(`${path}urlpath=starts:/a/&amp;depth=eq:1&amp;is_indexable=is:true`);
  const text = drawn({ folder: '/a/', depths: { ...FIGURE, rows } });
  expect(text).toContain('<figcaption>Pages by crawl depth in /a/</figcaption>');
  expect(text).toContain('none, not indexable');
  expect(drawn({ folder: '/', depths: { ...FIGURE, rows } })).toContain(
    '<figcaption>Pages by crawl depth</figcaption>',
  );
});

test('a crawl of a part of a site has its note, and a project its name', () => {
  const text = drawn({ project_name: 'Shop', crawl: { ...crawl, scope_note: 'It stopped early.' } });
  expect(text).toContain('<h1>Shop</h1>');
  expect(text).toContain('It stopped early.');
  expect(drawn({})).toContain('<h1>p</h1>');
});
