import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { TrinoClient } from '../../src/engines/trino/client.ts';
import { RelationNames } from '../../src/engines/trino/relation-names.ts';
import { type PackageProject, packageProject } from '../pipeline/package-project.ts';
import { bucketCredentials, trinoSettings } from '../support/trino-settings.ts';

// Models without a portable form, on DuckDB and on Trino.

const trino = inject('trino');
const client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
beforeAll(() => {
  Object.assign(process.env, bucketCredentials(trino));
});
afterAll(() => client[Symbol.asyncDispose]());

const header = (name: string, kind: string, columns: string, more = ''): string => `/*
name: mart.${name}
kind: ${kind}
description: A model.
grain: null
columns: {${columns}}
${more}*/
`;
const FIRST = `${header('first_urls', 'table', '_crawl_id: The crawl., url: Its first URL., late: Not there yet.', 'reads: {raw.crawl_pages: {_crawl_id: VARCHAR, url: VARCHAR, late: DATE}}\n')}
SELECT _crawl_id, url, late FROM raw.crawl_pages QUALIFY row_number() OVER (PARTITION BY _crawl_id ORDER BY url) = 1
`;
const FIRST_ON_TRINO = `-- Trino has no QUALIFY.
SELECT _crawl_id, url, late FROM (
  SELECT p.*, row_number() OVER (PARTITION BY p._crawl_id ORDER BY p.url) AS place FROM raw.crawl_pages AS p
) WHERE place = 1;
`;
const COUNTS = `${header('url_counts', 'view', 'urls: All first URLs., n: Their number.')}
SELECT string_agg(url, '+' ORDER BY url) AS urls, len(list(url)) AS n FROM mart.first_urls
`;
const COUNTS_ON_TRINO = `SELECT listagg(url, '+') WITHIN GROUP (ORDER BY url) AS urls, cardinality(array_agg(url)) AS n
FROM mart.first_urls`;
const BY_CRAWL = `${header(
  'by_crawl',
  'table',
  '_crawl_id: The crawl., urls: Its URLs.',
  `incremental:
  by: _crawl_id
  partitions: SELECT source_id AS _crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_pages'
`,
)}
SELECT _crawl_id, string_agg(url, '+' ORDER BY url) AS urls FROM raw.crawl_pages GROUP BY ALL
`;
const BY_CRAWL_ON_TRINO = `SELECT _crawl_id, listagg(url, '+') WITHIN GROUP (ORDER BY url) AS urls
FROM raw.crawl_pages GROUP BY 1`;
const MODELS = {
  'sql/mart/first_urls.sql': FIRST,
  'sql/mart/first_urls.trino.sql': FIRST_ON_TRINO,
  'sql/mart/url_counts.sql': COUNTS,
  'sql/mart/url_counts.trino.sql': COUNTS_ON_TRINO,
  'sql/mart/by_crawl.sql': BY_CRAWL,
  'sql/mart/by_crawl.trino.sql': BY_CRAWL_ON_TRINO,
};
const ALL = [
  'SELECT _crawl_id, url, late FROM mart.first_urls ORDER BY _crawl_id',
  'SELECT urls, n FROM mart.url_counts',
  'SELECT _crawl_id, urls FROM mart.by_crawl ORDER BY _crawl_id',
];

async function projects() {
  const prefix = `q${randomUUID().slice(0, 8)}_`;
  const names = new RelationNames(prefix);
  const onTrino = await packageProject({ ...MODELS, 'crawlhouse.yaml': trinoSettings(trino, prefix) });
  const duckdb = await packageProject(MODELS);
  const rows = (all: readonly Record<string, unknown>[]) =>
    all.map((row) => Object.values(row).map((value) => (value === null ? null : String(value))));
  return {
    onTrino,
    load: async (crawls: Readonly<Record<string, readonly string[]>>) => {
      const load = async ({ make, load }: PackageProject) => {
        const folders = Object.entries(crawls).map(([id, urls]) => make(id, urls));
        return load(...(await Promise.all(folders)));
      };
      return [await load(duckdb), await load(onTrino)] as const;
    },
    /** What readers see, the same on both. */
    seen: async () => {
      const found: unknown[] = [];
      for (const sql of ALL) {
        const own = rows(await duckdb.read(sql));
        const named = sql.replace(/mart\.\w+/, (relation) => names.reader(relation));
        expect(rows(await client.rows(named))).toEqual(own);
        found.push(own);
      }
      return found;
    },
  };
}

test('a table, a view and a model by partition have the same rows on both, also after a change', async () => {
  const { onTrino, load, seen } = await projects();
  for (const { exitCode, errors } of await load({ c1: ['b', 'a'], c2: ['c'] }))
    expect([exitCode, errors]).toEqual([0, []]);
  expect(await seen()).toEqual([
    [
      ['c1', 'a', null],
      ['c2', 'c', null],
    ],
    [['a+c', '2']],
    [
      ['c1', 'a+b'],
      ['c2', 'c'],
    ],
  ]);
  for (const { exitCode } of await load({ c2: ['e', 'd'], c3: ['f'] })) expect(exitCode).toBe(0);
  expect((await seen())[2]).toEqual([
    ['c1', 'a+b'],
    ['c2', 'd+e'],
    ['c3', 'f'],
  ]);
  // Its text is part of what a model is made from.
  const file = join(onTrino.folder, 'sql/mart/url_counts.trino.sql');
  await writeFile(file, COUNTS_ON_TRINO.replace("'+'", "'/'"));
  const [, changed] = await load({ c1: ['b', 'a'] });
  expect(changed.report.models.filter(({ status }) => status === 'built').map(({ name }) => name)).toContain(
    'mart.url_counts',
  );
});

test('an error of Trino names the line of the file', async () => {
  const { onTrino, load } = await projects();
  const file = join(onTrino.folder, 'sql/mart/first_urls.trino.sql');
  await writeFile(file, FIRST_ON_TRINO.replace('p.url', 'p.urll'));
  const [, { errors }] = await load({ c1: ['a'] });
  expect(errors.map(({ code, message }) => [code, message.split(' (')[0]])).toEqual([
    ['bad_model', "sql/mart/first_urls.trino.sql:3: Column 'p.urll' cannot be resolved"],
  ]);
});
