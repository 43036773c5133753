import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCase } from '../../../../../src/etl/pipeline/transform/tests/model-cases.ts';
import {
  loadFilters,
  loadModels,
  modelsVersion,
  type SavedFilter,
} from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { type PlannedModel, planModels } from '../../../../../src/etl/project/sql/plan/plan-models.ts';
import { expectBadModel, withSqlFiles } from '../../../pipeline/transform/model-files.ts';
import { openWarehouse } from '../../../pipeline/transform/test-warehouse.ts';

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
      name: 'articles',
      title: 'T',
      description: 'D',
      condition: "url_first_path = '/blog/' -- theirs",
      file: 'sql/filters/articles.sql',
      line: 5,
    },
    {
      name: 'deep',
      title: 'T',
      description: 'D',
      condition: 'depth > 8\n  AND is_indexable',
      file: 'sql/filters/deep.sql',
      line: 6,
    },
  ]);
});

test('a project replaces a filter by a file with its name, and adds its own', async () => {
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
  [
    'a name with capitals',
    { 'filters/Deep.sql': filterText('true') },
    'filters/Deep.sql:1: Deep is not a valid name',
  ],
  [
    'no title',
    { 'filters/a.sql': filterText('true', 'description: D') },
    'filters/a.sql:2: title is missing',
  ],
  ['no condition', { 'filters/a.sql': filterText('-- none') }, 'filters/a.sql:5: has no condition'],
  ['a subquery', { 'filters/a.sql': filterText('depth > (SELECT 1)') }, 'filters/a.sql:5: has a SELECT'],
])('an invalid saved filter is refused with its place: %s', async (_, files, message) => {
  await expectBadModel(loaded(files), expect.stringContaining(`sql/${message}`));
});

const SHIPPED = sqlFolder(join(import.meta.dirname, '../../../../../sql'));
const FILTERS = {
  'filters/deep_articles.sql': filterText("url_first_path = '/blog/'\n  AND depth > 3 -- far away"),
  'filters/errors.sql': filterText('status_code BETWEEN 400 AND 599 OR status_code IS NULL'),
};
const planned = (
  files: Readonly<Record<string, string>>,
): Promise<{ plan: readonly PlannedModel[]; version: string }> =>
  withSqlFiles(files, async (folder) => {
    await using empty = await openWarehouse();
    const models = await loadModels([SHIPPED, sqlFolder(folder)]);
    const plan = await planModels({ connection: empty.connection, models });
    return { plan, version: modelsVersion(models) };
  });

const PAGES = {
  'raw.crawls': { columns: { id: 'VARCHAR', project_id: 'VARCHAR' }, rows: [{ id: 'c1', project_id: 'p1' }] },
  'raw.crawl_pages': {
    columns: {
      _crawl_id: 'VARCHAR',
      _project_id: 'VARCHAR',
      url: 'VARCHAR',
      url_first_path: 'VARCHAR',
      depth: 'BIGINT',
      status_code: 'BIGINT',
      page_group_template: 'VARCHAR',
    },
    rows: [
      {
        url: '/blog/1',
        url_first_path: '/blog/',
        depth: 4,
        status_code: 200,
        page_group_template: 'article',
      },
      { url: '/blog/2', url_first_path: '/blog/', depth: 4, status_code: 404 },
      { url: '/blog/3', url_first_path: '/blog/', depth: 3, status_code: 200 },
      { url: '/', depth: 0, status_code: 200 },
      { url: '/new' },
    ].map((page) => ({ _crawl_id: 'c1', _project_id: 'p1', ...page })),
  },
};

