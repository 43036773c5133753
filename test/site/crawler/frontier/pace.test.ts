import { expect, test } from 'vitest';
import { Pace } from '../../../../src/site/crawler/frontier/pace.ts';

test('requests are spread evenly', () => {
  const pace = new Pace(5);
  expect([pace.take('a', null, 1_000), pace.take('b', null, 1_000), pace.take('a', null, 1_000)]).toEqual([
    0, 180, 380,
  ]);
});

test('idle time does not allow faster requests later', () => {
  const pace = new Pace(5);
  pace.take('a', null, 1_000);
  const waits = Array.from({ length: 5 }, () => pace.take('a', null, 60_000));
  expect(waits.at(-1)).toBe(780);
});

test('late timers do not slow a fast crawl', () => {
  const pace = new Pace(1_000);
  const waits = Array.from({ length: 10 }, () => pace.take('a', null, 5_000));
  expect(waits).toEqual(Array<number>(10).fill(0));
});

test('a host is requested no faster than its delay, and not before the end of a wait', () => {
  const pace = new Pace(1_000);
  pace.take('slow', 500, 1_000);
  expect(pace.readyAt('slow')).toBe(1_500);
  pace.hold('slow', 9_000);
  expect(pace.readyAt('slow')).toBe(9_000);
});

test('a later, shorter wait does not end a longer one', () => {
  const pace = new Pace(1_000);
  pace.hold('busy', 60_000);
  pace.hold('busy', 2_000);
  pace.take('busy', 500, 1_000);
  expect(pace.readyAt('busy')).toBe(60_000);
});

test('a host that requests a wait does not delay others', () => {
  const pace = new Pace(5);
  pace.take('slow', 60_000, 1_000);
  pace.hold('slow', 90_000);
  expect([pace.readyAt('other'), pace.take('other', null, 1_200)]).toEqual([0, 0]);
});
