import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LogTime } from '../../../src/site/access-logs/log-time.ts';
import { testSeed } from '../../support/random.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (number: number): string => String(Math.abs(number)).padStart(2, '0');

/** A moment as Apache writes it in a zone that is so many minutes ahead of UTC. */
function clf(second: number, ahead: number): string {
  const wall = new Date((second + ahead * 60) * 1000);
  const sign = ahead < 0 ? '-' : '+';
  const offset = `${sign}${two(Math.trunc(ahead / 60))}${two(ahead % 60)}`;
  return `${two(wall.getUTCDate())}/${MONTHS[wall.getUTCMonth()]}/${wall.getUTCFullYear()}:${wall.toISOString().slice(11, 19)} ${offset}`;
}

test('times written by Apache are parsed in any order and zone', () => {
  const moment = fc.record({
    second: fc.integer({ min: 0, max: 4_000_000_000 }),
    ahead: fc.integer({ min: -14 * 60, max: 14 * 60 }),
  });
  const near = fc
    .array(moment, { minLength: 1, maxLength: 20 })
    .chain((moments) =>
      fc.tuple(
        fc.constant(moments),
        fc.array(fc.record({ of: fc.nat(moments.length - 1), by: fc.integer({ min: -90, max: 90 }) })),
      ),
    );
  fc.assert(
    fc.property(near, ([moments, steps]) => {
      const time = new LogTime('UTC');
      const all = [
        ...moments,
        ...steps.map(({ of, by }) => {
          const { second = 0, ahead = 0 } = moments[of] ?? {};
          return { second: Math.max(0, second + by), ahead };
        }),
      ];
      for (const { second, ahead } of all) expect(time.clf(clf(second, ahead))).toBe(second);
      expect(time.assumedZone).toBe(false);
    }),
    { seed: testSeed() },
  );
});

test('local times of a zone are parsed, except for a repeated hour', () => {
  const zones = ['Europe/Paris', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Africa/Cairo'];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 4_000_000 }).map((quarter) => quarter * 900 + 59),
      (zone, second) => {
        const shown = new Date(second * 1000).toLocaleString('sv-SE', { timeZone: zone });
        const found = new LogTime(zone).iso(shown);
        const again = new Date(found * 1000).toLocaleString('sv-SE', { timeZone: zone });
        expect(again).toBe(shown);
        expect(found).toBeLessThanOrEqual(second);
      },
    ),
    { seed: testSeed(), numRuns: 300 },
  );
});

test.for([
  ['Europe/Paris', '2026-10-25 02:30:00', '2026-10-25T00:30:00Z'],
  ['Europe/Paris', '2026-03-29 02:30:00', '2026-03-29T01:30:00Z'],
  ['America/St_Johns', '2026-07-01 00:00:00', '2026-07-01T02:30:00Z'],
  ['UTC', '2026-07-01 00:00:00', '2026-07-01T00:00:00Z'],
] as const)('in %s the clock %s is %s', ([zone, wall, utc]) => {
  const time = new LogTime(zone);
  expect(time.iso(wall)).toBe(Date.parse(utc) / 1000);
  expect(time.assumedZone).toBe(true);
});

test.for([
  ['1791665736', 1_791_665_736],
  ['1791665736.999', 1_791_665_736],
  ['1791665736123', 1_791_665_736],
  ['1791665736123456789', 1_791_665_736],
  ['2026-10-10T20:55:36.5+00:00', 1_791_665_736],
  ['31/Dec/2016:23:59:60 +0000', Date.UTC(2016, 11, 31, 23, 59, 59) / 1000],
  ...[
    ['Sat, 10 Oct 2026 20:55:36 GMT', 'Sat, 10 Oct 2026 22:55:36 +0200', 'Saturday, 10-Oct-26 20:55:36 GMT'],
    ['Sat Oct 10 20:55:36 2026', 'Sat Oct 10 20:55:36 UTC 2026', 'Sat Oct 10 14:55:36 -0600 2026'],
    ['10/Oct/2026:20:55:36 +00:00', '10/Oct/2026:20:55:36 Z', '10/OCT/2026:20:55:36,123 GMT'],
    ['10/oct/2026:20:55:36.123', '11/Oct/2026:02:25:36 +0530'],
  ].flatMap((row) => row.map((text) => [text, 1_791_665_736] as const)),
  ['Sat Oct  3 20:55:36 2026', 1_791_665_736 - 7 * 86_400],
  ['Sat Oct 10 20:55:36 CEST 2026', Number.NaN],
  ['10/anF/2026:20:55:36 +0000', Number.NaN],
  ['yesterday', Number.NaN],
  ['2026-02-30T00:00:00Z', Number.NaN],
  ['10/Oct/2026:20:55:3x +0000', Number.NaN],
] as const)('%s is read as %s', ([text, second]) => {
  const time = new LogTime('UTC');
  expect([time.any(text), time.clf(text)]).toEqual([second, second]);
});
