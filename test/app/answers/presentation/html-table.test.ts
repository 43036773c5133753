import { expect, test } from 'vitest';
import { rowsTable, table } from '../../../../src/app/answers/presentation/html-table.ts';

test('a table names its rows by the first column, and marks numbers, links and the order', () => {
  const columns = [
    { name: 'Page', href: '/sort', cell: (row: { page: string }) => row.page },
    { name: 'Clicks', isNumber: true, order: 'descending' as const, cell: () => null },
    { name: 'Depth', order: 'ascending' as const, cell: () => '' },
  ];
  const { text } = table('Pages', columns, [{ page: '<a>' }], 'none');
  for (const part of [
    '<th scope="col"><a href="/sort">Page</a></th>',
    '<th scope="col" class="number" aria-sort="descending">Clicks <span aria-hidden="true">▼</span></th>',
    '<th scope="col" aria-sort="ascending">Depth <span aria-hidden="true">▲</span></th>',
    '<tr><th scope="row">&lt;a&gt;</th><td class="number" data-name="Clicks">–</td><td data-name="Depth"></td></tr>',
  ])
    expect(text).toContain(part);
  expect(table('Pages', columns, [], 'none').text).toBe('<p class="empty">none</p>');
});

test('rows of an answer have readable names, no crawl identifiers, and numbers to the right', () => {
  const rows = [
    { crawl_id: 'c', main_id: 'm', url: 'a', nb_inlinks: null, depth: 2n, title: null },
    { crawl_id: 'c', main_id: 'm', url: 'b', nb_inlinks: 1, depth: 3n, title: 'x' },
  ];
  const { text } = rowsTable('Rows', rows, (name, value) => `${name}=${value}`, 'none');
  expect(text.match(/<th scope="col".*?<\/th>/g)).toEqual([
    '<th scope="col">URL</th>',
    '<th scope="col" class="number">Inlinks</th>',
    '<th scope="col" class="number">Crawl depth</th>',
    '<th scope="col">Title</th>',
  ]);
  expect(text).toContain('<td class="number" data-name="Inlinks">nb_inlinks=1</td>');
  expect(rowsTable('Rows', [], () => null, 'none').text).toContain('none');
});
