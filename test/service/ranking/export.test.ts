import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ServiceClient } from '../../../src/client/http/service-client.ts';
import type { DataExport } from '../../../src/client/resources/data-exports.ts';
import type { RankingExportInput } from '../../../src/client/resources/ranking-performance.ts';
import { until } from '../../support/until.ts';
import { clientOf, projectId } from '../clients.ts';
import { type Answer, type Json, lines, parseCsv, type Service, service, sharedService } from '../support.ts';
import { rankingFolder } from './ranking-data.ts';

const shared = await sharedService({ importDirs: [await rankingFolder()] });
const sharedId = await projectId(shared);

const REQUEST = {
  fields: ['query', 'date'],
  value: [
    { field: 'clicks', method: 'sum', alias: 'clicks' },
    { field: 'position', method: 'weighted_average', alias: 'position' },
  ],
  oql: { field: ['date', 'between', ['2025-01-01', '2025-01-03']] },
} as const satisfies RankingExportInput['request'];

const TABLE = [
  ['query', 'date', 'clicks', 'position'],
  ['black tea', '2025-01-01', '3', '1.5'],
  ['green tea', '2025-01-01', '4', '2.5'],
  ['green tea', '2025-01-02', '0', '8.5'],
  ['tea; "loose"', '2025-01-02', '0', null],
];

/** The record once the export has ended. */
async function finished(it: Service, client: ServiceClient, id: string): Promise<DataExport> {
  const workspace = await it.workspace();
  return until(async () => {
    const record = await client.call('dataExport', { workspace_id: workspace, data_export_id: id });
    return record.status === 'DONE' || record.status === 'FAILED' ? record : undefined;
  });
}

function urlOf(record: DataExport): string {
  return String(record.target_parameters?.download_url);
}

/** Without a token: the address alone opens it. */
async function fetched(it: Service, record: DataExport): Promise<Answer> {
  return it.ask(urlOf(record).slice(it.sandbox.baseUrl.length), { token: null });
}

test.each([',', ';', '\t'] as const)(
  'csv has the delimiter %j, and each row equals the aggregate',
  async (delimiter) => {
    const [it, id] = [shared, sharedId];
    const client = clientOf(it);
    const asked = await client.call('exportRanking', {
      project_id: id,
      body: {
        request: REQUEST,
        output_format: 'csv',
        output_format_parameters: { csv_delimiter: delimiter },
      },
    });
    expect(asked).toMatchObject({
      data_type: 'keyword',
      resource_id: id,
      output_format: 'csv',
      output_format_parameters: { csv_delimiter: delimiter },
      status: 'REQUESTED',
      target: 'download_center',
      target_parameters: {},
      output_row_count: null,
      export_failure_reason: null,
    });
    expect(Number(asked.expiration_date) - Number(asked.requested_at)).toBe(7 * 86_400_000);
    const done = await finished(it, client, asked.id);
    expect(done).toMatchObject({ status: 'DONE', output_row_count: 4 });
    expect(urlOf(done)).toMatch(
      new RegExp(`^${it.sandbox.baseUrl}/downloads/[\\w-]{32}/ranking_performance-${asked.id}\\.csv$`),
    );
    const file = await fetched(it, done);
    expect(file.status).toBe(200);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(file.bytes.length).toBe(done.output_size_in_bytes);
    expect(parseCsv(semicolons(file.text, delimiter))).toEqual(TABLE);
  },
);

/** The same CSV with semicolons; only cells in quotes hold them here. */
function semicolons(text: string, delimiter: string): string {
  const quoted = text.replace('tea; "loose"', '"tea; ""loose"""');
  return delimiter === ';' ? text : quoted.replaceAll(delimiter, ';');
}

test('json is exported as lines, an empty value as null, and limit and offset apply', async () => {
  const it = shared;
  const client = clientOf(it);
  const asked = await client.call('exportRanking', {
    project_id: sharedId,
    body: {
      request: {
        ...REQUEST,
        oql: { and: [{ field: ['url', 'has_value', ''] }, REQUEST.oql] },
        limit: 2,
        offset: 2,
      },
      output_format: 'json',
    },
  });
  expect(asked.output_format_parameters).toBeNull();
  const done = await finished(it, client, asked.id);
  expect(done.output_row_count).toBe(2);
  expect(lines((await fetched(it, done)).text).map((line) => JSON.parse(line) as Json)).toEqual([
    { query: 'green tea', date: '2025-01-02', clicks: 0, position: 8.5 },
    { query: 'tea; "loose"', date: '2025-01-02', clicks: 0, position: null },
  ]);
});

