import { isNumber, isTime } from '../../../core/duckdb/type-families.ts';
import { isDate, type SheetCell } from '../../../core/xlsx/cell.ts';
import { cellText } from '../query/result/write-result.ts';

const BEGINS_WITH_DAY = /^\d{4}-\d\d-\d\d/;

/**
 * Converts a value of an answer to a cell. Days and times are dates in UTC, numbers are numbers. Integers beyond 2^53
 * and dates outside of 1900-03-01 to 9999-12-31 are texts, because spreadsheets would change them.
 *
 * @param value as in `TypedRows`
 * @param type DuckDB's name of the type of its column
 */
export function answerCell(value: unknown, type: string): SheetCell {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value))) return value;
  const text = cellText(value);
  if (isNumber(type)) {
    const number = Number(text);
    return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
  }
  if (!isTime(type) || !BEGINS_WITH_DAY.test(text)) return text;
  const isDay = type === 'DATE';
  // TIMESTAMP_S, TIMESTAMP_MS and TIMESTAMP_NS have neither T nor Z.
  const milliseconds = Date.parse(isDay || text.endsWith('Z') ? text : `${text.replace(' ', 'T')}Z`);
  return isDate({ milliseconds, isDay }) ? { milliseconds, isDay } : text;
}
