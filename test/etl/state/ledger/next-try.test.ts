import { expect, test } from 'vitest';
import { mayTry, nextTryAt } from '../../../../src/etl/state/ledger/respect-backoff.ts';

const NOW = Date.parse('2026-11-21T06:00:00Z');
const MINUTE = 60_000;

test('a unit is retried by the next run up to three failures, then after waits that double up to twelve hours', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 50].map((failures) => {
    const at = nextTryAt(failures, NOW);
    return at === null ? null : (Date.parse(at) - NOW) / MINUTE;
  });
  expect(waits).toEqual([null, null, null, null, 10, 20, 40, 80, 160, 320, 640, 720, 720]);
});

test('a unit is not tried before its next try', () => {
  const at = nextTryAt(5, NOW);
  expect([
    mayTry(null, NOW),
    mayTry(at, NOW),
    mayTry(at, NOW + 19 * MINUTE),
    mayTry(at, NOW + 20 * MINUTE),
  ]).toEqual([true, false, false, true]);
});

test('a daily schedule tries every morning, whatever the number of failures', () => {
  for (let failures = 0; failures < 100; failures++)
    expect(mayTry(nextTryAt(failures, NOW), NOW + 23 * 60 * MINUTE)).toBe(true);
});

test('a time from a wrong clock blocks no unit', () => {
  const inTenYears = nextTryAt(9, NOW + 3650 * 1440 * MINUTE);
  expect(mayTry(inTenYears, NOW)).toBe(true);
});
