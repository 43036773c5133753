import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DataExportRequest } from '../../../src/client/resources/data-exports.ts';
import type { Column } from '../../../src/service/fields/column.ts';
import { DownloadCenter } from '../../../src/service/ranking/download-center.ts';
import { readingFailure } from '../../../src/service/resources/export-record.ts';
import { Resources } from '../../../src/service/resources/resources.ts';
import { WORKSPACE_ID } from '../../../src/service/resources/seed.ts';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { ExportJobs } from '../../../src/service/sandbox/exports/export-jobs.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';
import { clientOf, projectId } from '../clients.ts';
import { rankingFolder } from '../ranking/ranking-data.ts';
import { type Json, service } from '../support.ts';

const url: Column = { id: 'c0', kind: 'text', field: { name: 'url', type: 'string', arity: 'one' } };

/** Rows that are gone: as if the crawl or project had been deleted since the export was asked for. */
async function emptied() {
  const stateDir = await temporaryFolder();
  const resources = new Resources(join(stateDir, 'resources.sqlite'));
  const rows = await ServiceRows.open(stateDir);
  onTestFinished(async () => {
    await rows[Symbol.asyncDispose]();
    resources[Symbol.dispose]();
  });
  resources.put('data_exports', WORKSPACE_ID, { id: 'e1', status: 'REQUESTED' });
  const failed = () =>
    until(async () => {
      const record = resources.get('data_exports', 'e1');
      return record?.status === 'FAILED' ? record.export_failure_reason : undefined;
    });
  return { stateDir, resources, rows, failed };
}

test('a data export whose crawl was deleted while waiting reports that, without internal details', async () => {
  const { failed, ...work } = await emptied();
  const endpoints = { store_a: 'http://127.0.0.1:1', store_b: 'http://127.0.0.1:1' };
  const settings = { objects: 1, gzip: false };
  await using exports = new ExportJobs({ ...work, endpoints, settings });
  // Only what was unfinished before this start has failed by it.
  work.resources.put('data_exports', WORKSPACE_ID, { id: 'e1', status: 'REQUESTED' });
  const request = { data_type: 'page', resource_id: 'c1', output_format: 'csv' } as DataExportRequest;
  exports.start({ id: 'e1', request, dataset: { columns: [url], table: 'pages_c1' }, columns: [url] });
  expect(await failed()).toBe('the crawl c1 was deleted before it was exported');
});

test('a ranking export whose project was deleted reports that', async () => {
  const { failed, ...work } = await emptied();
  await using downloads = new DownloadCenter({ ...work, clock: { now: () => 0 } as never });
  const table = { columns: [url], sql: 'SELECT c0 FROM gone', values: [] } as never;
  const common = { format: 'csv', delimiter: ';', limit: undefined, offset: 0 } as const;
  downloads.start({ id: 'e1', projectId: 'p1', table, ...common, token: 't', url: '' });
  expect(await failed()).toBe('the project p1 was deleted before it was exported');
});

test('any other failure is reported by the first line of its message', async () => {
  const { resources } = await emptied();
  resources.put('crawls', WORKSPACE_ID, { id: 'c1' });
  const error = new Error('Out of Memory Error: no memory\n\nLINE 1: SELECT secret');
  expect(readingFailure(resources, 'crawls', 'c1', error)).toBe(
    'the export failed: Out of Memory Error: no memory',
  );
});

test('a streamed export that has begun is complete, even if its crawl is deleted meanwhile', async () => {
  const it = await service({ generate: ['crawls=1,pages=3000,columns=30,seed=3'] });
  const crawl = await it.crawlId();
  await it.fault({ match: { path: 'export=true' }, kind: 'slow', bytes_per_second: 2_000_000, times: 1 });
  const exporting = it.api(`/data/crawl/${crawl}/pages?export=true&file_type=json`, { body: {} });
  await until(async () => {
    const requests = JSON.parse((await it.ask('/_sandbox/requests')).text) as Json[];
    const begun = requests.find(({ path }) => String(path).includes('export=true'));
    return Number(begun?.bytes) > 0 ? true : undefined;
  });
  expect((await it.api(`/crawls/${crawl}`, { method: 'DELETE' })).status).toBe(204);
  const { text } = await exporting;
  expect(text.trimEnd().split('\n')).toHaveLength(3000);
});

test('a finished ranking file outlives its project until it expires', async () => {
  const it = await service({ importDirs: [await rankingFolder()] });
  const client = clientOf(it);
  const project = await projectId(it);
  const oql = { field: ['date', 'gte', '2025-01-01'] } as const;
  const { id } = await client.call('exportRanking', {
    project_id: project,
    body: { request: { oql }, output_format: 'csv' },
  });
  const workspace = await it.workspace();
  const done = await until(async () => {
    const record = await client.call('dataExport', { workspace_id: workspace, data_export_id: id });
    return record.status === 'DONE' ? record : undefined;
  });
  await client.call('deleteProject', { project_id: project });
  const path = String(done.target_parameters?.download_url).slice(it.sandbox.baseUrl.length);
  expect((await it.ask(path, { token: null })).status).toBe(200);
  await it.ask('/_sandbox/clock', { body: { now: Number(done.expiration_date) } });
  expect((await it.ask(path, { token: null })).status).toBe(404);
});
