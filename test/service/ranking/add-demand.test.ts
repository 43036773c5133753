import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ServiceClient } from '../../../src/client/http/service-client.ts';
import type { DemandToAdd } from '../../../src/service/ranking/add-demand.ts';
import type { Replaced } from '../../../src/service/ranking/replaced-demand.ts';
import type { AddedDemand } from '../../../src/service/ranking/store-demand.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { type DemandOptions, readDemand } from '../../../src/site/search-data/read-demand.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import '../../support/process-timeout.ts';
import { sharedService } from '../support.ts';

const signal = new AbortController().signal;
const it = await sharedService({ generate: [] });
let made = 0;

/** A project of its own for a test, and what it takes to add files to it and to see what is served. */
async function project() {
  const folder = await temporaryFolder();
  await using client = new ServiceClient({
    baseUrl: it.sandbox.baseUrl,
    accessToken: it.sandbox.accessToken,
  });
  const name = `site-${made++}`;
  const { id } = await client.call('createProject', {
    body: { project: { name, start_url: 'https://e.example/' } },
  });
  const add = async (
    files: Readonly<Record<string, string | Uint8Array>>,
    options: Partial<DemandOptions> & Partial<Omit<DemandToAdd, 'source' | 'onReplace'>> = {},
  ): Promise<(AddedDemand & { readonly told: readonly Replaced[] })[]> => {
    for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
    const paths = Object.keys(files).map((file) => join(folder, file));
    const { onReject = 'fail', keep = false, hosts = [], ...said } = options;
    const added = [];
    for (const source of await readDemand(paths, { period: null, dimensions: null, ...said }, signal)) {
      const told: Replaced[] = [];
      const onReplace = (one: Replaced) => told.push(one);
      const work = { source, onReject, keep, hosts, onReplace };
      added.push({ ...(await it.sandbox.addDemand(id, work, signal)), told });
    }
    return added;
  };
  return { id, folder, add, rows: (...fields: string[]) => rowsOf(id, fields) };
}

/** The rows that the service has, as text: the fields, clicks, impressions, position. */
async function rowsOf(project_id: string, fields: readonly string[]): Promise<string[]> {
  await using client = new ServiceClient({
    baseUrl: it.sandbox.baseUrl,
    accessToken: it.sandbox.accessToken,
  });
  const value = [
    { field: 'clicks', method: 'sum', alias: 'c' },
    { field: 'impressions', method: 'sum', alias: 'i' },
    { field: 'position', method: 'weighted_average', alias: 'p' },
  ] as const;
  const { aggs } = await client.call('aggregateRanking', {
    project_id,
    body: { aggs: [{ fields: [...fields], value: [...value] }] },
  });
  return (aggs[0]?.rows ?? []).map((row) => row.map((one) => one ?? '-').join(' '));
}

const HEADER =
  'data_date,url,query,is_anonymized_query,country,search_type,device,impressions,clicks,sum_position\n';
const bulk = (...rows: readonly string[]): string => HEADER + rows.map((row) => `${row}\n`).join('');

test('rows by day and URL are served as ranking performance, with repeated keys summed', async () => {
  const { id, add, rows } = await project();
  const [added] = await add({
    'url.csv': bulk(
      '2026-11-01,https://e.example/a,shoes,false,fra,WEB,MOBILE,4,1,10',
      '2026-11-01,https://e.example/a,shoes,false,fra,WEB,MOBILE,4,0,2',
      '2026-11-02,https://e.example/a,,true,nzl,WEB,DESKTOP,2,1,0',
    ),
  });
  expect(added).toMatchObject({
    status: 'added',
    changed: { from: '2026-11-01', to: '2026-11-02' },
    differences: [],
  });
  expect(added?.sums).toEqual([
    {
      by: 'date, url, query, device, country',
      rows: 3n,
      from: '2026-11-01',
      to: '2026-11-02',
      days: 2n,
      clicks: 2n,
      impressions: 10n,
      anonymized_clicks: 1n,
      anonymized_impressions: 2n,
    },
  ]);
  // (10 + 4 + 2 + 4) / 8 = 2.5: positions from 0, and 1 for each impression.
  expect(await rows('date', 'url', 'query', 'device', 'country', 'period_days')).toEqual([
    '2026-11-01 https://e.example/a shoes mobile fra - 1 8 2.5',
    '2026-11-02 https://e.example/a - desktop nzl - 1 2 1',
  ]);
  const { fields } = (await it.api(`/data/project/${id}/ranking_performance/fields`)).json as {
    fields: { name: string; values?: string[] }[];
  };
  expect(fields.map(({ name }) => name)).toContain('period_days');
  expect(fields.find(({ name }) => name === 'country')?.values).toBeUndefined();
  expect(await it.sandbox.changedDays()).toEqual(
    expect.arrayContaining([
      { project_id: id, kind: 'ranking_performance', day: '2026-11-01', loaded_by: [] },
      { project_id: id, kind: 'ranking_performance', day: '2026-11-02', loaded_by: [] },
    ]),
  );
});

