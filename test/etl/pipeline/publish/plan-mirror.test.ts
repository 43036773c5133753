import { expect, test } from 'vitest';
import type { StoredObject } from '../../../../src/core/stores/object-store.ts';
import type { MirrorPartition } from '../../../../src/etl/engines/mirror-sql.ts';
import {
  cutOf,
  mirrorObject,
  parquetLayout,
  planMirror,
} from '../../../../src/etl/pipeline/publish/mirror-objects.ts';

const partition = (crawl: string | null, fingerprint: string): MirrorPartition => ({
  table: 'raw.crawl_pages',
  key: [['_source_id', crawl]],
  rows: 1,
  fingerprint,
});
const object = (key: string, version = 'v'): StoredObject => ({
  key,
  url: key,
  size: 9,
  version,
  hashes: {},
});
const held = (crawl: string | null, fingerprint: string) => ({
  ...partition(crawl, fingerprint),
  object: mirrorObject(partition(crawl, fingerprint), 'm'),
  bytes: 9,
  version: 'v',
});
const listing = (...objects: readonly StoredObject[]) => new Map(objects.map((one) => [one.key, one]));
const at = (crawl: string): string => `m/raw/crawl_pages/source_id=${crawl}/data.parquet`;

test('new, changed, lost and replaced partitions are uploaded, other objects removed, the rest stays', () => {
  const former = {
    version: 2,
    publication: 'p',
    partitions: ['a', 'b', 'c', 'd', 'e', 'f'].map((crawl) => held(crawl, crawl)),
  } as const;
  const present = [
    partition('a', 'a'),
    partition('b', 'changed'),
    partition('d', 'd'),
    partition('e', 'e'),
    partition('f', 'f'),
    partition('new', 'n'),
  ];
  const foreign = object('m/raw/crawl_pages/_source_id=a/data.parquet');
  const listed = listing(
    ...[object(at('a')), object(at('b')), object(at('c')), object(at('e'), 'of somebody else')],
    ...[{ ...object(at('f')), size: 8 }, foreign],
  );
  const plan = planMirror(present, parquetLayout('m', former), listed);
  expect(plan.differences).toEqual([
    { object: at('b'), problem: 'outdated', rows: 1 },
    { object: at('d'), problem: 'missing', rows: 1 },
    { object: at('e'), problem: 'changed', rows: 1 },
    { object: at('f'), problem: 'changed', rows: 1 },
    { object: at('new'), problem: 'missing', rows: 1 },
    { object: at('c'), problem: 'foreign' },
    { object: foreign.key, problem: 'foreign' },
  ]);
  expect(plan.upload.map(({ fingerprint }) => fingerprint)).toEqual(['changed', 'd', 'e', 'f', 'n']);
  expect(planMirror(present, parquetLayout('m', null), new Map()).upload).toEqual(present);
});

test('each partition has its own folder, whatever its value, and no reader treats it as hidden', () => {
  expect(mirrorObject(partition('a/b=c d', ''), '')).toBe(
    'raw/crawl_pages/source_id=a%2Fb%3Dc%20d/data.parquet',
  );
  expect(mirrorObject(partition(null, ''), 'm')).toBe(
    'm/raw/crawl_pages/source_id=__HIVE_DEFAULT_PARTITION__/data.parquet',
  );
  expect(mirrorObject({ table: 'mart.x', key: [['crawl_id', '007']] }, 'm')).toBe(
    'm/mart/x/crawl=007/data.parquet',
  );
  expect(mirrorObject({ table: 'mart.x', key: [] }, 'm')).toBe('m/mart/x/data.parquet');
});

test('a table is partitioned by columns whose folders do not collide with its column names', () => {
  const named = (...names: readonly string[]) => names.map((name) => ({ name }));
  expect(cutOf(named('_source_id', '_window', 'x'))).toEqual(['_source_id', '_window']);
  expect(cutOf(named('_source_id', '_window', 'window'))).toEqual(['_source_id']);
  expect(cutOf(named('project_id', 'crawl_id'))).toEqual(['crawl_id']);
  expect(cutOf(named('crawl_id', 'crawl'))).toEqual([]);
});