describe('a saved filter is a segment', () => {
  test.each([
    [
      'mart.page_segments',
      [
        { url: '/blog/1', page_key: 'c1 /blog/1', segmentation: 'template', segment: 'article' },
        { url: '/blog/1', page_key: 'c1 /blog/1', segmentation: '(filter)', segment: 'deep_articles' },
        { url: '/blog/2', page_key: 'c1 /blog/2', segmentation: '(filter)', segment: 'deep_articles' },
        { url: '/blog/2', page_key: 'c1 /blog/2', segmentation: '(filter)', segment: 'errors' },
        { url: '/new', page_key: 'c1 /new', segmentation: '(filter)', segment: 'errors' },
      ],
    ],
    [
      'mart.status_codes_by_segment',
      [
        { segmentation: 'template', segment: 'article', status_code: 200, pages: 1, pages_percent: 100 },
        { segmentation: '(filter)', segment: 'deep_articles', status_code: 200, pages: 1, pages_percent: 50 },
        { segmentation: '(filter)', segment: 'deep_articles', status_code: 404, pages: 1, pages_percent: 50 },
        { segmentation: '(filter)', segment: 'errors', status_code: 404, pages: 1, pages_percent: 50 },
        { segmentation: '(filter)', segment: 'errors', status_code: null, pages: 1, pages_percent: 50 },
      ],
    ],
    [
      'mart.crawl_segments',
      [
        { segmentation: '(site)', segment: '(site)', pages: 5, error_pages: 1, average_depth: 2.75 },
        { segmentation: '(directory)', segment: '/blog/', pages: 3, error_pages: 1, average_depth: 11 / 3 },
        { segmentation: 'template', segment: 'article', pages: 1, error_pages: 0, average_depth: 4 },
        { segmentation: '(filter)', segment: 'deep_articles', pages: 2, error_pages: 1, average_depth: 4 },
        { segmentation: '(filter)', segment: 'errors', pages: 2, error_pages: 1, average_depth: 4 },
      ],
    ],
    [
      'mart.pages_wide',
      // What is main is a page's place on the site, whatever somebody looks for.
      [
        { url: '/blog/1', main_segmentation: 'template', main_segment: 'article' },
        { url: '/blog/2', main_segmentation: '(directory)', main_segment: '/blog/' },
      ],
    ],
  ])('in %s', async (model, expect_) => {
    const { plan } = await planned(FILTERS);
    await using warehouse = await openWarehouse();
    const result = await runCase(warehouse.connection, plan, model, {
      name: model,
      where: model === 'mart.pages_wide' ? "url IN ('/blog/1', '/blog/2')" : 'true',
      input: { ...PAGES, 'ops.loads': LOADS },
      expect: expect_,
      failing_tests: [],
    });
    expect(result).toMatchObject({ missing: [], surplus: [], failedTests: [] });
  });

  test('another condition changes the version of the models', async () => {
    const versions = [{}, FILTERS, { ...FILTERS, 'filters/errors.sql': filterText('status_code > 499') }];
    const found = await Promise.all(versions.map(planned));
    expect(new Set(found.map(({ version }) => version)).size).toBe(3);
  });
});

const LOADS = {
  columns: {
    unit: 'VARCHAR',
    dataset: 'VARCHAR',
    source_kind: 'VARCHAR',
    source_id: 'VARCHAR',
    project_id: 'VARCHAR',
    loaded: 'BIGINT',
    loaded_at: 'TIMESTAMP WITH TIME ZONE',
  },
  rows: [
    {
      unit: 'crawl_pages/c1',
      dataset: 'crawl_pages',
      source_kind: 'crawl',
      source_id: 'c1',
      project_id: 'p1',
      loaded: 5,
      loaded_at: '2025-02-11 00:00:00+00',
    },
  ],
};

describe('an invalid condition is reported with its file and line', () => {
  test.each([
    ['an unknown column', 'depth > 3\n  AND statuscode = 404', 'bad.sql:6: .*statuscode'],
    ['brackets that close those of the model', 'true) OR (true', 'bad.sql:5: '],
    ['another case', 'true THEN 1 WHEN false', 'bad.sql:5: '],
    ['an order', 'true ORDER BY url', 'bad.sql:5: '],
    ['a number of pages', 'count(*) > 1', 'bad.sql:5: '],
    ['a number', 'depth', 'bad.sql:5: is not a condition: its value is BIGINT'],
    ['a text', "'yes'", 'bad.sql:5: is not a condition: its value is VARCHAR'],
    ['a parameter', 'depth > $depth', 'bad.sql:5: '],
    ['two statements', 'true; DROP TABLE x', 'bad.sql:5: '],
  ])('%s', async (_, condition, message) => {
    const work = planned({ ...FILTERS, 'filters/bad.sql': filterText(condition) });
    await expectBadModel(work, expect.stringMatching(new RegExp(`^sql/filters/${message}`)));
  });
});
