import { expect, test } from 'vitest';
import { offerableUnits, offeredUnit, readTask } from '../../../../src/etl/pipeline/workers/unit-task.ts';
import type { Task } from '../../../../src/etl/project/model/task.ts';
import { workspaceView } from '../../../support/inventory.ts';
import { taskOf } from '../routes/route-context.ts';

const inventory = {
  workspaces: [workspaceView('w', [], [])],
  dates: new Map(),
  unread: new Map(),
  failures: [],
};
const of = (kind: Task['unit']['source']['kind'], id: string, more: Partial<Task> = {}) => {
  const one = taskOf(id);
  return { ...one, unit: { ...one.unit, source: { ...one.unit.source, kind } }, ...more };
};

test('a run keeps lists, ranking performance and all units of a crawl that it restores', () => {
  const units = [
    of('crawl', 'c1'),
    of('crawl', 'c2'),
    of('crawl', 'c2', { restore: 'unarchive' }),
    of('crawl_over_crawl', 'o'),
    of('log_monitoring', 'p'),
    of('resource', 'w'),
    of('ranking_performance', 'p'),
  ];
  expect([...offerableUnits(units)]).toEqual([units[0], units[3], units[4]]);
});

test('a worker gets the complete unit, with past loads and numbers of any length', () => {
  const task = { ...taskOf('c1'), oql: { field: ['id', 'eq', 12_345_678_901_234_567_890n] } as never };
  const past = [{ route: 'stream', format: 'json', loads: 2, rows_per_second: 0.5, waited: null }];
  const options = [{ route: 'stream', format: 'json', store: null, reason: 'r', past }] as const;
  const offered = offeredUnit(task, options, { inventory, reload: false });
  expect(offered).toMatchObject({ unit: 'crawl_pages/c1', project: 'p', store: null, refresh: false });
  const read = readTask(offered.work);
  expect([read.task, read.options, read.reload]).toEqual([task, options, false]);
  expect(read.inventory.workspaces).toEqual([]);
});

test('the store of a unit is known before its rows if every route uses it', () => {
  const route = { route: 'export', format: 'parquet', reason: 'r' } as const;
  const stream = { route: 'stream', format: 'json', store: null, reason: 'r' } as const;
  const offer = (options: Parameters<typeof offeredUnit>[1]) =>
    offeredUnit(taskOf('c1'), options, { inventory, reload: true });
  expect(offer([{ ...route, store: 'store_b' }])).toMatchObject({ store: 'store_b', refresh: true });
  expect(offer([{ ...route, store: 'store_b' }, stream])).toMatchObject({ store: null });
});
