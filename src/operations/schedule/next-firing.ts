import { type CronFields, cronFields } from '../../project/settings/cron-fields.ts';
import { type Change, changeAround, DAY_MS, instantsOf, offsetAt } from './zone-time.ts';

/** A leap day on a given weekday comes back within 40 years, also over a century without one. */
const FARTHEST_DAYS = 41 * 366;

/**
 * The first firing of a cron expression after an instant (UTC milliseconds), or null if there is none.
 *
 * The expression is read on the wall clock of the zone. When clocks go forward, a time that does not exist fires at the
 * first moment after the gap. When clocks go back, a time that exists twice fires the first time. An expression for
 * every hour fires in both hours, and does not make up for a skipped hour.
 */
export function nextFiring(cron: string, zone: string, after: number): number | null {
  const fields = cronFields(cron);
  const today = dayOf(zone, after);
  for (let day = today - DAY_MS; day <= today + FARTHEST_DAYS * DAY_MS; day += DAY_MS) {
    const later = firingsOfDay(fields, zone, day).filter((firing) => firing > after);
    if (later.length === 0) continue;
    // Clocks that are put back over midnight can bring a firing of the day after before one of the day.
    return Math.min(...later, ...firingsOfDay(fields, zone, day + DAY_MS).filter((firing) => firing > after));
  }
  return null;
}

/** The last firing after `after`, up to and including `until`, and their number; null if there is none. */
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

/** Midnight, as if it were UTC, of the date that a zone's clocks show. */
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
