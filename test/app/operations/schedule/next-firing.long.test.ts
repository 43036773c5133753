import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastFiring, nextFiring } from '../../../../src/app/operations/schedule/next-firing.ts';

/** The firings after an instant, one after the other. */
function firings(cron: string, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let at: number | null = Date.parse(after); found.length < count; ) {
    at = nextFiring(cron, zone, at);
    if (at === null) break;
    found.push(new Date(at).toISOString().replace(':00.000Z', 'Z'));
  }
  return found;
}

test.for([
  ['0 6 * * *', 'Europe/Paris', '2026-01-10T05:00:00Z', ['2026-01-11T05:00Z']],
  ['0 6 * * *', 'Europe/Paris', '2026-01-10T04:59:59.999Z', ['2026-01-10T05:00Z']],
  ['0 6 * * *', 'Europe/Paris', '2026-03-28T12:00:00Z', ['2026-03-29T04:00Z', '2026-03-30T04:00Z']],
  ['0 6 * * *', 'Pacific/Kiritimati', '2026-01-10T00:00:00Z', ['2026-01-10T16:00Z']],
  ['30 23 * * *', 'America/Los_Angeles', '2026-06-01T06:30:00Z', ['2026-06-02T06:30Z']],
  ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
  ['0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', ['2104-02-29T00:00Z']],
  ['0 0 1 * mon', 'UTC', '2026-05-30T00:00:00Z', ['2026-06-01T00:00Z', '2026-06-08T00:00Z']],
  ['0 0 13 * fri', 'UTC', '2026-03-01T00:00:00Z', ['2026-03-06T00:00Z', '2026-03-13T00:00Z']],
  ['0 0 * * 7', 'UTC', '2026-05-30T00:00:00Z', ['2026-05-31T00:00Z']],
  [
    '0 22-1 * * *',
    'UTC',
    '2026-05-30T22:00:00Z',
    ['2026-05-30T23:00Z', '2026-05-31T00:00Z', '2026-05-31T01:00Z'],
  ],
] as const)('%s in %s after %s', ([cron, zone, after, expected]) => {
  expect(firings(cron, zone, after, expected.length)).toEqual(expected);
});

test('a time skipped by daylight saving fires once, at the first moment after the gap', () => {
  // Paris leaves out 02:00 to 03:00 on 29 March.
  expect(firings('*/20 2 * * *', 'Europe/Paris', '2026-03-28T02:00:00Z', 3)).toEqual([
    '2026-03-29T01:00Z',
    '2026-03-30T00:00Z',
    '2026-03-30T00:20Z',
  ]);
  // Beirut leaves out midnight.
  expect(firings('0 0 * * *', 'Asia/Beirut', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-28T22:00Z',
    '2026-03-29T21:00Z',
  ]);
  // Half an hour is left out on Lord Howe Island.
  expect(firings('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', 1)).toEqual([
    '2026-10-03T15:30Z',
  ]);
  // Samoa left out a whole day.
  expect(firings('0 12 * * *', 'Pacific/Apia', '2011-12-29T22:00:00Z', 2)).toEqual([
    '2011-12-30T10:00Z',
    '2011-12-30T22:00Z',
  ]);
});

test('two firings skipped by one gap become one', () => {
  expect(firings('0 2,3 * * *', 'Europe/Paris', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-29T01:00Z',
    '2026-03-30T00:00Z',
  ]);
});

test('a time repeated by daylight saving fires only the first time', () => {
  expect(firings('30 2 * * *', 'Europe/Paris', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30Z',
    '2026-10-26T01:30Z',
  ]);
});

test('an hourly expression keeps its interval over both changes', () => {
  const hourly = (after: string, count: number) => firings('30 * * * *', 'Europe/Paris', after, count);
  expect(hourly('2026-03-29T00:00:00Z', 3)).toEqual([
    '2026-03-29T00:30Z',
    '2026-03-29T01:30Z',
    '2026-03-29T02:30Z',
  ]);
  expect(hourly('2026-10-25T00:00:00Z', 3)).toEqual([
    '2026-10-25T00:30Z',
    '2026-10-25T01:30Z',
    '2026-10-25T02:30Z',
  ]);
});

test('the last of several missed firings is found with their number', () => {
  const span = ['2026-01-10T06:00:00Z', '2026-01-14T05:00:00Z'].map((at) => Date.parse(at)) as [
    number,
    number,
  ];
  expect(lastFiring('0 6 * * *', 'Europe/Paris', ...span)).toEqual({ at: span[1], count: 4 });
  expect(lastFiring('0 6 * * *', 'Europe/Paris', span[0], span[0] + 60_000)).toBeNull();
});

const ZONES = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Beirut',
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Antarctica/Troll',
];
const YEAR = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2027-01-01T00:00:00Z')] as const;

/** Wall clocks by another way than ours: the text that a zone's clock would show. */
const clocks = new Map(
  ZONES.map((zone) => [
    zone,
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }),
  ]),
);
function clock(zone: string, at: number): string {
  return clocks.get(zone)?.format(at) ?? '';
}

interface Written {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
}

const subset = (from: number, to: number, most: number) =>
  fc.oneof(
    fc.constant<number[]>([]),
    fc.uniqueArray(fc.integer({ min: from, max: to }), { minLength: 1, maxLength: most }),
  );
const written: fc.Arbitrary<Written> = fc.record({
  minutes: subset(0, 59, 3),
  hours: subset(0, 23, 3),
  days: subset(1, 28, 3),
  months: subset(1, 12, 8),
  weekdays: subset(0, 6, 3),
});

