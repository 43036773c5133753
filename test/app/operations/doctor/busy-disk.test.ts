import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { OF_STATE } from '../../../../src/app/operations/doctor/examine-state.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { lookAll } from '../../../../src/core/duckdb/check.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

// Others write all the time: each look finds less space than the one before.
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  let taken = 0;
  const statfs = (path: string) => {
    const space = { bsize: 1, bavail: 1e12 - ++taken };
    return real.statfs(path).then((found) => ({ ...found, ...space }));
  };
  return { ...real, statfs };
});

test('the disk check names the state folder, also while other programs write to the disk', async () => {
  const folder = await temporaryFolder();
  const settings = await loadSettings(folder, {});
  await mkdir(join(folder, '.crawlhouse'));
  const checks = await lookAll(OF_STATE, settings, new AbortController().signal);
  expect(checks.find(({ name }) => name === 'disk')?.message).toBe(
    `999999 MB free for ${join(folder, '.crawlhouse')}`,
  );
});
