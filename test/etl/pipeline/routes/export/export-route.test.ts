import { expect, test } from 'vitest';
import { EXPORT_ROUTE } from '../../../../../src/etl/pipeline/routes/export/export-route.ts';
import { sharedService } from '../../../../service/support.ts';
import { partsOf, requestFor, routeContext, rowsIn, taskOf } from '../route-context.ts';

const it = await sharedService({ generate: ['pages=20,links=5,columns=8,seed=3'] });
const STORE = { route: 'export', store: 'store_b' } as const;

test.for(['parquet', 'json', 'csv'] as const)('a data export as %s loads every row', async (format) => {
  const context = await routeContext(it);
  const task = taskOf(await it.crawlId());
  const unit = await requestFor(context, task, { ...STORE, format });
  const source = await EXPORT_ROUTE.open(context, unit);
  expect([source.reported, source.shown]).toEqual([20, 'some']);
  expect(source.waited).toBeGreaterThan(0);
  const parts = await partsOf(source);
  expect([rowsIn(parts), parts[0]?.format]).toEqual([20, format]);
  expect(await context.ledger.exports()).toMatchObject([
    { store: 'store_b', format, status: 'DONE', run_id: 'run-1' },
  ]);
});

test('the wait of a data export requested by an earlier attempt is unknown', async () => {
  const context = await routeContext(it);
  const unit = await requestFor(context, taskOf(await it.crawlId()), { ...STORE, format: 'csv' });
  await EXPORT_ROUTE.open(context, unit);
  const again = await EXPORT_ROUTE.open({ ...context, runId: 'run-2' }, unit);
  expect(Object.keys(again)).not.toContain('waited');
});

test('an export whose rows differ from the count of the service is refused', async () => {
  const context = await routeContext(it);
  const unit = await requestFor(context, taskOf(await it.crawlId()), { ...STORE, format: 'json' });
  if (!unit.rows) throw new Error('not described');
  await expect(
    EXPORT_ROUTE.open(context, { ...unit, rows: { ...unit.rows, reported: 21 } }),
  ).rejects.toMatchObject({ code: 'unreconciled' });
});

test('data exports load pages and links, and no row count alone selects them', () => {
  expect([null, 3, 5_000_000].map((rows) => EXPORT_ROUTE.suits(rows))).toEqual([false, false, false]);
  expect(EXPORT_ROUTE.formats({ kind: 'crawl', data_type: 'links' })).toEqual(['parquet', 'json', 'csv']);
  expect(EXPORT_ROUTE.formats({ kind: 'crawl', data_type: 'clusters' })).toEqual([]);
});
