import { expect, test } from 'vitest';
import {
  describeDrift,
  driftHint,
  type PipelineDrift,
} from '../../../../src/etl/state/catalog/pipeline-drift.ts';

test.for<[changed: PipelineDrift['changed'], units: number, archived: number, text: string]>([
  [['filter'], 1, 0, 'd: its filter has changed since 1 unit was loaded'],
  [['fields'], 2, 0, 'd: its fields have changed since 2 units were loaded'],
  [
    ['filter', 'fields'],
    0,
    1,
    'd: its filter and fields have changed since 1 unit was loaded; the crawls of 1 are archived or gone',
  ],
  [
    ['filter'],
    1,
    2,
    'd: its filter has changed since 3 units were loaded; the crawls of 2 are archived or gone',
  ],
])('changed %j, with %i units and %i archived ones, is described', ([changed, units, archived, text]) => {
  const drift = { dataset: 'd', changed, units, archived, command: null };
  expect(describeDrift(drift)).toBe(text);
  expect(driftHint(drift)).toBe(
    'unarchive: unarchive in the pipeline of d lets a backfill --reload restore them',
  );
  expect(driftHint({ ...drift, command: 'crawlhouse backfill d' })).toBe('crawlhouse backfill d');
});
