import { expect, test } from 'vitest';
import { TryLimit } from '../../../../src/app/console/access/access.ts';

function limit(most: number) {
  let now = 0;
  const tries = new TryLimit(most, () => now);
  return {
    at(seconds: number): TryLimit {
      now = seconds * 1000;
      return tries;
    },
  };
}

test('an attempt above the limit waits for the end of its minute, and each key has its own', () => {
  const { at } = limit(2);
  expect(at(0).wait('a')).toBeNull();
  expect(at(0).take('a')).toBeNull();
  expect(at(10).wait('a')).toBeNull();
  expect(at(10.5).take('a')).toBeNull();
  expect(at(10.5).wait('a')).toBe(50);
  expect(at(11).take('a')).toBe(49);
  expect(at(11).wait('b')).toBeNull();
  expect(at(11).take('b')).toBeNull();
  expect(at(59.999).wait('a')).toBe(1);
  expect(at(60).wait('a')).toBeNull();
  expect(at(60).take('a')).toBeNull();
  expect(at(60).take('a')).toBeNull();
  expect(at(60).take('a')).toBe(60);
});

test('of more than 10,000 keys, the oldest is forgotten', () => {
  const { at } = limit(1);
  for (let key = 0; key < 10_000; key++) at(0).take(String(key));
  expect(at(1).wait('0')).toBe(59);
  at(1).take('another');
  expect([at(1).wait('0'), at(1).wait('1')]).toEqual([null, 59]);
});
