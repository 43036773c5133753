import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../../../src/core/errors/errors.ts';
import { listObjects } from '../../../../../src/core/stores/list-objects.ts';
import { openConfiguredStore } from '../../../../../src/core/stores/registry.ts';
import {
  abandonExport,
  reconcileExports,
} from '../../../../../src/etl/pipeline/routes/export/reconcile-exports.ts';
import type { FormerLoad } from '../../../../../src/etl/project/model/former-load.ts';
import { service } from '../../../../service/support.ts';
import { DataExportDesk } from '../../../../support/data-exports.ts';
import { routeContext, signal } from '../route-context.ts';

async function exported(settings: Readonly<Record<string, string>> = {}) {
  const it = await service({ generate: ['pages=20,links=5,columns=8,seed=3'] });
  await new DataExportDesk(it.sandbox).put(await it.crawlId(), 'unit/one/');
  const context = await routeContext(it, settings);
  const job = { data_export_id: 'e', store: 'store_b', format: 'json', prefix: 'unit/one/', status: 'DONE' };
  await context.ledger.putExport({
    ...job,
    unit: 'u',
    run_id: 'run-1',
    requested_at: '2026-01-01T00:00:00.000Z',
  });
  const objects = async (): Promise<number> => {
    await using store = await openConfiguredStore(context.settings, 'store_b');
    return (await listObjects(store, 'unit/one/', signal)).length;
  };
  const after = async (load: Partial<FormerLoad>): Promise<unknown> => {
    await reconcileExports(context, new Map([['u', load as FormerLoad]]));
    return (await context.ledger.exports())[0]?.status;
  };
  return { context, objects, after };
}

test('an export is over once the rows of its run are published, and its objects are removed if the settings say so', async () => {
  const { objects, after } = await exported({ CRAWLHOUSE_KEEP_EXPORTS: 'never' });
  expect(await objects()).toBeGreaterThan(0);
  expect(await after({ published: false, loaded_at: 0, run_id: 'run-1' })).toBe('DONE');
  expect(await after({ published: true, loaded_at: 0, run_id: 'run-0' })).toBe('DONE');
  expect(await objects()).toBeGreaterThan(0);
  expect(await after({ published: true, loaded_at: 0, run_id: 'run-1' })).toBe('loaded');
  expect(await objects()).toBe(0);
});

test('only a done export with faulty rows or bytes is abandoned', async () => {
  const { context } = await exported();
  const status = async (code: 'connection' | 'unreconciled'): Promise<unknown> => {
    await abandonExport(context, 'u', new CrawlhouseError(code, 'no'));
    return (await context.ledger.exports())[0]?.status;
  };
  expect(await status('connection')).toBe('DONE');
  expect(await status('unreconciled')).toBe('UNUSABLE');
  await context.ledger.setExportStatus('u', 'EXPORTING');
  expect(await status('unreconciled')).toBe('EXPORTING');
});