test('the same files change nothing, and a later export replaces its days', async () => {
  const { add, rows } = await project();
  const first = {
    'a.csv': bulk(
      '2026-11-01,https://e.example/a,q,false,fra,WEB,MOBILE,4,1,0',
      '2026-11-02,https://e.example/a,q,false,fra,WEB,MOBILE,4,1,0',
    ),
  };
  const [before] = await add(first);
  const [again] = await add(first);
  expect(again).toEqual({ ...before, status: 'unchanged', changed: null, told: [] });
  const [later] = await add({ 'b.csv': bulk('2026-11-02,https://e.example/b,q,false,fra,WEB,MOBILE,6,2,0') });
  expect(later).toMatchObject({
    replaced_days: 1,
    kept_days: 0,
    changed: { from: '2026-11-02', to: '2026-11-02' },
  });
  const now = ['2026-11-01 https://e.example/a 1 4 1', '2026-11-02 https://e.example/b 2 6 1'];
  expect(await rows('date', 'url')).toEqual(now);
  // The first export again, which the second has replaced in part: it is back whole.
  expect(await add(first)).toMatchObject([{ status: 'added', replaced_days: 2 }]);
  expect(await rows('date', 'url')).toEqual([
    '2026-11-01 https://e.example/a 1 4 1',
    '2026-11-02 https://e.example/a 1 4 1',
  ]);
  expect(await add(first)).toMatchObject([{ status: 'unchanged' }]);
});

test('rows with fewer dimensions do not replace rows with more, and files of one export belong together', async () => {
  const { add, rows } = await project();
  await add({
    '1.csv': bulk('2026-11-01,https://e.example/a,q,false,fra,WEB,MOBILE,4,1,0'),
    '2.csv': bulk('2026-11-01,https://e.example/b,q,false,fra,WEB,MOBILE,4,1,0'),
  });
  const row = (day: string) => ({
    keys: [day, 'https://e.example/a'],
    clicks: 9,
    impressions: 9,
    position: 1,
  });
  const [coarse] = await add({
    'api.json': JSON.stringify({ rows: [row('2026-11-01'), row('2026-11-02')] }),
  });
  expect(coarse).toMatchObject({
    kept_days: 1,
    replaced_days: 0,
    changed: { from: '2026-11-02', to: '2026-11-02' },
  });
  expect(await rows('date', 'url', 'query')).toEqual([
    '2026-11-01 https://e.example/a q 1 4 1',
    '2026-11-01 https://e.example/b q 1 4 1',
    '2026-11-02 https://e.example/a - 9 9 1',
  ]);
});

const DATES = 'Date,Clicks,Impressions,CTR,Position\n2026-11-01,5,100,5%,2\n2026-11-02,5,100,5%,2\n';
const PAGES = 'Top pages,Clicks,Impressions,CTR,Position\nhttps://e.example/a,10,240,4%,2\n';
const QUERIES = 'Top queries,Clicks,Impressions,CTR,Position\nshoes,6,120,5%,2\n';