function text({ minutes, hours, days, months, weekdays }: Written): string {
  return [minutes, hours, days, months, weekdays].map((part) => part.join(',') || '*').join(' ');
}

/** Whether a wall time, `YYYY-MM-DD HH:MM`, fits. */
function fits({ minutes, hours, days, months, weekdays }: Written, wall: string): boolean {
  const has = (part: readonly number[], value: number): boolean => part.length === 0 || part.includes(value);
  const [month, day, hour, minute] = [
    wall.slice(5, 7),
    wall.slice(8, 10),
    wall.slice(11, 13),
    wall.slice(14),
  ].map(Number);
  const weekday = new Date(`${wall.slice(0, 10)}T00:00:00Z`).getUTCDay();
  const isDay =
    days.length > 0 && weekdays.length > 0
      ? days.includes(Number(day)) || weekdays.includes(weekday)
      : has(days, Number(day)) && has(weekdays, weekday);
  return isDay && has(months, Number(month)) && has(hours, Number(hour)) && has(minutes, Number(minute));
}

/** Every wall minute from one text to another, without the second. */
function wallsBetween(from: string, to: string): string[] {
  const walls: string[] = [];
  const [start, end] = [from, to].map((wall) => Date.parse(`${wall.replace(' ', 'T')}:00Z`)) as [
    number,
    number,
  ];
  for (let at = start; at < end; at += 60_000)
    walls.push(new Date(at).toISOString().slice(0, 16).replace('T', ' '));
  return walls;
}

/** Firings by walking every minute and looking at the clock. */
function walked(cron: Written, zone: string, from: number, to: number): number[] {
  const found: number[] = [];
  const everyHour = cron.hours.length === 0;
  const seen = new Set<string>();
  let due = clock(zone, from);
  for (let at = from; at < to; at += 60_000) {
    const wall = clock(zone, at);
    const skipped = !everyHour && wall > due ? wallsBetween(due, wall) : [];
    const again = !everyHour && seen.has(wall);
    if ((fits(cron, wall) && !again) || skipped.some((one) => fits(cron, one))) found.push(at);
    seen.add(wall);
    due = new Date(Date.parse(`${wall.replace(' ', 'T')}:00Z`) + 60_000)
      .toISOString()
      .slice(0, 16)
      .replace('T', ' ');
  }
  return found;
}

/** All firings of nextFiring from one instant to another. */
function asked(cron: string, zone: string, from: number, to: number): number[] {
  const found: number[] = [];
  for (let at = nextFiring(cron, zone, from - 1); at !== null && at < to; at = nextFiring(cron, zone, at))
    found.push(at);
  return found;
}

const DAY = 86_400_000;
/** The moments of the year at which a zone's clocks are changed, to the minute. */
function changes(zone: string): number[] {
  const ahead = (at: number): number => Date.parse(`${clock(zone, at).replace(' ', 'T')}:00Z`) - at;
  const days = Array.from({ length: 365 }, (_none, day) => YEAR[0] + day * DAY);
  return days
    .filter((day) => ahead(day) !== ahead(day + DAY))
    .map((day) => {
      let [before, after] = [day, day + DAY];
      while (after - before > 60_000) {
        const middle = before + Math.floor((after - before) / 120_000) * 60_000;
        if (ahead(middle) === ahead(day)) before = middle;
        else after = middle;
      }
      return after;
    });
}

/** Many firings are asked for around a change of the clocks, and every twentieth. */
const MANY = 600;

test.for(ZONES)('firings in %s equal those found by a minute-by-minute walk', (zone) => {
  const turning = changes(zone);
  const days = turning.map((at) => Math.floor(at / DAY) * DAY);
  const start =
    days.length > 0
      ? fc.constantFrom(...days)
      : fc.integer({ min: 0, max: 364 }).map((day) => YEAR[0] + day * DAY);
  const isNearChange = (at: number): boolean => turning.some((turn) => Math.abs(at - turn) < 90 * 60_000);
  fc.assert(
    fc.property(written, start, (cron, day) => {
      const span = [day - DAY, day + 2 * DAY] as const;
      const firings = walked(cron, zone, ...span);
      for (const [index, at] of [span[0] - 1, ...firings].entries()) {
        if (firings.length > MANY && index % 20 > 0 && !isNearChange(at)) continue;
        const next = nextFiring(text(cron), zone, at);
        if (index < firings.length) expect(next).toBe(firings[index]);
        else expect(next ?? span[1]).toBeGreaterThanOrEqual(span[1]);
      }
    }),
    {
      numRuns: 6,
      examples: days.map((day): [Written, number] => [
        { minutes: [0, 15, 45], hours: [0, 1, 2, 3], days: [], months: [], weekdays: [] },
        day,
      ]),
    },
  );
});

test('in a year, every matching date has exactly one firing', () => {
  fc.assert(
    fc.property(
      written,
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
      (parts, zone, hour, minute) => {
        const cron = { ...parts, hours: [hour], minutes: [minute] };
        const found = asked(text(cron), zone, ...YEAR);
        const time = [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');
        const [first, last] = YEAR.map((at) => clock(zone, at)) as [string, string];
        const dates = Array.from({ length: 368 }, (_none, day) => new Date(YEAR[0] + (day - 1) * DAY))
          .map((date) => `${date.toISOString().slice(0, 10)} ${time}`)
          .filter((wall) => wall >= first && wall < last && fits(cron, wall));
        expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
        expect(found.length).toBe(dates.length);
        expect(lastFiring(text(cron), zone, YEAR[0] - 1, YEAR[1] - 1)).toEqual(
          found.length === 0 ? null : { at: found.at(-1), count: found.length },
        );
      },
    ),
    { numRuns: 8 },
  );
});
