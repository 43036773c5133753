import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import {
  resetFolders,
  sweepFolders,
  sweepUnfinished,
  unitFolders,
} from '../../../../src/etl/pipeline/stage/unit-folders.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const DAY = 86_400_000;

test('the folders of a unit are readable, below the state directory, and unique', () => {
  const names = [
    'crawl_pages/65a1',
    'crawl_pages_65a1',
    'crawl_pages/65a1/2026-11-01',
    '../../etc',
    'a/b',
    'a_b',
    'é',
  ];
  const folders = names.map((name) => unitFolders('/state', name));
  expect(new Set(folders.map((one) => one.package)).size).toBe(names.length);
  expect(new Set(folders.map((one) => one.raw)).size).toBe(names.length);
  expect(basename(folders[0]?.package ?? '')).toMatch(/^crawl_pages_65a1-[0-9a-f]{8}$/);
  for (const { package: folder, raw } of folders) {
    expect(join(folder, '..')).toBe('/state/packages');
    expect(join(raw, '..')).toBe('/state/raw');
  }
  expect(basename(unitFolders('/s', 'x'.repeat(1000)).raw).length).toBeLessThan(200);
});

test('a new attempt starts with empty folders', async () => {
  const folders = unitFolders(await temporaryFolder(), 'crawl_pages/c1');
  await resetFolders(folders);
  await writeFile(join(folders.raw, 'part-00001.csv'), 'old');
  await writeFile(join(folders.package, 'manifest.json'), 'old');
  await resetFolders(folders);
  expect([await readdir(folders.raw), await readdir(folders.package)]).toEqual([[], []]);
});

test.for([
  ['never', []],
  ['until_published', []],
  ['2', ['young']],
] as const)('after publication, raw files are removed as keep_raw says: %s', async ([keep, left]) => {
  const variable = keep === '2' ? 'CRAWLHOUSE_KEEP_RAW_DAYS' : 'CRAWLHOUSE_KEEP_RAW';
  const settings = await loadSettings(await temporaryFolder(), { [variable]: keep });
  const now = Date.now();
  await mkdir(join(settings.state_dir, 'packages', 'p'), { recursive: true });
  for (const [name, days] of [
    ['young', 1],
    ['old', 3],
  ] as const) {
    const folder = join(settings.state_dir, 'raw', name);
    await mkdir(folder, { recursive: true });
    const at = new Date(now - days * DAY);
    await utimes(folder, at, at);
  }
  await sweepFolders(settings, [], now);
  expect(await readdir(join(settings.state_dir, 'packages'))).toEqual([]);
  const raw = join(settings.state_dir, 'raw');
  expect(await readdir(raw)).toEqual(left);
  await sweepFolders(settings, [], now);
});

test('only unpublished units keep their folders', async () => {
  const settings = await loadSettings(await temporaryFolder(), {});
  const [held, done] = ['crawl_pages/held', 'crawl_pages/done'].map((unit) =>
    unitFolders(settings.state_dir, unit),
  );
  for (const folders of [held, done]) {
    if (folders) await resetFolders(folders);
  }
  await sweepFolders(settings, ['crawl_pages/held']);
  expect(existsSync(held?.package ?? '')).toBe(true);
  expect(existsSync(held?.raw ?? '')).toBe(true);
  expect(existsSync(done?.package ?? '')).toBe(false);
  expect(existsSync(done?.raw ?? '')).toBe(false);
});

test.for([
  ['never', ['packages/whole']],
  ['until_published', ['packages/whole', 'raw/part']],
] as const)(
  'leftovers of a killed run are removed before the next one starts: keep_raw %s',
  async ([keepRaw, left]) => {
    const stateDir = await temporaryFolder();
    for (const folder of ['packages/whole', 'packages/begun', 'raw/part', 'spill/duckdb'])
      await mkdir(join(stateDir, folder), { recursive: true });
    await writeFile(join(stateDir, 'packages/whole/manifest.json'), '{}');
    await sweepUnfinished({ state_dir: stateDir, keep_raw: keepRaw });
    const there = ['packages/whole', 'packages/begun', 'raw/part', 'spill'].filter((one) =>
      existsSync(join(stateDir, one)),
    );
    expect(there).toEqual(left);
  },
);
