import { expect, test } from 'vitest';
import { seededRandom } from '../support/random.ts';
import { planFaults } from './plan-faults.ts';

const HOUR = 3600;

test('an hour has faults of each kind one after the other, the same ones for the same seed', () => {
  const faults = planFaults(HOUR, true, seededRandom(1));
  expect(faults).toEqual(planFaults(HOUR, true, seededRandom(1)));
  expect(faults).not.toEqual(planFaults(HOUR, true, seededRandom(2)));
  expect(new Set(faults.map(({ kind }) => kind)).size).toBe(13);
  expect(faults.length).toBeGreaterThan(50);
  for (const [index, { at, seconds }] of faults.entries())
    expect(at + seconds).toBeLessThan(faults[index + 1]?.at ?? HOUR);
});

test('the schedule is killed in the first quarter only, so that a leak of its shows', () => {
  const kills = planFaults(HOUR, true, seededRandom(3)).filter(({ kind }) => kind === 'kill schedule');
  expect(kills.length).toBeGreaterThan(0);
  expect(Math.max(...kills.map(({ at }) => at))).toBeLessThan(HOUR / 4);
});

test('without a shared ledger nothing of PostgreSQL and no worker is struck', () => {
  const kinds = planFaults(HOUR, false, seededRandom(1)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => /worker|postgres/.test(kind))).toEqual([]);
});
