import { expect, test } from 'vitest';
import { formerPace, summarizeRun } from '../../../../../src/etl/project/model/runs/run-summary.ts';

const summary = (loaded: number, seconds?: { units: number; after: number; usual?: number }) => ({
  summary: { ...summarizeRun([], [], seconds), units: loaded > 0 ? { loaded } : { unchanged: 1 } },
});

test('the pace of the final steps comes from the last run that loaded units', () => {
  const idle = summary(0, { units: 1, after: 9, usual: 3 });
  const older = summary(2, { units: 50, after: 6, usual: 4 });
  expect(formerPace([idle, { summary: null }, older])).toBe(1.5);
  expect(formerPace([idle])).toBe(1);
});

test('a summary of a version without usual seconds shows no pace', () => {
  expect(formerPace([summary(2, { units: 50, after: 6 }), summary(2)])).toBe(1);
});
