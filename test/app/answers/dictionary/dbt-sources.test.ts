import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type DbtOptions, renderDbtSources } from '../../../../src/app/answers/dictionary/dbt-sources.ts';
import type { DictionaryTable } from '../../../../src/app/answers/dictionary/dictionary.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';

const models = await loadModels([sqlFolder(join(import.meta.dirname, '../../../../sql'))]);
const OPTIONS: DbtOptions = {
  database: 'crawlhouse',
  contractVersion: 2,
  tests: new Map(models.map((model) => [model.name, model.tests])),
  hours: new Map([['crawl_pages', 24]]),
};

const column = (name: string, description: string | null = null) => ({
  name,
  type: 'VARCHAR',
  description,
  sources: [],
});
const tableOf = (name: string, ...columns: DictionaryTable['columns']): DictionaryTable => ({
  name,
  kind: 'table',
  description: 'Pages:\n  one row {{ each }}.',
  grain: null,
  columns,
  reads: [],
  tests: [],
  sql: null,
  file: null,
  rows: null,
});
const PAGES = tableOf(
  'mart.pages',
  ...['crawl_id', 'url', 'canonical_evaluation'].map((name) => column(name, `${name}.`)),
  { ...column('custom_*'), type: null },
);

interface Written {
  readonly name: string;
  readonly database: string;
  readonly tables: readonly (Record<string, unknown> & { readonly columns: readonly object[] })[];
}

function sourcesOf(tables: readonly DictionaryTable[], options = OPTIONS): ReadonlyMap<string, Written> {
  const { version, sources } = parse(renderDbtSources({ publishedAt: null, tables, questions: [] }, options));
  expect(version).toBe(2);
  return new Map(sources.map((one: Written) => [one.name, one]));
}

test('dbt sources list raw, mart and ops in one database, and escape Jinja in descriptions', () => {
  const sources = sourcesOf([PAGES, tableOf('ops.runs', column('run_id'))], { ...OPTIONS, database: 'w' });
  expect([...sources.values()].map(({ name, database }) => [name, database])).toEqual([
    ['raw', 'w'],
    ['mart', 'w'],
    ['ops', 'w'],
  ]);
  const [pages] = sources.get('mart')?.tables ?? [];
  expect(pages).toMatchObject({ name: 'pages', description: 'Pages: one row { { each }}.' });
  expect(pages?.columns).toHaveLength(3);
  expect(sources.get('ops')?.tables[0]?.columns).toEqual([
    { name: 'run_id', quote: true, data_type: 'VARCHAR', data_tests: ['not_null', 'unique'] },
  ]);
});

test('dbt tests cover composite keys, required columns, accepted values and references of a model', () => {
  const crawls = tableOf('raw.crawls', column('id'), column('_seen_to'));
  const of = (...tables: DictionaryTable[]) => sourcesOf(tables).get('mart')?.tables[0];
  const table = of(PAGES, crawls);
  expect(table?.data_tests).toEqual([
    { unique: { name: 'unique_mart_pages_crawl_id_url', arguments: { column_name: '("crawl_id", "url")' } } },
  ]);
  const reference = { to: "source('mart', 'crawls')", field: 'crawl_id' };
  expect(table?.columns[0]).toMatchObject({
    data_tests: ['not_null', { relationships: { arguments: reference } }],
  });
  expect(of(PAGES)?.columns[0]).toMatchObject({ data_tests: ['not_null'] });
});

test('each model with a grain has a key test, and each accepted value of a header is in a test', () => {
  const tables = models.map((model) =>
    tableOf(model.name, ...[...model.columns.keys()].map((one) => column(one))),
  );
  const text = renderDbtSources({ publishedAt: null, tables, questions: [] }, OPTIONS);
  for (const { name, grain, tests } of models) {
    const own = name.replace('mart.', '');
    if (grain && grain.length > 1) expect(text).toContain(`name: unique_mart_${own}_${grain.join('_')}\n`);
    for (const { declared } of tests)
      for (const value of declared.accepted_values?.values ?? []) expect(text).toContain(`- ${value}\n`);
  }
});

test('a table of units has its loads and a freshness rule, a list of resources has neither', () => {
  const meta = ['_unit', '_loaded_at'].map((name) => column(name));
  const [pages, other, list] =
    sourcesOf([
      tableOf('raw.crawl_pages', ...meta),
      tableOf('raw.log_events', ...meta),
      tableOf('raw.projects', ...meta, column('_seen_to')),
    ]).get('raw')?.tables ?? [];
  expect(pages).toMatchObject({
    loaded_at_field: '_loaded_at',
    freshness: { warn_after: { count: 36, period: 'hour' }, error_after: { count: 72, period: 'hour' } },
  });
  expect(pages?.columns[0]).toMatchObject({
    data_tests: [
      'not_null',
      { relationships: { arguments: { to: "source('ops', 'loads')", field: 'unit' } } },
    ],
  });
  expect(other).toMatchObject({ loaded_at_field: '_loaded_at' });
  expect(other).not.toHaveProperty('freshness');
  expect(list).not.toHaveProperty('loaded_at_field');
  const [empty] = sourcesOf([{ ...tableOf('raw.crawl_pages', ...meta), rows: 0 }]).get('raw')?.tables ?? [];
  expect(empty).not.toHaveProperty('freshness');
});
