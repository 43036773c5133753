import { expect, test } from 'vitest';
import {
  CLUSTER_FIELD_RECORDS,
  LINK_FIELD_RECORDS,
  STRUCTURED_DATA_FIELD_RECORDS,
} from '../../../../src/service/fields/field-records-of.ts';
import { PAGE_FIELD_RECORDS } from '../../../../src/service/fields/specified-page-fields.ts';
import { CLUSTER_FIELDS, ITEM_FIELDS, LINK_FIELDS } from '../../../../src/site/crawler/jobs/crawl-fields.ts';
import { pageFields } from '../../../../src/site/crawler/jobs/page-sql.ts';
import { JOB_NAMES, runJobs } from '../../../../src/site/crawler/jobs/run-jobs.ts';
import { parsePage } from '../../../../src/site/crawler/parse/parse-page.ts';
import { crawlDatabase, link, page } from '../../../support/crawl-records.ts';
import { fetched, RULES } from '../../../support/fetched-page.ts';

const ALL_FIELDS = { customFields: [], hasVitals: true, isList: false };

test.each([
  ['pages', PAGE_FIELD_RECORDS, pageFields(ALL_FIELDS)],
  ['links', LINK_FIELD_RECORDS, LINK_FIELDS],
  ['clusters', CLUSTER_FIELD_RECORDS, CLUSTER_FIELDS],
  ['structured_data', STRUCTURED_DATA_FIELD_RECORDS, ITEM_FIELDS],
] as const)('%s have every field of the service, with its type', async (table, catalog, fields) => {
  const made = new Map(fields.map(({ name, type, arity }) => [name, { name, type, arity }]));
  expect(made.size).toBe(fields.length);
  expect(catalog.map(({ name }) => made.get(name))).toEqual(
    catalog.map(({ name, type, arity }) => ({ name, type, arity })),
  );
  const connection = await crawlDatabase({ pages: [] });
  await runJobs(connection, { fields: ALL_FIELDS });
  const columns = await connection.rows<{ column_name: string }>(
    `SELECT column_name FROM duckdb_columns() WHERE table_name = $1 ORDER BY column_index`,
    [table],
  );
  expect(columns.map(({ column_name }) => column_name)).toEqual(fields.map(({ name }) => name));
});

test('the jobs match those of the service, in order', async () => {
  const events: string[] = [];
  const connection = await crawlDatabase({ pages: [page('/')] });
  await runJobs(connection, { onJob: (name, status) => events.push(`${name} ${status}`) });
  expect(JOB_NAMES).toEqual([
    'parse',
    'inlinks',
    'sitemaps',
    'outlinks',
    'redirect',
    'scoring',
    'top_ngrams',
    'hreflang',
    'duplicate_description',
    'duplicate_title',
    'duplicate_h1',
    'duplicate_simhash',
    'cluster_similarities',
  ]);
  expect(events).toEqual(JOB_NAMES.flatMap((name) => [`${name} running`, `${name} done`]));
});

test('repeated jobs create the same tables, and nothing else', async () => {
  const connection = await crawlDatabase({ pages: [page('/'), page('/a')], links: [link('/', '/a')] });
  const state = async () => [
    await connection.jsonRows('FROM pages ORDER BY url'),
    await connection.jsonRows('FROM links'),
    await connection.jsonRows('SELECT table_name FROM duckdb_tables() ORDER BY table_name'),
  ];
  await runJobs(connection);
  const first = await state();
  await runJobs(connection);
  expect(await state()).toEqual(first);
  expect(first[2]).toHaveLength(12);
});

test('an abort ends the jobs', async () => {
  const connection = await crawlDatabase({ pages: [page('/')] });
  const controller = new AbortController();
  const running = runJobs(connection, {
    signal: controller.signal,
    onJob: (name) => name === 'scoring' && controller.abort(new Error('stopped')),
  });
  await expect(running).rejects.toThrow('stopped');
});

test('a parsed page passes the jobs', async () => {
  const html =
    '<html lang=en><title>Shoes</title><h1>Shoes</h1><p>One shoe, two shoe. <a href="/shop/shoes.html#top">Top</a><script type=application/ld+json>{"@type":"Product","name":"Shoe"}</script>';
  const { page: record, links, items } = parsePage(fetched(html), RULES);
  const pages = [{ ...record, depth: 0, sources: ['crawler'], robots_txt_denied: false }];
  const connection = await crawlDatabase({ pages, links, items });
  await runJobs(connection);
  expect(
    await connection.jsonRows(
      'SELECT title, word_count, semantic_types, nb_inlinks, nb_links_self_referencing, fetch_date FROM pages',
    ),
  ).toEqual([
    {
      title: 'Shoes',
      word_count: '6',
      semantic_types: ['Product'],
      nb_inlinks: '0',
      nb_links_self_referencing: '1',
      fetch_date: '2026/11/22 07:08:09 UTC',
    },
  ]);
  expect(
    await connection.jsonRows('SELECT type, valid, missing_properties, item FROM structured_data'),
  ).toEqual([
    {
      type: 'Product',
      valid: false,
      missing_properties: ['offers|review|aggregateRating'],
      item: '{"@type":"Product","name":"Shoe"}',
    },
  ]);
});
