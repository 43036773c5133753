import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { checkPortable } from '../../src/etl/engines/portable-models.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { loadModels } from '../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { planModels } from '../../src/etl/project/sql/plan/plan-models.ts';
import { createTable, openWarehouse } from '../etl/pipeline/transform/test-warehouse.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { madeOnTrino } from './made-on-trino.ts';
import { rowsOfDuckDB, rowsOfTrino } from './rows-of-both.ts';

const SQL = join(import.meta.dirname, '../../sql');

/** Conditions of every form; each is a segmentation of its own, so that each page meets each. */
const CONDITIONS = [
  'url: /p/',
  'url: /',
  'url: /p/*/x',
  "url: '*.pdf$'",
  'url: [/$, https://b.]',
  "url: '/p(1)'",
  "sql: depth > 1 AND title LIKE '%a%'",
  "sql: coalesce(title, '') = 'it''s' -- theirs",
  ...[
    "[title, has_value, '']",
    "[title, has_no_value, '']",
    '[title, equals, "it\'s"]',
    '[title, not_equals, ab]',
    '[title, contains, A]',
    '[title, contains, É, { ci: true }]',
    '[title, startswith, a]',
    '[title, endswith, B, { ci: true }]',
    '[title, endswith, abcdefg]',
    "[title, equals, '[a-z]+', { regex: true }]",
    "[title, contains, 'A.', { regex: true, ci: true }]",
    "[title, startswith, 'a|b', { regex: true }]",
    '[depth, gte, 2]',
    '[depth, between, [1, 3]]',
    '[depth, not_equals, 2]',
    '[inrank_decimal, gt, 0.5]',
    '[inrank_decimal, lte, 1.0e+21]',
    '[depth, lt, 1000000000000000000000]',
    '[fetched, equals, true]',
    "[fetched, not_equals, 'false']",
    "[fetch_date, gte, '2026/01/02 00:00:00 UTC']",
    '[fetch_date, between, [2026-01-01, 2026-01-02]]',
    '[sources, equals, crawler]',
    '[sources, not_equals, crawler]',
    '[sources, contains, RAWL, { ci: true }]',
    '[sources, startswith, site]',
    '[sources, endswith, er]',
    "[sources, equals, '']",
    "[sources, has_value, '']",
    "[sources, has_no_value, '']",
    "[sources, contains, '^craw.er$', { regex: true }]",
    '[custom_prices, between, [1, 2.5]]',
  ].map((field) => `oql: { field: ${field} }`),

  'oql: { and: [] }',
  'oql: { or: [{ and: [{ field: [depth, gt, 0] }, { field: [title, contains, a] }] }] }',
];
const FILE = `segmentations:\n${CONDITIONS.map((one, n) => `  - name: s${n}\n    segments:\n      - name: yes\n        ${one}\n${n % 2 === 0 ? '    else: no\n' : ''}`).join('')}
  - name: template
    projects: [Shop]
    segments: [{ name: own, url: /p/ }]
  - name: template
    projects: [b.example]
    segments: [{ name: other, url: /p/ }]
    else: rest
`;

const page = (project: string, url: string, values: object = {}) => ({
  _crawl_id: `c-${project}`,
  _project_id: project,
  url,
  page_group_template: 'service',
  ...values,
});
const INPUT = {
  'raw.projects': {
    columns: { id: 'VARCHAR', name: 'VARCHAR', start_url: 'VARCHAR' },
    rows: [
      { id: 'p1', name: 'Shop', start_url: 'https://a.example/' },
      { id: 'p2', name: 'Blog', start_url: 'https://B.example:8443/start?x' },
    ],
  },
  'raw.crawl_pages': {
    columns: {
      _crawl_id: 'VARCHAR',
      _project_id: 'VARCHAR',
      url: 'VARCHAR',
      title: 'VARCHAR',
      depth: 'BIGINT',
      inrank_decimal: 'DOUBLE',
      fetched: 'BOOLEAN',
      fetch_date: 'TIMESTAMP WITH TIME ZONE',
      sources: 'VARCHAR[]',
      custom_prices: 'DOUBLE[]',
      page_group_template: 'VARCHAR',
    },
    rows: [
      page('p1', 'https://a.example', { title: "it's", depth: 0, sources: ['crawler'], fetched: true }),
      page('p1', 'https://a.example/p/1/x?y', { title: 'ab', depth: 1, sources: ['sitemap', 'crawler'] }),
      page('p1', 'https://a.example/p/a.pdf', {
        title: 'AB',
        depth: 2,
        sources: [''],
        custom_prices: [0.5, 2.5],
      }),
      page('p1', 'https://a.example/p(1)', { title: 'éa', depth: 3, sources: [], custom_prices: [1] }),
      page('p2', 'https://b.example/', { title: '', inrank_decimal: 0.5, fetched: false }),
      page('p2', 'https://b.example/p/', { fetch_date: '2026-01-01 12:00:00+00', inrank_decimal: 0.75 }),
      page('p3', 'https://c.example/p/', {
        fetch_date: '2026-01-02 00:00:00+00',
        sources: ['sitemaps', 'er'],
      }),
    ],
  },
};

test('segments.yaml creates the same rows on Trino as in DuckDB, by conditions of every form', async () => {
  const { url, catalog } = inject('trino');
  const client = new TrinoClient({ url, user: 'segments', catalog });
  onTestFinished(() => client[Symbol.asyncDispose]());
  const dir = await temporaryFolder();
  await writeFile(join(dir, 'segments.yaml'), FILE);
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  await createTable(connection, 'raw.crawl_pages', INPUT['raw.crawl_pages'].columns);
  const models = await loadModels([{ ...sqlFolder(SQL), project: { dir, issues: {} } }]);
  const plan = await planModels({ connection, models });
  await checkPortable(connection, plan, 'Trino');
  const sql = await madeOnTrino(connection, plan, 'mart.page_groups', { input: INPUT });
  const expected = await rowsOfDuckDB(connection, 'SELECT * FROM mart.page_groups');
  expect(expected.length).toBeGreaterThan(CONDITIONS.length * 4);
  expect((await rowsOfTrino(client, sql)).sort()).toEqual(expected.sort());
});
