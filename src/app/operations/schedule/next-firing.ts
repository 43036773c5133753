import { type CronFields, cronFields } from '../../../etl/project/settings/cron-fields.ts';
import type { Schedule } from '../../../etl/project/settings/schedules.ts';

const DAY_MS = 86_400_000;

/** Number of firings to compare: more than a week has at 15-minute intervals. */
const FIRINGS_COMPARED = 700;

/** A leap day on a given weekday recurs within 40 years, even across a century without one. */
const FARTHEST_DAYS = 41 * 366;

/**
 * Returns the first firing of a cron expression after an instant (UTC milliseconds), or null if there is none.
 *
 * The expression refers to the wall clock of the zone. When clocks go forward, a skipped time fires at the first moment
 * after the gap. When clocks go back, a repeated time fires only the first time. An hourly expression fires in both of
 * the repeated hours, and does not make up for a skipped hour.
 */
export function nextFiring(cron: string, zone: string, after: number): number | null {
  const fields = cronFields(cron);
  const today = dayOf(zone, after);
  for (let day = today - DAY_MS; day <= today + FARTHEST_DAYS * DAY_MS; day += DAY_MS) {
    const later = firingsOfDay(fields, zone, day).filter((firing) => firing > after);
    if (later.length === 0) continue;
    // If clocks go back over midnight, a firing of the next day can precede one of this day.
    return Math.min(...later, ...firingsOfDay(fields, zone, day + DAY_MS).filter((firing) => firing > after));
  }
  return null;
}

/** Returns the last firing after `after`, up to and including `until`, and their number; null if there is none. */
export function lastFiring(
  cron: string,
  zone: string,
  after: number,
  until: number,
): { readonly at: number; readonly count: number } | null {
  const fields = cronFields(cron);
  const found = new Set<number>();
  let at = Number.NEGATIVE_INFINITY;
  for (let day = dayOf(zone, after) - DAY_MS; day <= dayOf(zone, until) + DAY_MS; day += DAY_MS) {
    for (const firing of firingsOfDay(fields, zone, day)) {
      if (firing <= after || firing > until) continue;
      found.add(firing);
      at = Math.max(at, firing);
    }
  }
  return found.size === 0 ? null : { at, count: found.size };
}

/** Returns the longest interval of the next firings in hours; null if it fires at most once. */
export function longestWait(
  { cron, time_zone }: Pick<Schedule, 'cron' | 'time_zone'>,
  now: number,
): number | null {
  let longest: number | null = null;
  let at = nextFiring(cron, time_zone, now);
  for (let count = 0; at !== null && count < FIRINGS_COMPARED; count++) {
    const next = nextFiring(cron, time_zone, at);
    if (next === null) break;
    longest = Math.max(longest ?? 0, (next - at) / 3_600_000);
    at = next;
  }
  return longest;
}

/** Midnight, as if in UTC, of the date on a zone's clocks. */
function dayOf(zone: string, at: number): number {
  return Math.floor((at + offsetAt(zone, at)) / DAY_MS) * DAY_MS;
}

function firingsOfDay(fields: CronFields, zone: string, day: number): number[] {
  if (!isDay(fields, new Date(day))) return [];
  const walls = fields.hours.flatMap((hour) =>
    fields.minutes.map((minute) => day + (hour * 60 + minute) * 60_000),
  );
  const change = changeAround(zone, day);
  if (change.at === Number.POSITIVE_INFINITY) return walls.map((wall) => wall - change.before);
  return [...new Set(walls.flatMap((wall) => firingsAt(change, wall, fields.everyHour)))];
}

function firingsAt(change: Change, wall: number, everyHour: boolean): number[] {
  const instants = instantsOf(change, wall);
  if (everyHour) return instants;
  return instants.length > 0 ? instants.slice(0, 1) : [change.at];
}

function isDay({ days, months, weekdays, eitherDay }: CronFields, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [day, weekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return eitherDay ? day || weekday : day && weekday;
}

/** Returns the next firings after `now`, at most `most`; none of a paused schedule. */
export function nextFirings(
  { cron, time_zone, paused }: Pick<Schedule, 'cron' | 'time_zone' | 'paused'>,
  now: number,
  most: number,
): string[] {
  const found: string[] = [];
  for (let at = paused ? null : nextFiring(cron, time_zone, now); at !== null && found.length < most; ) {
    found.push(new Date(at).toISOString());
    at = nextFiring(cron, time_zone, at);
  }
  return found;
}

/** Returns when each schedule fires next, by its cron expression alone; null if it is paused or never fires again. */
export function upcoming(
  schedules: readonly Schedule[],
  now: number,
): { name: string; next_at: string | null }[] {
  return schedules.map((schedule) => ({
    name: schedule.name,
    next_at: nextFirings(schedule, now, 1)[0] ?? null,
  }));
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the milliseconds that a zone's wall clock is ahead of UTC at an instant (UTC milliseconds). */
function offsetAt(zone: string, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(second)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
  const wall = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
  return wall - second;
}

/** The offset of a zone's clocks around one date: `before` until `at`, then `after`. */
interface Change {
  readonly before: number;
  readonly after: number;
  /** UTC milliseconds; infinite if nothing changes. */
  readonly at: number;
}

const known = new Map<string, Change>();

/** Returns the clock change that can affect a date; `day` is its midnight as if in UTC. */
function changeAround(zone: string, day: number): Change {
  const key = `${zone} ${day}`;
  const found = known.get(key) ?? findChange(zone, day);
  if (known.size > 1000) known.clear();
  known.set(key, found);
  return found;
}

/**
 * Returns the instants at which clocks show a wall time (written as UTC). Usually there is one; there are two if clocks
 * go back, and none if they skip it.
 */
function instantsOf({ before, after, at }: Change, wall: number): number[] {
  return [...(wall - before < at ? [wall - before] : []), ...(wall - after >= at ? [wall - after] : [])];
}

function findChange(zone: string, day: number): Change {
  // No clock is a day away from UTC, so these two are before and after all times of the date.
  let earlier = day - DAY_MS;
  let later = day + 2 * DAY_MS;
  const [before, after] = [offsetAt(zone, earlier), offsetAt(zone, later)];
  if (before === after) return { before, after, at: Number.POSITIVE_INFINITY };
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2);
    if (offsetAt(zone, middle) === before) earlier = middle;
    else later = middle;
  }
  return { before, after, at: later };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const made = formats.get(zone);
  if (made) return made;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}
