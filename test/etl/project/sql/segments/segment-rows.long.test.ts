import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCase } from '../../../../../src/etl/pipeline/transform/tests/model-cases.ts';
import { loadModels, modelsVersion } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { type PlannedModel, planModels } from '../../../../../src/etl/project/sql/plan/plan-models.ts';
import { findNonPortable } from '../../../../../src/etl/project/sql/text/portable-sql.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { createTable, openWarehouse } from '../../../pipeline/transform/test-warehouse.ts';

const SHIPPED = sqlFolder(join(import.meta.dirname, '../../../../../sql'));

async function modelsOf(yaml: string | null) {
  const dir = await temporaryFolder();
  if (yaml !== null) await writeFile(join(dir, 'segments.yaml'), yaml);
  return await loadModels([{ ...SHIPPED, project: { dir, issues: {} } }]);
}

/** Models of a project with such a file, planned on a warehouse whose pages have a scraped field. */
async function planned(yaml: string | null): Promise<readonly PlannedModel[]> {
  await using warehouse = await openWarehouse();
  await createTable(warehouse.connection, 'raw.crawl_pages', PAGES.columns);
  return await planModels({ connection: warehouse.connection, models: await modelsOf(yaml) });
}

const PAGES = {
  columns: {
    _crawl_id: 'VARCHAR',
    _project_id: 'VARCHAR',
    url: 'VARCHAR',
    url_first_path: 'VARCHAR',
    depth: 'BIGINT',
    status_code: 'BIGINT',
    semantic_types: 'VARCHAR[]',
    custom_price: 'DOUBLE',
    page_group_template: 'VARCHAR',
    page_group_brand: 'VARCHAR',
  },
  rows: [
    ...['p1', 'p2'].flatMap((project) => {
      const ofProject = { _crawl_id: `c-${project}`, _project_id: project };
      const host = project === 'p1' ? 'https://www.shop.example' : 'http://127.0.0.1:8080';
      return [
        { ...ofProject, url: `${host}/p/1`, depth: 9, custom_price: 5, page_group_template: 'old' },
        { ...ofProject, url: `${host}/blog/1`, depth: 2, semantic_types: ['Article'], page_group_brand: 'x' },
        { ...ofProject, url: `${host}/deep`, depth: 9, custom_price: 50 },
        { ...ofProject, url: `${host}/unknown` },
      ];
    }),
    { _crawl_id: 'c-p3', _project_id: 'p3', url: 'https://other.example/p/1', page_group_template: 'old' },
  ],
};
const INPUT = {
  'raw.crawl_pages': PAGES,
  'raw.projects': {
    columns: { id: 'VARCHAR', name: 'VARCHAR', start_url: 'VARCHAR' },
    rows: [
      { id: 'p1', name: 'Shop', start_url: 'https://www.shop.example/start' },
      { id: 'p2', name: 'Blog', start_url: 'http://127.0.0.1:8080/' },
    ],
  },
};
const FILE = `
segmentations:
  - name: template
    projects: [Shop, 127.0.0.1]
    segments:
      - { name: product, url: /p/ }
      - { name: article, oql: { field: [semantic_types, equals, Article] } }
      - { name: deep, sql: depth > 5 -- far away }
  - name: it's priced
    projects: [WWW.shop.example]
    segments: [{ name: dear, oql: { field: [custom_price, gte, 20] } }]
    else: cheap
  - name: it's priced
    segments: [{ name: dear, oql: { field: [custom_price, gte, 3] } }]
`;

/** The rows of mart.page_groups, as lines of project, path, segmentation and segment. */
async function groups(yaml: string | null): Promise<readonly string[]> {
  const plan = await planned(yaml);
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  const result = await runCase(connection, plan, 'mart.page_groups', {
    name: 'all',
    where: 'true',
    input: INPUT,
    expect: [],
    columns: ['url'],
    failing_tests: [],
  });
  expect(result.failedTests).toEqual([]);
  const rows = await connection.rows<{ line: string }>(
    `SELECT concat_ws(' ', project_id, regexp_extract(url, '//[^/]*/(.*)$', 1), segmentation, '=', segment) AS line
     FROM mart.page_groups
     WHERE page_key = crawl_id || ' ' || url AND url_key = project_id || ' ' || url ORDER BY ALL`,
  );
  return rows.map(({ line }) => line);
}

