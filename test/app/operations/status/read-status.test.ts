import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readStatus } from '../../../../src/app/operations/status/read-status.ts';
import { packageProject } from '../../../etl/pipeline/package-project.ts';

test('the status comes from the ledger, or from the warehouse if the ledger is missing', async () => {
  const { make, load, settings } = await packageProject();
  const nothing = await readStatus(settings, Date.now());
  expect([nothing.units, nothing.runs, nothing.disk.warehouse]).toEqual([[], [], 0]);
  await load(await make('c1', ['a']));
  await load(await make('c2', ['b']));
  const whole = await readStatus(settings, Date.now());
  expect(whole.units.map(({ unit, status }) => [unit, status])).toEqual([
    ['crawl_pages/c1', 'published'],
    ['crawl_pages/c2', 'published'],
  ]);
  expect(whole.runs).toHaveLength(2);
  expect(whole.disk.warehouse).toBeGreaterThan(0);
  expect(whole.disk.working_copy).toBeGreaterThan(0);
  await rm(settings.state_dir, { recursive: true });
  const remembered = await readStatus(settings, Date.now());
  expect(remembered.units.map(({ unit }) => unit)).toEqual(['crawl_pages/c1', 'crawl_pages/c2']);
  expect(remembered.runs.map(({ run_id }) => run_id)).toEqual(whole.runs.map(({ run_id }) => run_id));
  expect(remembered.disk.working_copy).toBe(0);
});
