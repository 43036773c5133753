import { expect, test } from 'vitest';
import { seededRandom } from '../support/random.ts';
import { planFaults } from './plan-faults.ts';

const HOUR = 3600;

test('an hour has faults of each kind in sequence, the same for the same seed', () => {
  const faults = planFaults(HOUR, true, seededRandom(1));
  expect(faults).toEqual(planFaults(HOUR, true, seededRandom(1)));
  expect(faults).not.toEqual(planFaults(HOUR, true, seededRandom(2)));
  expect(new Set(faults.map(({ kind }) => kind)).size).toBe(13);
  expect(faults.length).toBeGreaterThan(50);
  for (const [index, { at, seconds }] of faults.entries())
    expect(at + seconds).toBeLessThan(faults[index + 1]?.at ?? HOUR);
});

test('the schedule is killed only in the first quarter, so that leaks show', () => {
  const kills = planFaults(HOUR, true, seededRandom(3)).filter(({ kind }) => kind === 'kill schedule');
  expect(kills.length).toBeGreaterThan(0);
  expect(Math.max(...kills.map(({ at }) => at))).toBeLessThan(HOUR / 4);
});

test('without a shared ledger, PostgreSQL and workers get no faults', () => {
  const kinds = planFaults(HOUR, false, seededRandom(1)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => /worker|postgres/.test(kind))).toEqual([]);
});
