import { expect, test } from 'vitest';
import { ensureExport } from '../../../../../src/etl/pipeline/routes/export/ensure-export.ts';
import { service } from '../../../../service/support.ts';
import { DataExportDesk } from '../../../../support/data-exports.ts';
import { routeContext, taskOf } from '../route-context.ts';

test('an attempt requests one export, and resumes it until it is over, even after a lost ledger', async () => {
  const it = await service({ generate: ['pages=20,links=5,columns=8,seed=3'] });
  const desk = new DataExportDesk(it.sandbox);
  const context = await routeContext(it);
  const task = taskOf(await it.crawlId());
  const place = { format: 'json', target: 'store_b', workspaceId: await it.workspace() } as const;
  const { requested: first, isNew } = await ensureExport(context, task, place);
  expect(isNew).toBe(true);
  const unit = `crawl_pages/${task.unit.source.id}`;
  expect(await context.ledger.exports()).toMatchObject([
    { unit, data_export_id: first.id, store: 'store_b', format: 'json', run_id: 'run-1' },
  ]);

  const again = await ensureExport({ ...context, runId: 'run-2' }, task, place);
  expect([again.requested.id, again.isNew]).toEqual([first.id, false]);
  expect((await context.ledger.exports())[0]?.run_id).toBe('run-2');

  const fresh = await routeContext(it);
  expect((await ensureExport(fresh, task, place)).requested.id).toBe(first.id);
  expect(await desk.asked()).toBe(1);

  const reload = { ...(await routeContext(it)), reload: true };
  expect((await ensureExport(reload, task, place)).requested.id).not.toBe(first.id);
  await context.ledger.setExportStatus(unit, 'loaded');
  expect((await ensureExport(context, task, place)).requested.id).not.toBe(first.id);
  expect((await ensureExport(context, task, { ...place, format: 'csv' })).requested.output_format).toBe(
    'csv',
  );
  expect(await desk.asked()).toBe(4);
});

test.for([
  [403, 'FAILED'],
  [400, 'FAILED'],
  [503, 'intended'],
] as const)('a request with the response %d leaves the record as %s', async ([status, recorded]) => {
  const it = await service({ generate: ['pages=20,links=5,columns=8,seed=3'] });
  const context = await routeContext(it);
  const task = taskOf(await it.crawlId());
  const place = { format: 'json', target: 'store_b', workspaceId: await it.workspace() } as const;
  await it.fault({ match: { method: 'POST', path: '/data_exports' }, kind: 'status', status });
  await expect(ensureExport(context, task, place)).rejects.toThrow(`${status}`);
  expect(await context.ledger.exports()).toMatchObject([{ status: recorded, data_export_id: null }]);
});