test('an export with more rows than a response allows is complete', async () => {
  const it = await service({ generate: ['pages=200,ranking_days=20'] });
  const client = clientOf(it);
  const id = await projectId(it);
  const request: RankingExportInput['request'] = {
    fields: ['date', 'url', 'query', 'device'],
    oql: { field: ['date', 'has_value', ''] },
  };
  const asked = await client.call('exportRanking', {
    project_id: id,
    body: { request, output_format: 'csv' },
  });
  const done = await finished(it, client, asked.id);
  const { aggs } = await client.call('aggregateRanking', { project_id: id, body: { aggs: [{}] } });
  expect(done.output_row_count).toBe(aggs[0]?.rows?.[0]?.[0]);
  expect(done.output_row_count).toBeGreaterThan(10_000);
  expect(parseCsv((await fetched(it, done)).text)).toHaveLength(Number(done.output_row_count) + 1);
});

test.each<[problem: string, body: Json, type: string]>([
  ['no filter', { request: { fields: ['date'] } }, 'invalid_request'],
  [
    'a filter without a date',
    { request: { oql: { and: [{ field: ['url', 'has_value', ''] }] } } },
    'invalid_request',
  ],
  [
    'a delimiter for json',
    { request: REQUEST, output_format: 'json', output_format_parameters: { csv_delimiter: ',' } },
    'invalid_request',
  ],
  [
    'another delimiter',
    { request: REQUEST, output_format_parameters: { csv_delimiter: '|' } },
    'invalid_request_parameters',
  ],
  ['parquet', { request: REQUEST, output_format: 'parquet' }, 'invalid_request_parameters'],
  ['no request', {}, 'invalid_request_parameters'],
  ['an unknown field', { request: { ...REQUEST, fields: ['x'] } }, 'invalid_request_parameters'],
])('%s is refused and leaves no record', async (_problem, body, type) => {
  const path = `/data/project/${sharedId}/ranking_performance/async-export`;
  const exports = async () =>
    (await shared.api(`/workspaces/${await shared.workspace()}/data_exports`)).json.meta;
  const before = await exports();
  const refused = await shared.api(path, { body: { output_format: 'csv', ...body } });
  expect([refused.status, refused.json.type]).toEqual([400, type]);
  expect(await exports()).toEqual(before);
});

test('a file is not found after its expiry, or without its exact address', async () => {
  const it = await service({ importDirs: [await rankingFolder()] });
  const client = clientOf(it);
  const asked = await client.call('exportRanking', {
    project_id: await projectId(it),
    body: { request: REQUEST, output_format: 'csv' },
  });
  const done = await finished(it, client, asked.id);
  const path = urlOf(done).slice(it.sandbox.baseUrl.length);
  const other = path.replace(/.(?=\/ranking)/, (letter) => (letter === 'A' ? 'B' : 'A'));
  expect((await it.ask(other, { token: null })).status).toBe(404);
  expect((await it.ask(path.replace('.csv', '.txt'), { token: null })).status).toBe(404);
  expect((await it.ask(path, { token: null })).status).toBe(200);
  await it.ask('/_sandbox/clock', { body: { now: Number(done.expiration_date) } });
  const gone = await it.ask(path, { token: null });
  expect([gone.status, gone.json.type]).toEqual([404, 'resource_not_found']);
});

test('faults also affect the downloaded file', async () => {
  const client = clientOf(shared);
  const asked = await client.call('exportRanking', {
    project_id: sharedId,
    body: { request: REQUEST, output_format: 'csv' },
  });
  const done = await finished(shared, client, asked.id);
  await shared.fault({ match: { path: '^/downloads/' }, kind: 'status', status: 503, times: 1 });
  expect((await fetched(shared, done)).status).toBe(503);
  expect((await fetched(shared, done)).status).toBe(200);
});

test('the list of data exports contains it, without internal fields', async () => {
  const it = shared;
  const client = clientOf(it);
  const asked = await client.call('exportRanking', {
    project_id: sharedId,
    body: { request: REQUEST, output_format: 'csv' },
  });
  await finished(it, client, asked.id);
  const filters = '(field:!(data_type,equals,keyword))';
  const list = await it.api(
    `/workspaces/${await it.workspace()}/data_exports?filters=${encodeURIComponent(filters)}`,
  );
  const [record] = list.json.account as Json[];
  expect([record?.id, record?.status]).toEqual([asked.id, 'DONE']);
  expect(Object.keys(record ?? {}).filter((key) => key.startsWith('_'))).toEqual([]);
});

test('a file survives a restart of the sandbox', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'crawlhouse-downloads-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const first = await service({ stateDir, importDirs: [await rankingFolder()] });
  const asked = await clientOf(first).call('exportRanking', {
    project_id: await projectId(first),
    body: { request: REQUEST, output_format: 'csv' },
  });
  const done = await finished(first, clientOf(first), asked.id);
  const path = urlOf(done).slice(first.sandbox.baseUrl.length);
  const { text } = await first.ask(path);
  await first.sandbox.close();
  expect(readdirSync(join(stateDir, 'downloads'))).toEqual([asked.id]);
  const second = await service({ stateDir });
  expect((await second.ask(path, { token: null })).text).toBe(text);
});