test('totals of a period never add to rows of days, and replace only totals of the same period', async () => {
  const { add, rows } = await project();
  await add({ 'url.csv': bulk('2026-11-02,https://e.example/a,q,false,fra,WEB,MOBILE,4,1,0') });
  const [added] = await add({ 'Dates.csv': DATES, 'Pages.csv': PAGES, 'Queries.csv': QUERIES });
  expect(added?.differences).toEqual([
    {
      by: 'query',
      clicks: 6n,
      impressions: 120n,
      total_clicks: 10n,
      total_impressions: 200n,
      text: 'By query: 4 clicks fewer than in the totals (40.0 %), 80 impressions fewer than in the totals (40.0 %). Likely: queries that few people asked are not named.',
    },
    {
      by: 'url',
      clicks: 10n,
      impressions: 240n,
      total_clicks: 10n,
      total_impressions: 200n,
      text: 'By url: 40 impressions more than in the totals (20.0 %). Likely: a result with several pages counts once for the site, and once for each page.',
    },
  ]);
  const served = [
    '2026-11-01 1 all - - 5 100 2',
    '2026-11-02 2 query - shoes 6 120 2',
    '2026-11-02 2 url https://e.example/a - 10 240 2',
    '2026-11-02 1 all - - 5 100 2',
    '2026-11-02 - - https://e.example/a q 1 4 1',
  ];
  expect((await rows('date', 'period_days', 'totals_by', 'url', 'query')).toSorted()).toEqual(
    served.toSorted(),
  );
  const more = { from: '2026-10-01', to: '2026-11-02' };
  await add({ 'More.csv': PAGES.replace('10,240', '99,999') }, { period: more });
  await add({
    'Dates2.csv': DATES.replace('5,100', '6,100'),
    'Pages2.csv': PAGES.replace('10,240', '11,240'),
  });
  expect((await rows('date', 'period_days', 'totals_by')).toSorted()).toEqual(
    [
      '2026-11-01 1 all 6 100 2',
      '2026-11-02 1 all 5 100 2',
      // Those by query of the first export never stand beside those of the second.
      '2026-11-02 2 url 11 240 2',
      '2026-11-02 33 url 99 999 2',
      '2026-11-02 - - 1 4 1',
    ].toSorted(),
  );
});

test('losses of earlier exports are reported beforehand, and --keep prevents them', async () => {
  const { add, rows } = await project();
  const two = `${PAGES}https://e.example/b,3,30,10%,2\n`;
  await add({ 'Dates.csv': DATES, 'Pages.csv': two });
  const day = (name: string) => bulk(`2026-11-02,https://e.example/${name},q,false,fra,WEB,MOBILE,4,1,0`);
  const before = (await rows('date', 'period_days', 'totals_by', 'url')).toSorted();
  const [kept] = await add({ 'day.csv': day('a') }, { keep: true });
  expect(kept).toMatchObject({ kept_days: 1, changed: null, told: [{ days: 0, totals: [], hidden: null }] });
  expect((await rows('date', 'period_days', 'totals_by', 'url')).toSorted()).toEqual(before);
  const [hiding] = await add({ 'day.csv': day('a') });
  expect(hiding?.told).toEqual([
    {
      days: 0,
      lost_urls: 0,
      lost_clicks: 0n,
      totals: [],
      hidden: { from: '2026-11-01', to: '2026-11-02', urls: 1, clicks: 3n },
    },
  ]);
  const [replacing] = await add({ 'day.csv': day('c') });
  expect(replacing?.told).toEqual([{ days: 1, lost_urls: 1, lost_clicks: 1n, totals: [], hidden: null }]);
  const [totals] = await add({ 'Dates.csv': DATES, 'Pages.csv': PAGES });
  expect(totals?.told[0]?.totals).toEqual([
    { by: 'all', from: '2026-11-01', to: '2026-11-02', rows: 2, clicks: 10n },
    { by: 'url', from: '2026-11-01', to: '2026-11-02', rows: 2, clicks: 13n },
  ]);
});

test('pages of other hosts are excluded, and a fragment belongs to its page', async () => {
  const { add, rows } = await project();
  const [added] = await add({
    'Dates.csv': DATES,
    'Pages.csv': `${PAGES.split('\n')[0]}\n${[
      'https://e.example/sec,5,50,10%,2',
      'https://e.example/sec#part,7,50,14%,4',
      'https://shop.e.example/x,1,50,2%,2',
      'https://other.example/y,9,50,18%,2',
    ].join('\n')}\n`,
  });
  expect(added?.otherHosts).toEqual({ 'other.example': 1 });
  expect((await rows('totals_by', 'url')).toSorted()).toEqual([
    'all - 10 200 2',
    'url https://e.example/sec 12 100 3',
    'url https://shop.e.example/x 1 50 2',
  ]);
  const foreign = { 'Pages.csv': PAGES.replaceAll('e.example', 'other.example') };
  const period = { from: '2026-10-01', to: '2026-10-31' };
  await expect(add(foreign, { period })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('all pages are on hosts other than the website'),
  });
  await add(foreign, { period, hosts: ['other.example'] });
});