describe('segmentations of segments.yaml are rows of mart.page_groups', () => {
  test('the first matching segment counts, and the file replaces the segmentations of the service in its projects', async () => {
    expect(await groups(FILE)).toEqual(
      [
        "p1 blog/1 it's priced = cheap",
        'p1 blog/1 brand = x',
        'p1 blog/1 template = article',
        "p1 deep it's priced = dear",
        'p1 deep template = deep',
        "p1 p/1 it's priced = cheap",
        'p1 p/1 template = product',
        "p1 unknown it's priced = cheap",
        'p2 blog/1 brand = x',
        'p2 blog/1 template = article',
        "p2 deep it's priced = dear",
        'p2 deep template = deep',
        "p2 p/1 it's priced = dear",
        'p2 p/1 template = product',
        'p3 p/1 template = old',
      ].sort(),
    );
  });

  test('without the file, and with a segmentation for all projects', async () => {
    const ofService = ['p1 p/1 template = old', 'p2 p/1 template = old', 'p3 p/1 template = old'];
    const brands = ['p1 blog/1 brand = x', 'p2 blog/1 brand = x'];
    expect(await groups(null)).toEqual([...brands, ...ofService].sort());
    const all = 'segmentations: [{ name: template, segments: [{ name: first, url: /p/ }] }]';
    expect(await groups(all)).toEqual(
      [...brands, ...ofService.map((line) => line.replace('old', 'first'))].sort(),
    );
  });

  test('the SQL of models with segmentations is portable', async () => {
    await using warehouse = await openWarehouse();
    const found = [];
    for (const { model } of await planned(FILE))
      if (/group|segment/.test(model.name))
        found.push(
          ...(await findNonPortable(warehouse.connection, model.sql, { file: model.name, line: 1 })),
        );
    expect(found).toEqual([]);
  });

  test('another condition, name or order changes the version of the models', async () => {
    const files = [
      null,
      FILE,
      FILE.replace('/p/', '/q/'),
      FILE.replace('cheap', 'other'),
      FILE.replace('depth > 5', 'depth > 6'),
    ];
    const versions = await Promise.all(files.map(async (yaml) => modelsVersion(await modelsOf(yaml))));
    expect(new Set(versions).size).toBe(files.length);
  });
});

test('a file that no model reads is refused', async () => {
  const dir = await temporaryFolder();
  await writeFile(join(dir, 'segments.yaml'), FILE);
  const own = await temporaryFolder();
  await expect(loadModels([{ ...sqlFolder(own), project: { dir, issues: {} } }])).rejects.toMatchObject({
    code: 'bad_segments',
    message: 'segments.yaml:1: no model of this project reads segments.found, so the file has no effect',
  });
});

describe('an invalid condition is reported with file, line and key', () => {
  const one = (condition: string): string =>
    `segmentations:\n  - name: a\n    segments:\n      - { name: first, url: /p/ }\n      - name: b\n        ${condition}\n`;
  const key = 'segmentations.0.segments.1';
  test.each([
    [
      'an unknown column',
      'sql: statuscode = 404',
      `6: ${key}.sql: .*statuscode`,
      'Candidate bindings: "status_code',
    ],
    [
      'a column in a block',
      'sql: |\n          depth > 3\n          AND statuscode = 404',
      `8: ${key}.sql: .*statuscode`,
    ],
    [
      'an unknown field',
      'oql: { field: [statuscode, equals, 404] }',
      `6: ${key}.oql.field.0: mart.pages has no column statuscode`,
      'did you mean status_code? ',
    ],
    [
      'a field that is deep in a tree',
      'oql:\n          or:\n            - { field: [depth, gt, 1] }\n            - { field: [dept, gt, 1] }',
      `9: ${key}.oql.or.1.field.0: mart.pages has no column dept`,
      'did you mean depth? ',
    ],
    [
      'a value that does not fit',
      'oql: { field: [depth, equals, "1"] }',
      `6: ${key}.oql.field.2: equals on depth, which is BIGINT, accepts a number`,
    ],
    [
      'an invalid regular expression',
      'oql: { field: [url, contains, "(a", { regex: true }] }',
      `6: ${key}.oql.field.2: contains on url, .* does not accept this regular expression: a \\( without its \\)`,
    ],
    ['a comment', 'sql: "-- none"', `6: ${key}.sql: has no condition`],
    ['a subquery', 'sql: depth > (SELECT 1)', `6: ${key}.sql: has a SELECT in its condition`],
    ['brackets that close those of the model', 'sql: true) OR (true', `6: ${key}.sql: `],
    ['another case', 'sql: true THEN 1 WHEN false', `6: ${key}.sql: `],
    ['an order', 'sql: true ORDER BY url', `6: ${key}.sql: `],
    ['a number of pages', 'sql: count(*) > 1', `6: ${key}.sql: `],
    ['a number', 'sql: depth', `6: ${key}.sql: is not a condition: its value is BIGINT`],
    ['a column of our own', "sql: _path = '/'", `6: ${key}.sql: .*_path`],
    ['a parameter', 'sql: depth > $depth', `6: ${key}.sql: `],
    ['two statements', 'sql: "true; DROP TABLE x"', `6: ${key}.sql: `],
  ])('%s', async (_, condition, message, hint = '') => {
    const error = await planned(one(condition)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'bad_segments',
      message: expect.stringMatching(new RegExp(`^segments.yaml:${message}`)),
    });
    expect((error as { hint?: string }).hint ?? '').toContain(hint);
  });
});
