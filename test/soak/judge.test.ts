import { expect, test } from 'vitest';
import { judgeSeries, type Quantity, type Series } from './judge.ts';

const MIB = 1024 * 1024;

function series(quantity: Quantity, value: (sample: number) => number | null, samples = 40): Series {
  return {
    name: 'schedule',
    quantity,
    values: Array.from({ length: samples }, (_, sample) => value(sample)),
  };
}

test('a quantity that grows only at the start is flat, whatever its peaks', () => {
  const warm = series('memory', (sample) => (Math.min(sample, 8) * 20 + (sample % 7 === 0 ? 300 : 0)) * MIB);
  expect(judgeSeries(warm)).toMatchObject({ verdict: 'flat', second: 160 * MIB, last: 160 * MIB });
  expect(judgeSeries(series('memory', (sample) => (sample < 20 ? 100 : 120) * MIB)).limit).toBe(132 * MIB);
  expect(judgeSeries(series('memory', () => 1000 * MIB)).limit).toBe(1100 * MIB);
});

test('a quantity that grows slightly in each sample rises', () => {
  expect(judgeSeries(series('handles', (sample) => 30 + sample))).toMatchObject({
    verdict: 'rising',
    second: 44.5,
    last: 64.5,
    limit: 54.5,
  });
  expect(judgeSeries(series('memory', (sample) => (100 + 2 * sample) * MIB)).verdict).toBe('rising');
  expect(judgeSeries(series('temporary files', (sample) => sample)).verdict).toBe('rising');
  expect(judgeSeries(series('temporary disk', (sample) => sample * MIB)).verdict).toBe('rising');
});

test('a process restarted after the first quarter is not judged, one restarted before is', () => {
  const lives = (from: number) => series('handles', (sample) => (sample < from ? null : sample));
  expect(judgeSeries(lives(11)).verdict).toBe('not judged');
  expect(judgeSeries(lives(10)).verdict).toBe('rising');
  expect(judgeSeries(series('handles', () => 1, 7)).verdict).toBe('not judged');
});

test('temporary files that runs create and remove are flat, at any sample times', () => {
  const ofRuns = (sample: number): number => (sample < 20 ? 0 : [47, 47, 0][sample % 3]) ?? 0;
  expect(judgeSeries(series('temporary files', ofRuns)).verdict).toBe('flat');
  expect(judgeSeries(series('temporary files', (sample) => sample + ofRuns(sample))).verdict).toBe('rising');
});
