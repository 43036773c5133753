import type { Recurrence } from '../../api/resources/scheduled-crawls.ts';

const DAY = 86_400_000;
const DAYS: Readonly<Record<Exclude<Recurrence, 'month'>, number>> = { day: 1, week: 7, '2weeks': 14 };

/**
 * When a scheduled crawl fires for the nth time, from 0, in UTC milliseconds; nothing after the only firing of one
 * without a recurrence. Months are counted from the first firing: one on the 31st falls on the last day of shorter
 * months and comes back to the 31st.
 */
export function firing(start: number, recurrence: Recurrence | null, n: number): number | undefined {
  if (recurrence === null) return n === 0 ? start : undefined;
  if (recurrence !== 'month') return start + n * DAYS[recurrence] * DAY;
  const first = new Date(start);
  const month = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + n, 1));
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  const midnight = Date.UTC(
    month.getUTCFullYear(),
    month.getUTCMonth(),
    Math.min(first.getUTCDate(), lastDay),
  );
  return midnight + (((start % DAY) + DAY) % DAY);
}

/** The number of the first firing at or after a time; nothing if there is none. */
export function firingFrom(start: number, recurrence: Recurrence | null, from: number): number | undefined {
  if (recurrence === null) return start >= from ? 0 : undefined;
  if (start >= from) return 0;
  const longest = recurrence === 'month' ? 31 : DAYS[recurrence];
  let n = Math.floor((from - start) / (longest * DAY));
  while ((firing(start, recurrence, n) ?? Number.POSITIVE_INFINITY) < from) n += 1;
  return n;
}
