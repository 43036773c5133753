import type { Granularity } from '../../api/resources/fields.ts';
import type { WeekDefinition } from '../../api/resources/log-monitoring.ts';

const DAY = 86_400_000;

/**
 * SQL for the day, week or month of a DATE, as text (spec-notes.md 30). An ISO week belongs to the year of its Thursday;
 * a week that starts on Sunday to the year of its Saturday, so that the week of 1 January is the first.
 */
export function periodSql(granularity: Granularity, day: string, weeks: WeekDefinition): string {
  switch (granularity) {
    case 'days':
      return `strftime(${day}, '%Y-%m-%d')`;
    case 'months':
      return `strftime(${day}, '%Y-%m')`;
    case 'weeks': {
      if (weeks === 'iso') return `strftime(${day}, '%G-W%V')`;
      const saturday = `(${day} + CAST(6 - dayofweek(${day}) AS INTEGER))`;
      const number = `((dayofyear(${saturday}) - 1) // 7 + 1)`;
      return `concat(strftime(${saturday}, '%Y'), '-W', lpad(CAST(${number} AS VARCHAR), 2, '0'))`;
    }
  }
}

/** The days that a label of `periodSql` covers, both inclusive, as `YYYY-MM-DD`; nothing when it is no label. */
export function daysOf(
  granularity: Granularity,
  label: string,
  weeks: WeekDefinition,
): { readonly from: string; readonly to: string } | undefined {
  const parts = PATTERNS[granularity].exec(label);
  const [year, number] = [Number(parts?.[1]), Number(parts?.[2])];
  if (parts === null) return undefined;
  if (granularity === 'days') return { from: label, to: label };
  if (granularity === 'months') {
    return { from: dayOf(Date.UTC(year, number - 1, 1)), to: dayOf(Date.UTC(year, number, 0)) };
  }
  // 4 January is always in the first ISO week, 1 January in the first one that starts on Sunday.
  const anchor = Date.UTC(year, 0, weeks === 'iso' ? 4 : 1);
  const weekday = (new Date(anchor).getUTCDay() + (weeks === 'iso' ? 6 : 0)) % 7;
  const start = anchor + ((number - 1) * 7 - weekday) * DAY;
  return { from: dayOf(start), to: dayOf(start + 6 * DAY) };
}

const PATTERNS: Readonly<Record<Granularity, RegExp>> = {
  days: /^(\d{4})-(\d{2})-\d{2}$/,
  weeks: /^(\d{4})-W(\d{2})$/,
  months: /^(\d{4})-(\d{2})$/,
};

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
