import { expect, test } from 'vitest';
import { loadFilters, type SavedFilter } from '../../../../src/project/sql/models/filters.ts';
import { sqlFolder } from '../../../../src/project/sql/models/sql-folders.ts';
import { expectBadModel, withSqlFiles } from '../../../pipeline/transform/model-files.ts';

const filterText = (condition: string, header = 'title: T\ndescription: D'): string =>
  `/*\n${header}\n*/\n${condition}\n`;

const loaded = (files: Readonly<Record<string, string>>): Promise<readonly SavedFilter[]> =>
  withSqlFiles(files, (folder) => loadFilters([sqlFolder(folder)]));

test('a saved filter has the name of its file, its title, its condition and its line', async () => {
  expect(
    await loaded({
      'filters/deep.sql': filterText('\ndepth > 8\n  AND is_indexable;'),
      'filters/articles.sql': filterText("url_first_path = '/blog/' -- theirs"),
    }),
  ).toEqual([
    {
      ...{ name: 'articles', title: 'T', description: 'D' },
      ...{ condition: "url_first_path = '/blog/' -- theirs", file: 'sql/filters/articles.sql', line: 5 },
    },
    {
      ...{ name: 'deep', title: 'T', description: 'D' },
      ...{ condition: 'depth > 8\n  AND is_indexable', file: 'sql/filters/deep.sql', line: 6 },
    },
  ]);
});

test('a project replaces a filter by a file of its name, and adds its own', async () => {
  const names = await withSqlFiles({ 'filters/a.sql': filterText('true') }, (shipped) =>
    withSqlFiles(
      { 'filters/a.sql': filterText('depth > 1'), 'filters/b.sql': filterText('depth > 2') },
      async (own) => {
        const filters = await loadFilters([sqlFolder(shipped), sqlFolder(own)]);
        return filters.map(({ name, condition }) => [name, condition]);
      },
    ),
  );
  expect(names).toEqual([
    ['a', 'depth > 1'],
    ['b', 'depth > 2'],
  ]);
});

test.each([
  ['a name with capitals', { 'filters/Deep.sql': filterText('true') }, 'filters/Deep.sql:1: Deep does not'],
  [
    'no title',
    { 'filters/a.sql': filterText('true', 'description: D') },
    'filters/a.sql:2: title is missing',
  ],
  ['no condition', { 'filters/a.sql': filterText('-- none') }, 'filters/a.sql:5: has no condition'],
  ['a subquery', { 'filters/a.sql': filterText('depth > (SELECT 1)') }, 'filters/a.sql:5: has a SELECT'],
])('a saved filter is refused with its place: %s', async (_, files, message) => {
  await expectBadModel(loaded(files), expect.stringContaining(`sql/${message}`));
});
