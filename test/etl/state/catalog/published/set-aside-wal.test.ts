import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { keepFormer } from '../../../../../src/etl/state/catalog/published/set-aside-wal.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

test('kept files have the time in their names, and a number if it was taken', async () => {
  const folder = await temporaryFolder();
  const published = join(folder, 'warehouse.duckdb');
  const keep = async () => basename(await keepFormer(published, 'v6', new Date('2026-11-21T08:10:00.5Z')));
  writeFileSync(published, 'rows');
  expect(await keep()).toBe('warehouse.v6-2026-11-21T08-10-00Z.duckdb');
  expect(await keep()).toBe('warehouse.v6-2026-11-21T08-10-00Z-2.duckdb');
  writeFileSync(join(folder, 'warehouse.v6-2026-11-21T08-10-00Z-3.duckdb.wal'), '');
  expect(await keep()).toBe('warehouse.v6-2026-11-21T08-10-00Z-4.duckdb');
  expect(readdirSync(folder)).toHaveLength(5);
});

test('nothing is kept of a file that is not there', async () => {
  const folder = await temporaryFolder();
  await keepFormer(join(folder, 'warehouse.duckdb'), 'changed');
  expect(readdirSync(folder)).toEqual([]);
});
