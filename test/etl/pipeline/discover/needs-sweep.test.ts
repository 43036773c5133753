import { expect, test } from 'vitest';
import { needsSweep } from '../../../../src/etl/pipeline/discover/discover.ts';
import { Pipeline } from '../../../../src/etl/project/model/pipeline.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-08T06:00:00Z');
const PIPELINE = Pipeline.parse({
  dataset: 'crawls',
  description: 'crawls',
  source: { kind: 'resource', data_type: 'crawls' },
});
const scope = { sweep: false, sweepDays: 7, now: NOW, loaded: new Set(['crawls/w']) };
const swept = (swept_at: number | null) => ({ items: new Map(), swept_at });

test('a list is read to its end at first, after the configured days, and if the clock went back', () => {
  expect(needsSweep(swept(NOW - DAY), PIPELINE, 'w', scope)).toBe(false);
  expect(needsSweep(swept(NOW - 7 * DAY + 1), PIPELINE, 'w', scope)).toBe(false);
  expect(needsSweep(swept(NOW - 7 * DAY), PIPELINE, 'w', scope)).toBe(true);
  expect(needsSweep(swept(NOW + 1), PIPELINE, 'w', scope)).toBe(true);
  expect(needsSweep(swept(null), PIPELINE, 'w', scope)).toBe(true);
  expect(needsSweep(swept(NOW), PIPELINE, 'w', { ...scope, sweep: true })).toBe(true);
});

test('a list that raw lacks is read to its end, but only for the pipeline that loads it', () => {
  expect(needsSweep(swept(NOW), PIPELINE, 'other', scope)).toBe(true);
  expect(needsSweep(swept(NOW), undefined, 'other', scope)).toBe(false);
});

test('without ids in raw a list is read to its end every time', () => {
  const fields = { include: ['*'], exclude: ['i*'] };
  expect(needsSweep(swept(NOW), { ...PIPELINE, fields }, 'w', scope)).toBe(true);
});
