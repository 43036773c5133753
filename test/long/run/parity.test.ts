import { expect, test } from 'vitest';
import { hostileCrawl } from '../../support/hostile-crawl.ts';
import { differences, published, rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

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
    const folder = await rawProjectFolder();
    const result = await runProject(folder, sandbox, {
      format,
      pipelines: ['crawl_pages'],
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

test('generated data loads the same rows in both formats and with auto, which selects CSV only for links', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=300,links=800,columns=130,seed=11'],
  });
  const connection = await temporaryConnection(await temporaryFolder());
  const [json, csv, auto] = [await rawProjectFolder(), await rawProjectFolder(), await rawProjectFolder()];
  const pipelines = ['crawl_pages', 'crawl_links'];
  await runProject(json, sandbox, { format: 'json', pipelines });
  await runProject(csv, sandbox, { format: 'csv', pipelines });
  await runProject(auto, sandbox, { pipelines });
  for (const folder of [csv, auto]) {
    expect(await differences(connection, json, folder, 'crawl_pages')).toBe(0n);
    expect(await differences(connection, json, folder, 'crawl_links')).toBe(0n);
  }
  const loads = 'SELECT dataset, format, reason FROM ops.loads ORDER BY dataset';
  expect(await published(connection, auto, loads)).toEqual([
    {
      dataset: 'crawl_links',
      format: 'csv',
      reason: expect.stringMatching(/; CSV, because each field fits/),
    },
    { dataset: 'crawl_pages', format: 'json', reason: expect.stringMatching(/; JSON, because CSV loses /) },
  ]);
});
