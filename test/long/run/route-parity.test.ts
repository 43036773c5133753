import { expect, test } from 'vitest';
import { hostileCrawl } from '../../support/hostile-crawl.ts';
import {
  published,
  type RunOptions,
  rawProjectFolder,
  runProject,
  sandboxFor,
} from '../../support/project.ts';
import { EXPORTED, STREAMED, sameByAll } from '../../support/same-by-all.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

test('pages and links are equal by every route, format and store', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=400,links=1500,columns=125,seed=21'],
  });
  await sameByAll(sandbox, ['crawl_pages', 'crawl_links'], [...STREAMED, ...EXPORTED]);
});

test('hostile values are equal by every route, format and store, in many objects and compressed', async () => {
  const sandbox = await sandboxFor({
    importDirs: [await hostileCrawl()],
    exportObjects: 3,
    exportGzip: true,
  });
  const texts = EXPORTED.filter(({ format }) => format !== 'parquet');
  await sameByAll(sandbox, ['crawl_pages'], [...STREAMED, ...texts]);
  // Its names differ only in case, which Parquet can't hold: the service says so, and nothing is loaded.
  const folder = await rawProjectFolder();
  const way = { route: 'export', format: 'parquet', store: 'store_a', pipelines: ['crawl_pages'] } as const;
  const { exitCode, errors } = await runProject(folder, sandbox, way);
  expect([exitCode, errors[0]?.message]).toEqual([4, expect.stringContaining('use csv or json')]);
});

test('clusters and structured data are equal by every route', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=2,pages=50,clusters=40,structured_data=120,columns=20,seed=22'],
  });
  await sameByAll(sandbox, ['crawl_clusters', 'crawl_structured_data'], STREAMED);
});

test('comparisons are equal by every route', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=3,pages=60,columns=90,comparisons=2,seed=23'],
  });
  await sameByAll(sandbox, ['crawl_over_crawl_pages'], STREAMED);
});

test('log events and log pages are equal by every route, window by window', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=60,columns=20,log_days=9,events=900,seed=24'],
  });
  const datasets = ['log_events', 'log_pages_days', 'log_pages_weeks', 'log_pages_months'];
  const connection = await sameByAll(sandbox, datasets, STREAMED);
  const folder = await rawProjectFolder();
  await runProject(folder, sandbox, { pipelines: datasets });
  const sums = await published(
    connection,
    folder,
    `SELECT (SELECT count(*) FROM raw.log_events) AS events, (SELECT sum(hits) FROM raw.log_pages_days) AS days,
       (SELECT sum(hits) FROM raw.log_pages_weeks) AS weeks, (SELECT sum(hits) FROM raw.log_pages_months) AS months`,
  );
  expect(sums).toEqual([{ events: '900', days: '900', weeks: '900', months: '900' }]);
});

test('weeks that start on Sunday are loaded completely', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=30,columns=20,log_days=20,events=400,seed=25'],
  });
  const folder = await rawProjectFolder();
  await runProject(folder, sandbox, { pipelines: ['projects'] });
  const connection = await temporaryConnection(await temporaryFolder());
  const [project] = await published(connection, folder, 'SELECT id FROM raw.projects');
  await fetch(`${sandbox.baseUrl}/_sandbox/projects/${project?.id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ week_definition: 'sunday_start' }),
  });
  const result = await runProject(folder, sandbox, { pipelines: ['log_events', 'log_pages_weeks'] });
  expect(result.errors).toEqual([]);
  const rows =
    'SELECT (SELECT sum(hits) FROM raw.log_pages_weeks) AS hits, (SELECT count(*) FROM raw.log_events) AS events';
  expect(await published(connection, folder, rows)).toEqual([{ hits: '400', events: '400' }]);
});

test('ranking performance adds up to the totals of the service', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=40,columns=20,ranking_days=5,seed=26'],
  });
  const folder = await rawProjectFolder();
  const result = await runProject(folder, sandbox, { pipelines: ['ranking_performance', 'projects'] });
  expect(result.errors).toEqual([]);
  expect(result.report.units.filter((unit) => unit.dataset === 'ranking_performance')).toHaveLength(5);
  const connection = await temporaryConnection(await temporaryFolder());
  const [ours] = await published(
    connection,
    folder,
    'SELECT sum(clicks) AS clicks, sum(impressions) AS impressions, count(*) > 0 AS some, min(_project_id) AS project FROM raw.ranking_performance',
  );
  const answer = await fetch(
    `${sandbox.baseUrl}/api/v2/data/project/${ours?.project}/ranking_performance/aggs`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${sandbox.accessToken}` },
      body: JSON.stringify({
        aggs: [
          {
            value: [
              { field: 'clicks', method: 'sum', alias: 'c' },
              { field: 'impressions', method: 'sum', alias: 'i' },
            ],
          },
        ],
      }),
    },
  );
  const { aggs } = (await answer.json()) as { aggs: { rows: number[][] }[] };
  expect([Number(ours?.clicks), Number(ours?.impressions), ours?.some]).toEqual([
    ...(aggs[0]?.rows[0] ?? []),
    true,
  ]);
});

test('an export is requested once, and its objects are removed if the settings say so', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=50,columns=20,seed=27'] });
  const folder = await rawProjectFolder();
  const options: RunOptions = {
    command: 'backfill',
    pipelines: ['crawl_pages', 'data_exports'],
    route: 'export',
    format: 'json',
    store: 'store_b',
    environment: { CRAWLHOUSE_KEEP_EXPORTS: 'never' },
  };
  expect((await runProject(folder, sandbox, options)).errors).toEqual([]);
  await runProject(folder, sandbox, options);
  const connection = await temporaryConnection(await temporaryFolder());
  const rows = await published(
    connection,
    folder,
    'SELECT status, output_row_count AS n, target_parameters FROM raw.data_exports WHERE _seen_to IS NULL',
  );
  expect(rows).toMatchObject([{ status: 'DONE', n: '50' }]);
  expect(String(rows[0]?.target_parameters)).toContain('crawl_pages_');
});
