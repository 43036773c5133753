import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Connection } from '../../../../src/core/duckdb/duckdb.ts';
import { loadPackage } from '../../../../src/etl/pipeline/load/load-package.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import { loadPipelines } from '../../../../src/etl/project/settings/pipelines.ts';
import { createSchema } from '../../../../src/etl/state/catalog/create-schema.ts';
import { describeField } from '../../../../src/etl/state/catalog/descriptions/describe-field.ts';
import { type DatasetName, FIELD_RECORDS } from '../../../../src/service/fields/field-records-of.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, openWorking } from '../../engines/open-working.ts';
import { makePackage, type PackageSpec } from '../../pipeline/load/make-package.ts';

const CATALOGS: Readonly<Record<DatasetName, string>> = {
  pages: 'crawl_pages',
  links: 'crawl_links',
  clusters: 'crawl_clusters',
  structured_data: 'crawl_structured_data',
  requests: 'crawl_requests',
  crawl_over_crawl_pages: 'crawl_over_crawl_pages',
  events: 'log_events',
  log_pages_days: 'log_pages_days',
  log_pages_weeks: 'log_pages_weeks',
  log_pages_months: 'log_pages_months',
  ranking_performance: 'ranking_performance',
};

const COMMENTS = `SELECT schema_name || '.' || table_name || '.' || column_name AS name, comment
  FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal ORDER BY 1`;

test('a field is described by the service, else by the specification, else by its type', () => {
  const title = { field: 'title', type: 'string', arity: 'one' };
  expect(describeField('crawl_pages', { ...title, description: ' What it says.\n' })).toBe('What it says.');
  expect(describeField('crawl_pages', { ...title, description: ' ' })).toBe('Content of the title tag.');
  expect(describeField('crawl_over_crawl_pages', { ...title, field: 'crawl2_title' })).toBe(
    'Compared crawl: Content of the title tag.',
  );
  expect(describeField('crawl_pages', { ...title, field: 'page_group_page type' })).toBe(
    "Segment of the page in the project's segmentation page type.",
  );
  expect(describeField('crawl_links', { field: 'news', type: 'natural', arity: 'many' })).toBe(
    'Field news of the service: a list, each value a whole number.',
  );
  expect(describeField('of_a_project', { ...title, field: 'toString' })).toBe(
    'Field toString of the service: a text.',
  );
});

test('each generated field of the sandbox has its own description', () => {
  const fallback = /^Field .* of the service: /;
  for (const [name, dataset] of Object.entries(CATALOGS))
    for (const { name: field, type, arity } of FIELD_RECORDS[name as DatasetName])
      expect(describeField(dataset, { field, type, arity })).not.toMatch(fallback);
});

test('each declared field of a pipeline file has its own description', async () => {
  const pipelines = await loadPipelines(join(import.meta.dirname, '..', '..', '..', '..'));
  const fallback = /^Field .* of the service: /;
  for (const { dataset, columns } of pipelines)
    for (const field of Object.keys(columns))
      expect(describeField(dataset, { field, type: 'string', arity: 'one' })).not.toMatch(fallback);
});

interface Warehouse {
  readonly connection: Connection;
  load(spec: PackageSpec): Promise<unknown>;
}

async function warehouse(): Promise<Warehouse> {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  const options = { runId: 'r', schemaChange: 'evolve', signal: new AbortController().signal } as const;
  return {
    connection: working.connection,
    load: async (spec) =>
      loadPackage(working, await readPackage(await makePackage(staging, folder, spec)), options),
  };
}

async function commentsOf(connection: Connection, table: string): Promise<Record<string, unknown>> {
  const rows = await connection.rows<{ name: string; comment: string }>(COMMENTS);
  const own = rows.filter(({ name }) => name.startsWith(`${table}.`) && !name.startsWith(`${table}._`));
  return Object.fromEntries(own.map(({ name, comment }) => [name.slice(table.length + 1), comment]));
}

test('a column keeps its first description, and a new column gets the description of the service', async () => {
  const { connection, load } = await warehouse();
  const depth = { name: 'depth', type: 'natural', arity: 'one' } as const;
  const rating = { name: 'rating', type: 'float', arity: 'one' } as const;
  await load({ id: 'c1', fields: [depth], rows: [{ depth: 1 }] });
  await load({
    id: 'c2',
    fields: [
      { ...depth, description: 'Later words.' },
      { ...rating, description: 'Rating of the page.' },
    ],
    rows: [{ depth: 1, rating: 2.5 }],
  });
  expect(await commentsOf(connection, 'raw.crawl_pages')).toEqual({
    depth: 'Number of clicks from the start URL; NULL if no link leads there.',
    rating: 'Rating of the page.',
  });
});

test('a warehouse of an earlier version gets its comments when it is opened', async () => {
  const { connection, load } = await warehouse();
  await load({
    id: 'c1',
    fields: [
      { name: 'title', type: 'string', arity: 'one' },
      { name: 'Title', type: 'string', arity: 'one' },
    ],
    rows: [{ title: 'a', Title: 'b' }],
  });
  await connection.run('COMMENT ON COLUMN raw.crawl_pages.title IS NULL');
  await connection.run('COMMENT ON COLUMN raw.crawl_pages._unit IS NULL');
  await connection.run('COMMENT ON COLUMN ops.loads.unit IS NULL');
  await connection.run('UPDATE ops.publication SET version = 11');
  await createSchema(connection);
  const rows = await connection.rows<{ name: string; comment: string | null }>(COMMENTS);
  expect(rows.filter(({ comment }) => comment === null)).toEqual([]);
  expect(Object.values(await commentsOf(connection, 'raw.crawl_pages')).sort()).toEqual([
    'Content of the title tag.',
    'Field Title of the service: a text.',
  ]);
});
