import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { PlausibleTime } from '../../../core/time/plausible-days.ts';
import type { DemandRecord, DemandTable } from '../demand-row.ts';
import { makeRecord } from '../make-record.ts';
import { otherReport } from './figure-names.ts';
import { dimensionsOf, isBulk, namedCells, namedColumns } from './named-columns.ts';

/**
 * Returns a table of JSON records whose keys are column names: `{"date": …, "page": …, "clicks": 1, "impressions": 2}`.
 *
 * @returns undefined for records of another form, such as those of the API
 * @throws CrawlhouseError `usage` for records of another report
 */
export function jsonTable(
  records: readonly unknown[],
  path: string,
  range: PlausibleTime,
): { readonly table: DemandTable; readonly isBulk: boolean } | undefined {
  const objects = records.filter(
    (record): record is object => typeof record === 'object' && record !== null && !Array.isArray(record),
  );
  if (objects.length === 0 || objects.length < records.length || objects.some((object) => 'keys' in object))
    return undefined;
  const header = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  // An error of the API is one key.
  const other = isBulk(header) || header.length === 1 ? undefined : otherReport(header);
  if (other !== undefined)
    throw new CrawlhouseError(
      'usage',
      `${path} has records of ${other.report}, according to the key ${JSON.stringify(other.column)}`,
    );
  const columns = namedColumns(header, 1);
  if (columns === undefined) return undefined;
  const dimensions = dimensionsOf(columns);
  const counts = new Set([columns.clicks, columns.impressions].map((at) => header[at ?? -1]));
  return {
    isBulk: isBulk(header),
    table: {
      place: path,
      dimensions,
      async *records(signal): AsyncGenerator<DemandRecord> {
        for (const [index, one] of objects.entries()) {
          signal.throwIfAborted();
          const entries = new Map<string, unknown>(Object.entries(one));
          const cells = header.map((name) => textOf(entries.get(name), counts.has(name)));
          const place = `${path}, record ${index + 1}`;
          yield makeRecord(namedCells(cells, columns), dimensions, { place, line: null, range });
        }
      },
    },
  };
}

/** Returns a value as the text of a table cell. */
function textOf(value: unknown, isCount: boolean): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'number') return String(value);
  return isCount ? countText(value) : decimalText(value);
}

/** Writes fractions with an exponent: `1.234` would be read as 1,234, as in tables. */
export function countText(value: number | bigint): string {
  return typeof value === 'bigint' || Number.isInteger(value) ? String(value) : value.toExponential();
}

/** Writes a number without an exponent, which very small numbers would have. */
export function decimalText(value: number): string {
  return value < 1e-6 ? '0' : String(value);
}
