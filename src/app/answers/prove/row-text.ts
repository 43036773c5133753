import { stringifyJson } from '../../../core/text/json.ts';
import type { TypedRows } from '../query/warehouse.ts';

/** Digits of a floating-point number that count: the last ones of a sum depend on the order of its rows. */
const DIGITS = 9;

/** Returns a text that is equal for equal rows. */
export function rowText(row: readonly unknown[], columns: TypedRows['columns']): string {
  return stringifyJson(row.map((value, place) => comparable(value, columns[place]?.type ?? '')));
}

function comparable(value: unknown, type: string): unknown {
  if (value === null || !/^(?:DOUBLE|FLOAT|REAL)$/i.test(type)) return value;
  const number = Number(stringifyJson(value));
  return Number.isSafeInteger(number) ? number : Number(number.toPrecision(DIGITS));
}
