import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PrivateWarehouse } from '../../../../src/app/answers/query/private-warehouse.ts';
import { processScope } from '../../../../src/core/host/host.ts';
import { noSmallDisk, smallDisk } from '../../../support/small-disk.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import '../../../support/process-timeout.ts';

async function place() {
  const folder = await temporaryFolder();
  const warehouse = join(folder, 'warehouse.duckdb');
  await writeFile(warehouse, 'rows');
  return { folder, warehouse, stateDir: join(folder, '.crawlhouse') };
}

test('the published file gets a hard link in a folder that only its owner can enter', async () => {
  const { folder, warehouse, stateDir } = await place();
  const made = await PrivateWarehouse.make(warehouse, stateDir);
  expect((await stat(made.path)).ino).toBe((await stat(warehouse)).ino);
  expect(basename(made.path)).toBe('warehouse.duckdb');
  expect((await stat(dirname(made.path))).mode & 0o777).toBe(0o700);
  expect((await stat(dirname(dirname(made.path)))).mode & 0o777).toBe(0o700);
  made.hide();
  expect(existsSync(made.path)).toBe(false);
  made[Symbol.dispose]();
  expect(await readdir(join(stateDir, 'query'))).toEqual([]);
  expect((await readdir(folder)).sort()).toEqual(['.crawlhouse', 'warehouse.duckdb']);
  expect(await readFile(warehouse, 'utf8')).toBe('rows');
});

test('the hard link points to the target of a symbolic link', async () => {
  const { folder, warehouse, stateDir } = await place();
  const alias = join(folder, 'alias.duckdb');
  await symlink(warehouse, alias);
  using made = await PrivateWarehouse.make(alias, stateDir);
  expect((await stat(made.path)).nlink).toBe(2);
  expect(basename(made.path)).toBe('alias.duckdb');
});

test('folders of dead processes are removed, folders of live processes stay', async () => {
  const { warehouse, stateDir } = await place();
  const gone = join(stateDir, 'query', `.crawlhouse-query-${processScope()}-4194304-5-x`);
  const reused = join(stateDir, 'query', `.crawlhouse-query-${processScope()}-${process.pid}-5-x`);
  for (const folder of [gone, reused]) await mkdir(folder, { recursive: true });
  using first = await PrivateWarehouse.make(warehouse, stateDir);
  using second = await PrivateWarehouse.make(warehouse, stateDir);
  expect(existsSync(first.path) && existsSync(second.path)).toBe(true);
  expect(await readdir(join(stateDir, 'query'))).toHaveLength(2);
});

test('folders of another machine or container stay for a week, whatever their process id', async () => {
  const { warehouse, stateDir } = await place();
  const names = ['0123456789ab-4194304-5-x', '0123456789ab-4194304-5-old', '4194304-5-of-a-former-version'];
  const folders = names.map((name) => join(stateDir, 'query', `.crawlhouse-query-${name}`));
  for (const folder of folders) await mkdir(folder, { recursive: true });
  await utimes(folders[1] ?? '', 0, 0);
  using _made = await PrivateWarehouse.make(warehouse, stateDir);
  expect(folders.map((folder) => existsSync(folder))).toEqual([true, false, true]);
});

test('a live process keeps its folder recent, so that no other machine removes it', async () => {
  const { warehouse, stateDir } = await place();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const made = await PrivateWarehouse.make(warehouse, stateDir);
  const folder = dirname(made.path);
  // As if eight days had passed, in which nothing was written there.
  await utimes(folder, 0, 0);
  vi.advanceTimersByTime(86_400_000);
  expect(Date.now() - (await stat(folder)).mtimeMs).toBeLessThan(2 * 86_400_000);
  made[Symbol.dispose]();
  expect(existsSync(folder)).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test('on another disk, the link is next to the warehouse; on a read-only disk, the file itself is opened', async ({
  skip,
}) => {
  const why = noSmallDisk();
  if (why !== null) skip(why);
  const { stateDir } = await place();
  const disk = await smallDisk(4);
  const warehouse = join(disk.path, 'warehouse.duckdb');
  await writeFile(warehouse, 'rows');
  {
    using made = await PrivateWarehouse.make(warehouse, stateDir);
    expect(dirname(dirname(made.path))).toBe(disk.path);
    expect((await stat(made.path)).nlink).toBe(2);
    made.hide();
    expect(await readdir(disk.path)).toEqual(['warehouse.duckdb']);
  }
  spawnSync('mount', ['-o', 'remount,ro', disk.path]);
  {
    using made = await PrivateWarehouse.make(warehouse, stateDir);
    expect([made.path, made.isCopy]).toEqual([warehouse, false]);
  }
  expect(await readFile(warehouse, 'utf8')).toBe('rows');
  // DuckDB would take in what a log beside the file says.
  spawnSync('mount', ['-o', 'remount,rw', disk.path]);
  await writeFile(`${warehouse}.wal`, 'of another program');
  spawnSync('mount', ['-o', 'remount,ro', disk.path]);
  using made = await PrivateWarehouse.make(warehouse, stateDir);
  expect(made.isCopy).toBe(true);
  expect(await readFile(made.path, 'utf8')).toBe('rows');
});
