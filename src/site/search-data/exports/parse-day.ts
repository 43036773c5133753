import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import { OpenChoice } from './open-choice.ts';

/** Whether the day or the month comes first in a day such as `7/1/2026`. */
export const DAY_ORDERS = ['dmy', 'mdy'] as const;
export type DayOrder = (typeof DAY_ORDERS)[number];

const DAY = 86_400_000;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** A time of the day after a day; it is ignored. */
const TIME = String.raw`(?:[T ,]+\d{1,2}:.*)?$`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})[-/. 年년]+(\d{1,2})[-/. 月월]+(\d{1,2})[.日일]?${TIME}`);
const YEAR_LAST = new RegExp(String.raw`^(\d{1,2})[-/. ]+(\d{1,2})[-/. ]+(\d{4}|\d{2})\.?${TIME}`);
const DAY_NAMED = new RegExp(String.raw`^(\d{1,2})[-. ]+([a-z]{3})[a-z]*[-., ]+(\d{4}|\d{2})${TIME}`, 'i');
const MONTH_NAMED = new RegExp(
  String.raw`^(?:[a-z]+day, )?([a-z]{3})[a-z]*[-. ]+(\d{1,2}),?[ -]+(\d{4})${TIME}`,
  'i',
);

/**
 * Returns a calendar day, also with a time after it: `2026-07-01`, `2026/7/1`, `1 Jul 2026`. With an order, also days
 * that end with their year, as a spreadsheet writes them: `7/1/2026`, `01.07.26`.
 *
 * @returns `YYYY-MM-DD`; undefined for a text that is not a day or that needs an order
 */
export function parseDay(text: string, order?: DayOrder): string | undefined {
  const plain = text.trim();
  const [, year, month, day] = YEAR_FIRST.exec(plain) ?? [];
  if (year !== undefined) return calendarDay(year, month, day);
  const [, dayBefore, named, yearAfter = ''] = DAY_NAMED.exec(plain) ?? [];
  if (named !== undefined) return calendarDay(wholeYear(yearAfter), monthOf(named), dayBefore);
  const [, name, dayAfter, lastYear] = MONTH_NAMED.exec(plain) ?? [];
  if (name !== undefined) return calendarDay(lastYear, monthOf(name), dayAfter);
  const [, first, second, last = ''] = YEAR_LAST.exec(plain) ?? [];
  if (first === undefined || order === undefined) return undefined;
  const whole = wholeYear(last);
  return order === 'dmy' ? calendarDay(whole, second, first) : calendarDay(whole, first, second);
}

/** Returns whether a string is a day in some order. */
export function isDay(text: string): boolean {
  return parseDay(text) !== undefined || DAY_ORDERS.some((order) => parseDay(text, order) !== undefined);
}

/** Finds the order of a column's days from all its values. */
export class DayProof {
  /** Days that need an order. */
  readonly #open = new Set<string>();
  /** An unambiguous day. */
  #plain: string | undefined;

  add(text: string): void {
    if (parseDay(text) !== undefined) this.#plain ??= text;
    else if (isDay(text)) this.#open.add(text);
  }

  /**
   * Infers the order of day and month: a part above 12 is not a month, and the days of a table are consecutive.
   *
   * @returns undefined if each day is unambiguous
   * @throws CrawlhouseError `usage` for days that can be read in both ways, or that are written in several
   */
  order(place: string): DayOrder | undefined {
    const open = [...this.#open];
    const [example] = open;
    if (example === undefined) return undefined;
    const fitting = DAY_ORDERS.filter((order) => open.every((text) => parseDay(text, order) !== undefined));
    const [only] = fitting;
    if (only === undefined || this.#plain !== undefined) throw severalWays(open, this.#plain, place);
    if (fitting.length < 2) return only;
    const [asDmy, asMdy] = DAY_ORDERS.map((order) => open.map((text) => parseDay(text, order) ?? ''));
    if (asDmy?.join() === asMdy?.join()) return only;
    const steps = DAY_ORDERS.map((_, at) => shareOfSingleSteps((at === 0 ? asDmy : asMdy) ?? []));
    const proven = DAY_ORDERS.filter((_, at) => Number(steps[at]) >= 0.5 && steps[1 - at] === 0);
    if (proven[0] !== undefined) return proven[0];
    throw new OpenChoice(
      `${place}: ${JSON.stringify(example)} may be ${parseDay(example, 'dmy')} or ${parseDay(example, 'mdy')}, and no row shows which`,
      {
        flag: 'date-order',
        values: DAY_ORDERS,
        hint: 'set the order: --date-order dmy (day first) or --date-order mdy (month first)',
      },
    );
  }
}

/** Returns the first days that no single order fits. */
function severalWays(open: readonly string[], plain: string | undefined, place: string): CrawlhouseError {
  const other = plain ?? open.find((text) => parseDay(text, 'dmy') === undefined) ?? '';
  const one = open.find((text) => plain !== undefined || parseDay(text, 'dmy') !== undefined) ?? '';
  return new OpenChoice(
    `${place}: its days have several formats, such as ${JSON.stringify(one)} and ${JSON.stringify(other)}`,
    {
      flag: 'date-order',
      values: DAY_ORDERS,
      hint: 'use one format, or set the order of dates that end with the year: --date-order dmy or --date-order mdy',
    },
  );
}

/** Returns the share of single-day steps among the steps from one day to the next later one. */
function shareOfSingleSteps(days: readonly string[]): number {
  const times = [...new Set(days)].map((day) => Date.parse(day)).sort((a, b) => a - b);
  const steps = times.slice(1).map((time, at) => time - Number(times[at]));
  return steps.length === 0 ? 0 : steps.filter((step) => step === DAY).length / steps.length;
}

function wholeYear(year: string): string {
  return year.length === 2 ? `20${year}` : year;
}

function monthOf(name: string): string {
  return String(MONTHS.indexOf(name.toLowerCase()) + 1);
}

/** Undefined for an impossible day, such as 30 February. */
function calendarDay(year = '', month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? undefined : text;
}
