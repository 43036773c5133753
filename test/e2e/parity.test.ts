import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringifyJson } from '../../src/core/json.ts';
import { differences, projectFolder, published, runHouse, sandboxFor } from '../support/house.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

/** A crawl folder whose pages hold what breaks other tools. */
async function hostileCrawl(): Promise<string> {
  const folder = join(await temporaryFolder(), 'hostile-2026-03-01');
  await mkdir(folder);
  const fields = [
    ['url', 'string', 'one'],
    ['Title', 'string', 'one'],
    ['title', 'string', 'one'],
    ['page_group_casino main', 'string', 'one'],
    ['say "so"', 'string', 'many'],
    ['clicks', 'natural', 'one'],
    ['simhash', 'natural', 'one'],
    ['ratio', 'float', 'one'],
    ['indexable', 'bool', 'one'],
    ['fetch_date', 'datetime', 'one'],
    ['day', 'date', 'one'],
    ['extra', 'object', 'one'],
    ['depths', 'natural', 'many'],
  ].map(([name, type, arity]) => ({
    name,
    type,
    arity,
    can_display: true,
    can_filter: true,
    can_sort: true,
    actions: ['equals'],
  }));
  const row = (n: number, more: Record<string, unknown>) => ({
    url: `https://example.com/${n}`,
    Title: null,
    title: null,
    'page_group_casino main': null,
    'say "so"': null,
    clicks: null,
    simhash: null,
    ratio: null,
    indexable: null,
    fetch_date: null,
    day: null,
    extra: null,
    depths: null,
    ...more,
  });
  const rows = [
    row(1, {
      Title: 'Upper',
      title: '',
      clicks: 9007199254740993n,
      simhash: 18446744073709551615n,
      ratio: 0.1,
    }),
    row(2, { Title: '', title: 'semi;colon "quoted"\nnewline', 'say "so"': ['a', 'b;c', ''], clicks: 0 }),
    row(3, {
      title: 'ünïcode 🕷️',
      'say "so"': ['lone'],
      indexable: true,
      fetch_date: '2025/07/01 12:00:00 Europe/Paris',
    }),
    row(4, { 'page_group_casino main': ' spaces ', 'say "so"': [], indexable: false, day: '2024-02-29' }),
    row(5, {
      extra: { a: [1, 'x'], b: null },
      depths: [1, 2, 3],
      fetch_date: '2025/01/08 14:07:03 UTC',
      ratio: 1e300,
    }),
    row(6, { extra: [], depths: [7], simhash: -3 }),
    row(7, {}),
  ];
  await writeFile(join(folder, 'pages.fields.json'), JSON.stringify({ fields }));
  await writeFile(join(folder, 'pages.jsonl'), rows.map((one) => `${stringifyJson(one)}\n`).join(''));
  return folder;
}

test('CSV and JSONL, plain and gzip, load the same rows of hostile data', async () => {
  const sandbox = await sandboxFor({ importDirs: [await hostileCrawl()] });
  const connection = await temporaryConnection(await temporaryFolder());
  const ways = [
    ['json', 'none'],
    ['json', 'gzip'],
    ['csv', 'none'],
    ['csv', 'gzip'],
  ] as const;
  const folders: string[] = [];
  for (const [format, compression] of ways) {
    const folder = await projectFolder();
    const result = await runHouse(folder, sandbox, {
      format,
      environment: { CRAWLHOUSE_COMPRESSION: compression },
    });
    expect(result.errors).toEqual([]);
    folders.push(folder);
  }
  const [first = ''] = folders;
  for (const folder of folders) {
    expect(await differences(connection, first, folder, 'crawl_pages')).toBe(0n);
    const types =
      "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'crawl_pages' ORDER BY 1";
    expect(await published(connection, folder, types)).toEqual(await published(connection, first, types));
  }
  const [row] = await published(
    connection,
    first,
    'SELECT simhash, clicks, fetch_date FROM raw.crawl_pages WHERE simhash > 0',
  );
  expect(row).toEqual({ simhash: '18446744073709551615', clicks: '9007199254740993', fetch_date: null });
  const zone = await published(
    connection,
    first,
    "SELECT CAST(fetch_date AS VARCHAR) AS at FROM raw.crawl_pages WHERE url LIKE '%/3'",
  );
  expect(zone).toEqual([{ at: '2025-07-01 10:00:00+00' }]);
  expect(
    await published(
      connection,
      first,
      "SELECT field, change, after FROM ops.schema_changes WHERE change = 'widened'",
    ),
  ).toEqual([{ field: 'simhash', change: 'widened', after: 'DECIMAL(38,0)' }]);
});

test('generated data load the same rows by both formats', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=2000,links=5000,columns=130,seed=11'],
  });
  const connection = await temporaryConnection(await temporaryFolder());
  const [json, csv] = [await projectFolder(), await projectFolder()];
  await runHouse(json, sandbox, { format: 'json' });
  await runHouse(csv, sandbox, { format: 'csv' });
  expect(await differences(connection, json, csv, 'crawl_pages')).toBe(0n);
  expect(await differences(connection, json, csv, 'crawl_links')).toBe(0n);
});
