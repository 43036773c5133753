import { figureText } from '../../../../core/text/amounts.ts';

/** `17 fewer than`, `0.5 more than`, `the same as`. */
export function comparedText(now: number, before: number): string {
  const difference = now - before;
  if (difference === 0) return 'the same as';
  const fewer = Number.isInteger(difference) ? 'fewer' : 'less';
  return `${figureText(Math.abs(difference))} ${difference > 0 ? 'more' : fewer} than`;
}

/** Returns the ticks of an axis of numbers with their names: `12.3k` if no name loses digits, else `12,345`. */
export function numberAxis(
  least: number,
  most: number,
  isWhole: boolean,
): { readonly ticks: readonly number[]; readonly tickFormat: (value: number) => string } {
  const wanted = (most - least) / 3;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const nice = ([1, 2, 5].find((one) => one * power >= wanted) ?? 10) * power;
  const step = isWhole ? Math.max(1, nice) : nice;
  const first = Math.ceil(least / step);
  const count = Math.floor(most / step) - first + 1;
  // The product of floats such as 0.1 and 3 has too many digits.
  const ticks = Array.from({ length: count }, (_, place) => Number(((first + place) * step).toPrecision(12)));
  const unit = [1e6, 1e3].find((one) => most >= 10 * one && ticks.every((tick) => (tick * 10) % one === 0));
  const sign = unit === 1e6 ? 'M' : 'k';
  return {
    ticks,
    tickFormat: (value) =>
      unit === undefined || value === 0 ? figureText(value) : `${figureText(value / unit)}${sign}`,
  };
}

export interface TimeNames {
  /** `2026-11-22`; with the time if a day repeats. */
  readonly full: (at: string) => string;
  /** Without the year if all are of the same year. */
  readonly short: (at: string) => string;
}

/** @param times ISO 8601, UTC; equal times count once */
export function timeNames(times: readonly string[]): TimeNames {
  const known = [...new Set(times)];
  const distinct = (length: number): number => new Set(known.map((at) => at.slice(0, length))).size;
  const repeats = distinct(10) < known.length;
  const full = (at: string): string => (repeats ? at.slice(0, 16).replace('T', ' ') : at.slice(0, 10));
  const isOneDay = repeats && distinct(10) === 1;
  const from = isOneDay ? 11 : distinct(4) === 1 ? 5 : 0;
  return { full, short: (at) => full(at).slice(from) };
}