test('a table of 1,000 rows with missing totals was truncated by the web page', async () => {
  const { add } = await project();
  const pages = Array.from({ length: 1000 }, (_, index) => `https://e.example/${index},0,0,0%,0`).join('\n');
  const [added] = await add({ 'Dates.csv': DATES, 'Pages.csv': `${PAGES.split('\n')[0]}\n${pages}\n` });
  expect(added?.differences[0]?.text).toContain('the page exports at most 1,000 rows of a table');
});

test('the site totals cover the days that both tables have', async () => {
  const { add } = await project();
  const site = (day: string) => `${day},q,false,fra,WEB,MOBILE,5,2,0\n`;
  const [added] = await add({
    'url.csv': bulk('2026-11-01,https://e.example/a,q,false,fra,WEB,MOBILE,5,2,0'),
    'site.csv': `${HEADER.replace('url,', '').replace('sum_position', 'sum_top_position')}${site('2026-11-01')}${site('2026-11-02')}`,
  });
  expect(added?.differences).toMatchObject([{ clicks: 2n, total_clicks: 2n, text: null }]);
});

test('an invalid row refuses the export completely; quarantine skips and counts the row', async () => {
  const { add, rows, folder } = await project();
  const file = {
    'a.csv': bulk(
      '2026-11-01,https://e.example/a,q,false,fra,WEB,MOBILE,4,1,0',
      '2026-11-01,nothing,q,false,fra,WEB,MOBILE,4,1,0',
    ),
  };
  await expect(add(file)).rejects.toMatchObject({
    code: 'rejected_values',
    message: `${join(folder, 'a.csv')}, line 3: url: "nothing" is not a URL`,
  });
  await add({ 'b.csv': bulk('2026-11-09,https://e.example/b,q,false,fra,WEB,MOBILE,1,1,0') });
  expect(await rows('date')).toEqual(['2026-11-09 1 1 1']);
  const [added] = await add(file, { onReject: 'quarantine' });
  expect(added?.rejected).toEqual({
    rows: 1,
    places: [{ place: join(folder, 'a.csv'), line: 3, reason: 'url: "nothing" is not a URL' }],
  });
  expect(await rows('date')).toEqual(['2026-11-01 1 4 1', '2026-11-09 1 1 1']);
});

test('numbers beyond 2^53, quotes and an export without rows are preserved', async () => {
  const { add, rows } = await project();
  const row = {
    keys: ['2026-11-01', 'https://e.example/', '"a", \\'],
    clicks: 1,
    impressions: 1,
    position: 1,
  };
  const text = JSON.stringify({ rows: [row] }).replace(
    '"clicks":1,"impressions":1',
    '"clicks":9007199254740993,"impressions":9007199254740995',
  );
  await add({ 'a.json': text }, { dimensions: ['date', 'url', 'query'] });
  expect(await rows('query')).toEqual(['"a", \\ 9007199254740993 9007199254740995 1']);
  const [empty] = await add({ 'empty.csv': HEADER });
  expect(empty).toMatchObject({ status: 'added', sums: [], changed: null });
});

test('figures that overflow a table are refused, also together with earlier exports', async () => {
  const { add, rows } = await project();
  const most = (2n ** 63n - 1n).toString();
  const row = (day: number, position = '1'): string =>
    `2026-11-0${day},https://e.example/,1,${most},${position}\n`;
  const header = 'date,page,clicks,impressions,position\n';
  const refused = { code: 'rejected_values', message: expect.stringContaining('add up to more than 2^63') };
  await expect(add({ 'a.csv': header + row(1) + row(2) })).rejects.toMatchObject(refused);
  await add({ 'a.csv': header + row(1) });
  await expect(add({ 'b.csv': header + row(2) })).rejects.toMatchObject(refused);
  expect(await rows('date')).toHaveLength(1);
  await expect(add({ 'c.csv': header + row(1, '1000000') })).rejects.toMatchObject({
    message: expect.stringContaining('position: "1000000" is not a position in search results'),
  });
});

