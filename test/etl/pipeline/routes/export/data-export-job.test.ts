import { expect, test } from 'vitest';
import { DataExport, dataExportStage } from '../../../../../src/client/resources/data-exports.ts';
import { DATA_EXPORTS, listed } from '../../../../../src/etl/pipeline/discover/list-kinds.ts';
import {
  awaitExport,
  findExport,
  prefixOf,
} from '../../../../../src/etl/pipeline/routes/export/data-export-job.ts';
import { sendJson, testClient, testService } from '../../../../client/test-service.ts';

const { signal } = new AbortController();

function dataExport(status: string, more: Record<string, unknown> = {}): DataExport {
  return DataExport.parse({
    id: 'e1',
    data_type: 'page',
    resource_id: 'c1',
    output_format: 'parquet',
    status,
    target: 'store_a',
    target_parameters: { store_a_bucket: 'b', store_a_prefix: 'unit/attempt/' },
    ...more,
  });
}

test.for([
  ['DONE', 'done'],
  ['done', 'done'],
  ['Completed', 'done'],
  ['EXPORTING', 'open'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'failed'],
  ['canceled', 'failed'],
  ['EXPIRED', 'failed'],
  ['PAUSED', 'open'],
] as const)('a data export in the state %s is %s, and discovery polls only open ones', ([status, stage]) => {
  expect(dataExportStage(status)).toBe(stage);
  expect(DATA_EXPORTS.isFinal(listed(DATA_EXPORTS, dataExport(status), undefined))).toBe(stage !== 'open');
});

test('the route waits for a data export until it is done, and reports each new state', async () => {
  const service = await testService((_seen, response) =>
    sendJson(response, 200, { data_export: dataExport('DONE', { output_row_count: 7 }) }),
  );
  const states: string[] = [];
  const done = await awaitExport(testClient(service), dataExport('REQUESTED'), {
    workspaceId: 'w1',
    waitMs: 60_000,
    signal,
    onStatus: async (status) => void states.push(status),
  });
  expect(states).toEqual(['REQUESTED', 'DONE']);
  expect(done.output_row_count).toBe(7);
});

test('a failed data export is an error with the reason from the service', async () => {
  const failed = dataExport('FAILED', { export_failure_reason: 'no such bucket' });
  const watch = { workspaceId: 'w1', waitMs: 1, signal, onStatus: async () => {} };
  const service = await testService((_seen, response) => sendJson(response, 500, {}));
  await expect(awaitExport(testClient(service), failed, watch)).rejects.toMatchObject({
    code: 'export_failed',
    message: expect.stringContaining('no such bucket'),
  });
});

test('an export of an attempt is found by its prefix, but not a failed one or one in another store', async () => {
  const listed = [
    dataExport('DONE', { id: 'another', target_parameters: { store_a_prefix: 'other/' } }),
    dataExport('FAILED', { id: 'failed' }),
    dataExport('DONE', { id: 'elsewhere', target: 'store_b' }),
    dataExport('EXPORTING', { id: 'ours' }),
  ];
  const service = await testService((_seen, response) =>
    sendJson(response, 200, { account: listed, meta: { offset: 0, limit: 200, total: listed.length } }),
  );
  const input = {
    data_type: 'page',
    resource_id: 'c1',
    output_format: 'parquet',
    target: 'store_a',
    target_parameters: { store_a_bucket: 'b', store_a_prefix: 'unit/' },
  } as const;
  const isOurs = (prefix: string): boolean => prefix.startsWith('unit/');
  const found = await findExport(testClient(service), 'w1', input, isOurs, signal);
  expect(found?.id).toBe('ours');
  expect(found && prefixOf(found)).toBe('unit/attempt/');
});
