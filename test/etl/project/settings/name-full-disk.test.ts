import { expect, test } from 'vitest';
import { toCrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { nameFullDisk } from '../../../../src/etl/project/settings/name-full-disk.ts';

const SETTINGS = { state_dir: '/srv/seo/.crawlhouse', warehouse: '/srv/seo/warehouse.duckdb' };
const STATE = '/srv/seo/.crawlhouse (state_dir)';

function full(message: string, facts: object = { code: 'ENOSPC' }): Error {
  return Object.assign(new Error(message), facts);
}

test.for([
  [full('ENOSPC: no space left on device, write'), STATE],
  [full('database or disk is full', { errcode: 13 }), STATE],
  [full('ENOSPC: open', { code: 'ENOSPC', path: '/srv/seo/.crawlhouse/raw/x' }), STATE],
  [full('IO Error: Could not write file "/srv/seo/.crawlhouse/work.duckdb": No space left', {}), STATE],
  [
    full("ENOSPC: copyfile '/srv/seo/.crawlhouse/work.duckdb' -> '/srv/seo/warehouse.duckdb.1.publishing'"),
    '/srv/seo/warehouse.duckdb (warehouse)',
  ],
  [
    full('ENOSPC: copyfile', {
      code: 'ENOSPC',
      path: '/srv/seo/.crawlhouse/work.duckdb',
      dest: '/srv/seo/warehouse.duckdb.1.publishing',
    }),
    '/srv/seo/warehouse.duckdb (warehouse)',
  ],
  [full('ENOSPC: open', { code: 'ENOSPC', path: '/mnt/bucket/part-1' }), '/mnt/bucket/part-1'],
] as const)('a full disk is named with its unit, path and setting: %s', ([thrown, place]) => {
  const error = nameFullDisk(toCrawlhouseError(thrown), SETTINGS, 'crawl_pages/1');
  const setting = /\((.+)\)/.exec(place)?.[1];
  expect([error.code, error.message]).toEqual([
    'disk',
    `crawl_pages/1: no space for ${place}: ${thrown.message}`,
  ]);
  expect(error.hint).toContain(`free some space on the disk of ${place}, then run again`);
  expect(error.hint?.includes('CRAWLHOUSE_')).toBe(setting !== undefined);
  if (setting) expect(error.hint).toContain(`set ${setting} (CRAWLHOUSE_${setting.toUpperCase()})`);
  // Once is enough, wherever the error passes.
  expect(nameFullDisk(error, SETTINGS)).toBe(error);
});

test('other errors stay unchanged', () => {
  for (const thrown of [
    full('EACCES: no', { code: 'EACCES' }),
    full('EIO: no', { code: 'EIO' }),
    new Error('no'),
  ]) {
    const error = toCrawlhouseError(thrown);
    expect(nameFullDisk(error, SETTINGS, 'crawl_pages/1')).toBe(error);
  }
});