test('Parquet of the bulk export is read like its CSV', async () => {
  const { add, rows, folder } = await project();
  const connection = await temporaryConnection(folder);
  const path = join(folder, 'export.parquet');
  await connection.run(
    `COPY (SELECT DATE '2026-11-01' AS data_date, 'https://e.example/' AS url, NULL AS query, true AS is_anonymized_query,
       'fra' AS country, 'WEB' AS search_type, 'TABLET' AS device, 9007199254740993::BIGINT AS impressions, 3::BIGINT AS clicks,
       9007199254740993::BIGINT AS sum_position) TO '${path}' (FORMAT parquet)`,
  );
  await add({ 'named *.parquet': await readFile(path) });
  expect(await rows('date', 'url', 'query', 'device', 'country')).toEqual([
    '2026-11-01 https://e.example/ - tablet fra 3 9007199254740993 2',
  ]);
});

test('ranking performance of another source is unchanged, and a recreated project is empty', async () => {
  await using sandbox = await startSandbox({
    generate: ['projects=1,crawls=1,pages=20,ranking_days=2,seed=1'],
  });
  await using client = new ServiceClient({ baseUrl: sandbox.baseUrl, accessToken: sandbox.accessToken });
  const [workspace] = await Array.fromAsync(client.list('workspaces', {}));
  const [generated] = await Array.fromAsync(client.list('projects', { workspace_id: String(workspace?.id) }));
  const path = join(await temporaryFolder(), 'a.csv');
  await writeFile(path, bulk('2026-11-01,https://e.example/a,q,false,fra,WEB,MOBILE,4,1,0'));
  const [source] = await readDemand([path], { period: null, dimensions: null }, signal);
  if (source === undefined) throw new Error('no export');
  const add = (id: string) => sandbox.addDemand(id, { source, onReject: 'fail' }, signal);
  await expect(add(String(generated?.id))).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('has ranking performance of its own'),
  });
  const body = { project: { name: 'again', start_url: 'https://e.example/' } };
  const { id } = await client.call('createProject', { body });
  expect(await add(id)).toMatchObject({ status: 'added' });
  await client.call('deleteProject', { project_id: id });
  const { id: second } = await client.call('createProject', { body });
  expect(await add(second)).toMatchObject({ status: 'added', replaced_days: 0 });
});

test('a day has a share of anonymized queries if rows by query and a total or anonymized rows are stored', async () => {
  const { id, add } = await project();
  expect(await it.sandbox.demandDays(id)).toEqual([]);
  await add({
    'bulk.csv': bulk(
      '2026-11-01,https://e.example/a,q,false,fra,WEB,MOBILE,4,3,0',
      '2026-11-01,https://e.example/a,,true,fra,WEB,MOBILE,9,2,0',
      '2026-11-02,https://e.example/a,,true,fra,WEB,MOBILE,9,2,0',
      '2026-11-03,https://e.example/a,q,false,fra,WEB,MOBILE,4,3,0',
    ),
  });
  await add({
    'pages.csv': 'date,page,clicks,impressions,position\n2026-11-04,https://e.example/a,3,30,2\n',
  });
  await add({ 'days.csv': 'date,clicks,impressions,position\n2026-11-03,5,30,2\n2026-11-05,5,30,2\n' });
  expect(await it.sandbox.demandDays(id)).toEqual([
    { day: '2026-11-01', anonymized: { clicks: 2n, of: 5n } },
    { day: '2026-11-02', anonymized: { clicks: 2n, of: 2n } },
    { day: '2026-11-03', anonymized: { clicks: 2n, of: 5n } },
    { day: '2026-11-04', anonymized: null },
  ]);
});

test('an interrupted add leaves nothing', async () => {
  const { id, folder, rows, add } = await project();
  const path = join(folder, 'a.csv');
  await writeFile(path, bulk('2026-11-01,https://e.example/a,q,false,fra,WEB,MOBILE,4,1,0'));
  const [source] = await readDemand([path], { period: null, dimensions: null }, signal);
  if (source === undefined) throw new Error('no export');
  const stopped = AbortSignal.abort(new Error('stopped'));
  await expect(it.sandbox.addDemand(id, { source, onReject: 'fail' }, stopped)).rejects.toThrow('stopped');
  await add({ 'b.csv': bulk('2026-11-09,https://e.example/b,q,false,fra,WEB,MOBILE,1,1,0') });
  expect(await rows('date')).toEqual(['2026-11-09 1 1 1']);
});
