import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderDbtSources } from '../../../src/answers/dictionary/dbt-sources.ts';
import type { DictionaryTable } from '../../../src/answers/dictionary/dictionary.ts';

const PAGES: DictionaryTable = {
  name: 'mart.pages',
  kind: 'table',
  description: 'Pages:\n  one row {{ each }}.',
  grain: ['page_key'],
  columns: [
    { name: 'page_key', type: 'VARCHAR', description: 'Its key.', sources: [] },
    { name: 'custom_*', type: null, description: 'What a project scrapes.', sources: [] },
  ],
  ...{ reads: [], tests: [], sql: null, file: null, rows: null },
};

test('the sources of dbt are raw and mart, with types and tests of keys, and without Jinja of a description', () => {
  const tables = [PAGES, { ...PAGES, name: 'raw.crawl_pages', grain: null }, { ...PAGES, name: 'ops.runs' }];
  const { version, sources } = parse(renderDbtSources({ publishedAt: null, tables, questions: [] }, 2));
  expect(version).toBe(2);
  expect(sources.map((one: { name: string }) => one.name)).toEqual(['raw', 'mart']);
  expect(sources[1]).toMatchObject({ schema: 'mart', description: expect.stringContaining('version 2') });
  expect(sources[1].tables).toEqual([
    {
      name: 'pages',
      description: 'Pages: one row { { each }}.',
      columns: [
        {
          ...{ name: 'page_key', quote: true, description: 'Its key.', data_type: 'VARCHAR' },
          data_tests: ['unique', 'not_null'],
        },
      ],
    },
  ]);
  expect(sources[0].tables[0].columns[0]).not.toHaveProperty('data_tests');
});
