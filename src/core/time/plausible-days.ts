const DAY = 86_400;
/** The earliest day that files may contain, unless a setting overrides it: the public web is not much older. */
export const EARLIEST_DAY = '1995-01-01';
/** Days ahead of the clock: a day begins earlier elsewhere, and a clock may be wrong by some hours. */
const AHEAD = 2;
/** Converts years of other calendars to Gregorian ones, listed by how far their years are ahead. */
const CALENDARS: readonly (readonly [name: string, gregorian: (year: number) => number])[] = [
  ['in two digits', (year) => (year < 100 ? 2000 + year : Number.NaN)],
  ['in the Buddhist calendar', (year) => year - 543],
  ['in the Hijri calendar', (year) => Math.floor(year * 0.970_224 + 621.577_4)],
  ['in the Persian calendar', (year) => year + 621],
  ['in the Minguo calendar', (year) => year + 1911],
];

/** The valid range of data, in seconds since 1970. */
export interface PlausibleTime {
  readonly first: number;
  /** The first second after the range. */
  readonly end: number;
}

/** @param now UTC milliseconds */
export function plausibleTime(now: number, earliest = EARLIEST_DAY): PlausibleTime {
  return {
    first: Date.parse(`${earliest}T00:00:00Z`) / 1000,
    end: (Math.floor(now / 1000 / DAY) + AHEAD + 1) * DAY,
  };
}

/** Days without data from which a gap is reported. */
const FAR_DAYS = 31;

/** Returns whether most days of a span have no data, which suggests a wrong clock or calendar. */
export function isFarApart(days: number, span: number): boolean {
  return span > FAR_DAYS + days * 2;
}

/** Returns the likely meaning of a year out of range, such as `2026 is 2569 in the Buddhist calendar`, or null. */
export function likelyYear(year: number, { first, end }: PlausibleTime): string | null {
  const [from, to] = [first, end].map((second) => new Date(second * 1000).getUTCFullYear()) as [
    number,
    number,
  ];
  const likely = CALENDARS.map(([name, gregorian]) => ({ name, year: gregorian(year) }))
    .filter((one) => one.year >= from && one.year <= to)
    .sort((a, b) => b.year - a.year)[0];
  return likely === undefined ? null : `${likely.year} is ${year} ${likely.name}`;
}
