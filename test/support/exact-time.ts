const SPACE = '[\\t\\n\\f\\r ]';
const TIME = new RegExp(
  `^${SPACE}*(\\d{4})/(\\d\\d?)/(\\d\\d?)${SPACE}+(\\d\\d?):(\\d\\d?):(\\d\\d?)${SPACE}+(\\S+)${SPACE}*$`,
);

/** Abbreviations of one meaning, in hours. */
export const ONE_MEANING: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  UT: 0,
  WET: 0,
  WEST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  JST: 9,
  AEST: 10,
  AEDT: 11,
  ACST: 9.5,
  ACDT: 10.5,
  AWST: 8,
  NZST: 12,
  NZDT: 13,
  HST: -10,
  AKST: -9,
  AKDT: -8,
  MST: -7,
  MDT: -6,
  EDT: -4,
};

/** Abbreviations of several meanings, and names of no place. */
export const NO_ZONE =
  'BST PST PDT CST CDT EST IST AST ACT AET AGT ART BET CAT CNT CTT ECT MIT NET NST PLT PNT PRT SST VST MET KST MSK Nowhere Europe/Parisx Etc/Unknown SystemV/PST8PDT Factory +99:99 +020 +02:60 -24:00 UTC+ bst 5 . UTC+1:2'.split(
    ' ',
  );

/** Places whose rules are the same in each release of the IANA database that Node and DuckDB may carry. */
export const PLACES = [
  'Europe/Paris',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/St_Johns',
  'Pacific/Apia',
  'Asia/Tokyo',
  'Etc/GMT+5',
  'Africa/Monrovia',
  'America/Los_Angeles',
  'Japan',
];

/** The instant of `yyyy/MM/dd HH:mm:ss z` in microseconds; null if it is none, or not one alone. */
export function instantOf(text: string): bigint | null {
  const parts = TIME.exec(text);
  if (!parts) return null;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const shown = date.getTime();
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const zone = parts[7] ?? '';
  const offset = fixedOffset(zone);
  const instant = offset === null ? placeInstant(zone, shown) : shown - offset;
  return instant === null ? null : BigInt(instant) * 1000n;
}

function fixedOffset(zone: string): number | null {
  const hours = ONE_MEANING[zone.toUpperCase()];
  if (hours !== undefined) return hours * 3_600_000;
  const parts = /^(?:UTC|GMT|UT)?([+-])(?:(\d)|([01]\d|2[0-3])(?::?([0-5]\d))?)$/i.exec(zone);
  if (!parts) return null;
  const minutes = Number(parts[2] ?? parts[3]) * 60 + Number(parts[4] ?? 0);
  return (parts[1] === '-' ? -1 : 1) * minutes * 60_000;
}

/** The one instant at which the clocks of a place showed a time. */
function placeInstant(zone: string, shown: number): number | null {
  const place = PLACES.find((name) => name.toLowerCase() === zone.toLowerCase());
  if (place === undefined) return null;
  const candidates = new Set(
    [-1, 1].map((days) => shown - (clock(place, shown + days * 86_400_000) - (shown + days * 86_400_000))),
  );
  const right = [...candidates].filter((instant) => clock(place, instant) === shown);
  return right.length === 1 ? (right[0] ?? null) : null;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** What the clocks of a place show at an instant, as if in UTC. */
function clock(place: string, instant: number): number {
  let formatter = formatters.get(place);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: place,
      hourCycle: 'h23',
      era: 'narrow',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(place, formatter);
  }
  const parts = new Map(formatter.formatToParts(instant).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0);
  const year = parts.get('era') === 'B' ? 1 - of('year') : of('year');
  // Not by Date.UTC, which takes the year 25 for 1925.
  const shown = new Date(0);
  shown.setUTCFullYear(year, of('month') - 1, of('day'));
  return shown.setUTCHours(of('hour'), of('minute'), of('second'));
}
