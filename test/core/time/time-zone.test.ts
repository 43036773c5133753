import { expect, test } from 'vitest';
import { isTimeZone } from '../../../src/core/time/time-zone.ts';

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Mars/Olympus', false],
  ['+01:00', false],
  ['', false],
])('%j is the name of a time zone: %s', (name, isZone) => {
  expect(isTimeZone(name)).toBe(isZone);
});
