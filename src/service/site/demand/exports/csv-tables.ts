import type { DemandTable } from '../demand-row.ts';
import { makeRecord, type NamedCells } from '../make-record.ts';
import { csvRecords } from './csv-records.ts';
import type { DecodedText } from './decode-text.ts';
import { dimensionsOf, isBulk, type NamedColumns, namedCells, namedColumns } from './named-columns.ts';
import { type DayOrder, isDay, parseDay, provenOrder } from './parse-day.ts';
import { recognizeTable, type TableShape } from './recognize-table.ts';
import { isTotalCell, type TableLine, withoutTotals } from './total-rows.ts';

/** Records below the header that a table is recognised by. */
const SAMPLE = 200;

export type CsvTable =
  | { readonly kind: 'named'; readonly table: DemandTable; readonly isBulk: boolean }
  | (Omit<Extract<TableShape, { kind: 'totals' }>, 'columns'> & {
      readonly table: DemandTable;
      readonly isEmpty: boolean;
    })
  | { readonly kind: 'filters'; readonly place: string; readonly filters: readonly (readonly string[])[] }
  | { readonly kind: 'appearance'; readonly place: string }
  | { readonly kind: 'unknown'; readonly place: string; readonly why: string };

/**
 * Recognises a CSV file by its header and its first records.
 *
 * @param dayOrder the order of days such as `7/1/2026`; null: the column has to prove it
 * @throws CrawlhouseError `usage` for days that may be read in two ways
 */
export async function recognizeCsv(
  content: DecodedText,
  dayOrder: DayOrder | null,
  signal: AbortSignal,
): Promise<CsvTable> {
  const { place } = content;
  const head: (readonly string[])[] = [];
  for await (const { cells } of csvRecords(content, signal)) {
    // Without the empty cells that a spreadsheet adds behind the last column.
    const width = head[0]?.length ?? cells.findLastIndex((one) => one.trim() !== '') + 1;
    head.push(withinWidth(cells, width));
    if (head.length > SAMPLE) break;
  }
  const [header, ...sample] = head;
  if (header === undefined) return { kind: 'unknown', place, why: 'it is empty' };
  const tableOf = async (columns: NamedColumns): Promise<DemandTable> => {
    const order = await orderOf(content, { column: columns.date, sample, given: dayOrder }, signal);
    return {
      place,
      dimensions: dimensionsOf(columns),
      records: recordsOf(content, header, columns, order),
    };
  };
  const named = namedColumns(header);
  if (named !== undefined) return { kind: 'named', table: await tableOf(named), isBulk: isBulk(header) };
  // Its row of sums does not tell what it is by.
  const plain = sample.filter(([first = '']) => !isTotalCell(first));
  const shape = recognizeTable(place, header, plain.length > 0 ? plain : sample);
  if (shape.kind === 'filters') return { kind: 'filters', place, filters: sample };
  if (shape.kind !== 'totals') return { ...shape, place };
  const { columns, ...told } = shape;
  return { ...told, table: await tableOf(columns), isEmpty: sample.length === 0 };
}

/** The order of the days of a column, of which all are read if one of the first needs it. */
async function orderOf(
  content: DecodedText,
  {
    column,
    sample,
    given,
  }: { column: number | undefined; sample: readonly (readonly string[])[]; given: DayOrder | null },
  signal: AbortSignal,
): Promise<DayOrder | undefined> {
  if (column === undefined) return undefined;
  if (given !== null) return given;
  if (sample.every((cells) => parseDay(cells[column] ?? '') !== undefined)) return undefined;
  const days = new Set<string>();
  for await (const { cells } of csvRecords(content, signal)) {
    const day = cells[column] ?? '';
    if (parseDay(day) === undefined && isDay(day)) days.add(day);
  }
  return provenOrder(days, content.place);
}

function withDay(cells: NamedCells, order: DayOrder | undefined): NamedCells {
  if (order === undefined || !cells.date) return cells;
  return { ...cells, date: parseDay(cells.date, order) ?? cells.date };
}

function recordsOf(
  content: DecodedText,
  header: readonly string[],
  columns: NamedColumns,
  order: DayOrder | undefined,
): DemandTable['records'] {
  const { place } = content;
  const width = header.length;
  const dimensions = dimensionsOf(columns);
  const lines = async function* (signal: AbortSignal): AsyncGenerator<TableLine> {
    let isHeader = true;
    for await (const { cells: all, line } of csvRecords(content, signal)) {
      const cells = all.length > width ? withinWidth(all, width) : all;
      const at = { place, line };
      if (isHeader) isHeader = false;
      else if (cells.every((one) => one.trim() === '')) continue;
      else if (cells.length === width) {
        const named = withDay(namedCells(cells, columns), order);
        const texts = dimensions.map((one) => named[one] ?? '');
        yield { record: makeRecord(named, dimensions, at), cells: named, texts, at };
      } else {
        const reason = `it has ${cells.length} cells, the header has ${width}`;
        yield { record: { reject: { ...at, reason } }, cells: {}, texts: [], at };
      }
    }
  };
  // The bulk export has no row of sums, and queries without a name.
  if (!isBulk(header)) return (signal) => withoutTotals(lines(signal));
  return async function* (signal) {
    for await (const { record } of lines(signal)) yield record;
  };
}

function withinWidth(cells: readonly string[], width: number): readonly string[] {
  return cells.slice(width).every((one) => one.trim() === '') ? cells.slice(0, width) : cells;
}
