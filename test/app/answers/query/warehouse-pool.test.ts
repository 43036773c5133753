import { existsSync, readdirSync } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Warehouse } from '../../../../src/app/answers/query/warehouse.ts';
import { WarehousePool } from '../../../../src/app/answers/query/warehouse-pool.ts';
import { SettingsFile } from '../../../../src/app/settings/warehouse-setting.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { IN_DUCKDB } from '../../../support/in-duckdb.ts';
import { until } from '../../../support/until.ts';
import { someWarehouse } from './some-warehouse.ts';
import '../../../support/process-timeout.ts';

const { signal } = new AbortController();
const itself = async (warehouse: Warehouse): Promise<Warehouse> => warehouse;

async function somePool(): Promise<{ pool: WarehousePool; path: string; openCopies: () => number }> {
  const { folder, path } = await someWarehouse('CREATE TABLE t AS SELECT 1 AS n');
  const stateDir = join(folder, '.crawlhouse');
  const given = SettingsFile.parse({ base_url: 'https://api.example.com', query_memory_limit: '200MB' });
  const settings = { ...given, projectDir: folder, warehouse: path, state_dir: stateDir, engine: IN_DUCKDB };
  const pool = new WarehousePool(settings, silentLogger);
  onTestFinished(() => pool[Symbol.asyncDispose]());
  const copies = join(stateDir, 'query');
  return { pool, path, openCopies: () => (existsSync(copies) ? readdirSync(copies).length : 0) };
}

test('an idle process is reused until the next publication, which a new process reads', async () => {
  const { pool, path, openCopies } = await somePool();
  const first = await pool.use(itself);
  expect(await pool.use(itself)).toBe(first);
  const next = await someWarehouse('CREATE TABLE t AS SELECT 2 AS n');
  await copyFile(next.path, `${path}.next`);
  await rename(`${path}.next`, path);
  expect(await pool.use((warehouse) => warehouse.rows('FROM t', signal))).toEqual([{ n: 2 }]);
  expect(await pool.use(itself)).not.toBe(first);
  expect(openCopies()).toBe(1);
});

test('two queries use two processes, and a third query waits', async () => {
  const { pool, openCopies } = await somePool();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let running = 0;
  const work = async (): Promise<void> => {
    running++;
    await released;
    running--;
  };
  const all = [pool.use(work), pool.use(work), pool.use(work)];
  await until(async () => running === 2 || undefined);
  expect(openCopies()).toBe(2);
  release();
  await Promise.all(all);
  expect(openCopies()).toBe(2);
});

test('a query that waits while the pool closes starts no process', async () => {
  const { pool, openCopies } = await somePool();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const running = [pool.use(() => released), pool.use(() => released)];
  const waiting = expect(pool.use(itself)).rejects.toThrow('ended');
  await until(async () => openCopies() === 2 || undefined);
  await pool[Symbol.asyncDispose]();
  release();
  await Promise.all([...running, waiting]);
  expect(openCopies()).toBe(0);
});

test('idle processes end after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { pool, openCopies } = await somePool();
  const first = await pool.use(itself);
  await vi.advanceTimersByTimeAsync(59_000);
  expect([openCopies(), await pool.use(itself)]).toEqual([1, first]);
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  await until(async () => openCopies() === 0 || undefined);
});

test('a busy process ends with its query when the pool closes', async () => {
  const { pool, openCopies } = await somePool();
  const rows = await pool.use(async (warehouse) => {
    await pool[Symbol.asyncDispose]();
    return await warehouse.rows('FROM t', signal);
  });
  expect([rows, openCopies()]).toEqual([[{ n: 1 }], 0]);
});
