import { expect, test } from 'vitest';
import type { MirrorPartition } from '../../../src/engines/mirror-sql.ts';
import { mirrorObject, planMirror } from '../../../src/pipeline/publish/mirror.ts';

const partition = (crawl: string | null, fingerprint: string): MirrorPartition => ({
  table: 'raw.crawl_pages',
  key: [['_source_id', crawl]],
  rows: 1,
  fingerprint,
});
const held = (crawl: string | null, fingerprint: string) => ({
  ...partition(crawl, fingerprint),
  object: mirrorObject(partition(crawl, fingerprint), 'm'),
});

test('new and changed partitions go up, those that are gone go, the others stay', () => {
  const former = {
    version: 1,
    publication: 'p',
    partitions: [held('a', '1'), held('b', '2'), held('c', '3')],
  } as const;
  const present = [partition('a', '1'), partition('b', '9'), partition('d', '4')];
  expect(planMirror(present, former, 'm')).toEqual({
    upload: [partition('b', '9'), partition('d', '4')],
    remove: ['m/raw/crawl_pages/_source_id=c/data.parquet'],
  });
  expect(planMirror(present, null, 'm')).toEqual({ upload: present, remove: [] });
});

test('a partition has a place of its own, whatever its value holds', () => {
  expect(mirrorObject(partition('a/b=c d', ''), '')).toBe(
    'raw/crawl_pages/_source_id=a%2Fb%3Dc%20d/data.parquet',
  );
  expect(mirrorObject(partition(null, ''), 'm')).toBe(
    'm/raw/crawl_pages/_source_id=__HIVE_DEFAULT_PARTITION__/data.parquet',
  );
  expect(mirrorObject({ table: 'mart.x', key: [] }, 'm')).toBe('m/mart/x/data.parquet');
});
