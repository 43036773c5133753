import { expect, test } from 'vitest';
import { lastFiring, nextFirings } from '../../../../src/app/operations/schedule/next-firing.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const short = (text: string): string => text.replace(':00.000Z', '');

test.each([
  ['0 6 * * *', 'Europe/Paris', '2026-06-01T00:00', ['2026-06-01T04:00', '2026-06-02T04:00']],
  ['0 6 * * *', 'Europe/Paris', '2026-06-01T04:00', ['2026-06-02T04:00', '2026-06-03T04:00']],
  // Clocks skip the time, or repeat it.
  ['30 2 * * *', 'Europe/Paris', '2026-03-28T12:00', ['2026-03-29T01:00', '2026-03-30T00:30']],
  ['0 3 * * *', 'Europe/Paris', '2026-03-28T12:00', ['2026-03-29T01:00', '2026-03-30T01:00']],
  ['30 2 * * *', 'Europe/Paris', '2026-10-24T12:00', ['2026-10-25T00:30', '2026-10-26T01:30']],
  ['0 3 * * *', 'Europe/Paris', '2026-10-24T12:00', ['2026-10-25T02:00', '2026-10-26T02:00']],
  ['0 * * * *', 'Europe/Paris', '2026-03-29T00:00', ['2026-03-29T01:00', '2026-03-29T02:00']],
  ['0 * * * *', 'Europe/Paris', '2026-10-25T00:00', ['2026-10-25T01:00', '2026-10-25T02:00']],
  // A day of the month or of the week, and a month.
  ['0 0 13 * 5', 'UTC', '2026-03-01T00:00', ['2026-03-06T00:00', '2026-03-13T00:00', '2026-03-20T00:00']],
  ['0 0 11 * 5', 'UTC', '2026-03-07T00:00', ['2026-03-11T00:00', '2026-03-13T00:00']],
  ['0 0 * * 5', 'UTC', '2026-03-07T00:00', ['2026-03-13T00:00', '2026-03-20T00:00']],
  ['0 0 1 4 *', 'UTC', '2026-03-01T00:00', ['2026-04-01T00:00', '2027-04-01T00:00']],
  ['15,45 8-9 * * *', 'UTC', '2026-03-01T08:20', ['2026-03-01T08:45', '2026-03-01T09:15']],
] as const)('%s in %s fires after %s at %j', (cron, time_zone, after, expected) => {
  const found = nextFirings({ cron, time_zone, paused: false }, at(after), expected.length);
  expect(found.map(short)).toEqual(expected);
});

test('a paused schedule never fires', () => {
  const daily = { cron: '0 6 * * *', time_zone: 'UTC', paused: true };
  expect(nextFirings(daily, at('2026-03-01T00:00'), 3)).toEqual([]);
});

test.each([
  ['2026-03-01T06:00', '2026-03-03T06:00', { at: at('2026-03-03T06:00'), count: 2 }],
  ['2026-03-01T05:59', '2026-03-03T05:59', { at: at('2026-03-02T06:00'), count: 2 }],
  ['2026-03-01T06:00', '2026-03-01T23:00', null],
])('after %s, until %s, the last firing is %j', (after, until, expected) => {
  expect(lastFiring('0 6 * * *', 'UTC', at(after), at(until))).toEqual(expected);
});
