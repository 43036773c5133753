import type { Oql } from '../../../client/oql/oql.ts';
import type { WeekDefinition } from '../../../client/resources/log-monitoring.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Window } from '../../project/model/unit.ts';

/** The length of a window of a dated source. */
type WindowSpan = NonNullable<Pipeline['window']>;

/** In milliseconds. */
export const DAY = 86_400_000;
/** The weekday of 1 January 1970, a Thursday, counted from Monday and from Sunday. */
const EPOCH_WEEKDAY: Readonly<Record<WeekDefinition, number>> = { iso: 3, sunday_start: 4 };

/**
 * Returns the windows that contain the days from `from` to `to`, both inclusive, oldest first. The first and the last
 * may extend beyond them.
 */
export function windowsOf(
  span: WindowSpan,
  days: { readonly from: string; readonly to: string },
  weeks: WeekDefinition,
): Window[] {
  const last = parseDay(days.to);
  const windows: Window[] = [];
  for (let start = startOf(span, parseDay(days.from), weeks); start <= last; ) {
    const end = endOf(span, start);
    windows.push({ from: formatDay(start), to: formatDay(end) });
    start = end;
  }
  return windows;
}

/** Returns OQL for the rows of one window: a day is an equal date, weeks and months are texts (spec-notes.md 30). */
export function windowFilter(field: string, span: WindowSpan, window: Window, weeks: WeekDefinition): Oql {
  const value =
    span === 'day' ? window.from : span === 'month' ? window.from.slice(0, 7) : weekLabel(window.from, weeks);
  return { field: [field, 'equals', value] };
}

/**
 * Returns the label of the week that begins on a day, `YYYY-[W]WW` (api-spec.md §2.13). The first week of a year
 * contains its first Thursday (ISO), or January 1 if weeks begin on Sunday. The year may differ from the calendar year.
 */
export function weekLabel(firstDay: string, weeks: WeekDefinition): string {
  const start = parseDay(firstDay);
  // The day that decides the year of the week: Thursday, or the week's last day.
  const deciding = new Date(start + (weeks === 'iso' ? 3 : 6) * DAY);
  const year = deciding.getUTCFullYear();
  const anchor = Date.UTC(year, 0, weeks === 'iso' ? 4 : 1);
  const number = Math.round((start - startOf('week', anchor, weeks)) / (7 * DAY)) + 1;
  return `${year}-W${String(number).padStart(2, '0')}`;
}

function startOf(span: WindowSpan, day: number, weeks: WeekDefinition): number {
  if (span === 'day') return day;
  if (span === 'month') {
    const date = new Date(day);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
  const weekday = (Math.floor(day / DAY) + EPOCH_WEEKDAY[weeks]) % 7;
  return day - weekday * DAY;
}

function endOf(span: WindowSpan, start: number): number {
  if (span === 'day') return start + DAY;
  if (span === 'week') return start + 7 * DAY;
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function parseDay(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
}

/** Formats UTC milliseconds as `2026-11-22`. */
export function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
