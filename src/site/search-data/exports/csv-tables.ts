import type { PlausibleTime } from '../../../core/time/plausible-days.ts';
import type { DemandTable } from '../demand-row.ts';
import { makeRecord, type NamedCells } from '../make-record.ts';
import { csvRecords } from './csv-records.ts';
import { DecimalProof } from './decimal-mark.ts';
import type { DecodedText } from './decode-text.ts';
import { otherReport, otherText } from './figure-names.ts';
import { dimensionsOf, isBulk, type NamedColumns, namedCells, namedColumns } from './named-columns.ts';
import { type DayOrder, DayProof, parseDay } from './parse-day.ts';
import type { DecimalMark } from './parse-figures.ts';
import { figureHeader, recognizeTable, type TableShape } from './recognize-table.ts';
import { isTotalCell, type TableLine, withoutTotals } from './total-rows.ts';

/** Records below the header that identify a table. */
const SAMPLE = 200;
/** Records that may precede the header of another report. */
const MOST_TITLES = 16;

export type CsvTable =
  | { readonly kind: 'named'; readonly table: DemandTable; readonly isBulk: boolean }
  | (Omit<Extract<TableShape, { kind: 'totals' }>, 'columns'> & {
      readonly table: DemandTable;
      readonly isEmpty: boolean;
      /** The header of its figures, and their positions. */
      readonly figures: { readonly header: string; readonly columns: NamedColumns };
    })
  | { readonly kind: 'filters'; readonly place: string; readonly filters: readonly (readonly string[])[] }
  | { readonly kind: 'appearance'; readonly place: string }
  | { readonly kind: 'unknown'; readonly place: string; readonly why: string };

/** The notation of a table that the user states; null: the table has to prove it. */
export interface Writing {
  /** The order of days such as `7/1/2026`. */
  readonly dayOrder: DayOrder | null;
  readonly mark: DecimalMark | null;
  /** The range of days that rows may have. */
  readonly range: PlausibleTime;
}

/**
 * Recognizes a CSV export by its header and its first records.
 *
 * @param proven headers of figures that another table of the export has proven
 * @throws CrawlhouseError `usage` for ambiguous days or numbers
 */
export async function recognizeCsv(
  content: DecodedText,
  writing: Writing,
  signal: AbortSignal,
  proven?: ReadonlyMap<string, NamedColumns>,
): Promise<CsvTable> {
  const { place } = content;
  const head: (readonly string[])[] = [];
  for await (const { cells } of csvRecords(content, signal)) {
    // Without the empty cells that a spreadsheet adds after the last column.
    const width = head[0]?.length ?? cells.findLastIndex((cell) => cell.trim() !== '') + 1;
    head.push(withinWidth(cells, width));
    if (head.length > SAMPLE) break;
  }
  const [header, ...sample] = head;
  if (header === undefined) return { kind: 'unknown', place, why: 'it is empty' };
  const tableOf = async (columns: NamedColumns): Promise<DemandTable> => {
    const proof = isBulk(header)
      ? MACHINE
      : await proveWriting(content, { columns, writing, header }, signal);
    return {
      place,
      dimensions: dimensionsOf(columns),
      writing: writingText(proof),
      records: recordsOf(content, header, columns, { ...proof, range: writing.range }),
    };
  };
  const named = namedColumns(header);
  const isOther = !isBulk(header) && otherReport(header) !== undefined;
  if (named !== undefined && !isOther)
    return { kind: 'named', table: await tableOf(named), isBulk: isBulk(header) };
  // Its row of sums says nothing about the dimension.
  const plain = sample.filter(([first = '']) => !isTotalCell(first));
  const shape = recognizeTable(place, header, plain.length > 0 ? plain : sample, proven);
  if (shape.kind === 'filters') return { kind: 'filters', place, filters: sample };
  if (shape.kind === 'unknown') {
    // Other reports have titles and comments above their header.
    const other = head
      .slice(1, MOST_TITLES)
      .map(otherReport)
      .find((one) => one !== undefined);
    return { ...shape, place, why: other === undefined ? shape.why : otherText(other) };
  }
  if (shape.kind !== 'totals') return { ...shape, place };
  const { columns, ...told } = shape;
  const figures = { header: figureHeader(header), columns };
  return { ...told, figures, table: await tableOf(columns), isEmpty: sample.length === 0 };
}

/** The notation of days and numbers in a table. */
interface ProvenWriting {
  /** Undefined if each day is unambiguous. */
  readonly order: DayOrder | undefined;
  readonly mark: DecimalMark;
}
function writingText({ order, mark }: ProvenWriting): string {
  const days = { dmy: ', the day before the month', mdy: ', the month before the day' };
  return `a decimal ${mark}${order === undefined ? '' : days[order]}`;
}

const MACHINE: ProvenWriting = { order: undefined, mark: 'point' };

/** Reads all rows: the whole table has one notation. */
async function proveWriting(
  content: DecodedText,
  {
    columns,
    writing,
    header,
  }: { readonly columns: NamedColumns; readonly writing: Writing; readonly header: readonly string[] },
  signal: AbortSignal,
): Promise<ProvenWriting> {
  const { date } = columns;
  const days = new DayProof();
  const decimals = new DecimalProof(columns);
  let isHeader = true;
  for await (const { cells } of csvRecords(content, signal)) {
    if (isHeader) isHeader = false;
    else if (cells.length >= header.length) {
      if (date !== undefined) days.add(cells[date] ?? '');
      decimals.add(cells);
    }
  }
  return {
    order: writing.dayOrder ?? days.order(content.place),
    mark: writing.mark ?? decimals.mark(content.place),
  };
}

function withDay(cells: NamedCells, order: DayOrder | undefined): NamedCells {
  if (order === undefined || !cells.date) return cells;
  return { ...cells, date: parseDay(cells.date, order) ?? cells.date };
}

function recordsOf(
  content: DecodedText,
  header: readonly string[],
  columns: NamedColumns,
  { order, mark, range }: ProvenWriting & Pick<Writing, 'range'>,
): DemandTable['records'] {
  const { place } = content;
  const width = header.length;
  const dimensions = dimensionsOf(columns);
  const lines = async function* (signal: AbortSignal): AsyncGenerator<TableLine> {
    let isHeader = true;
    for await (const { cells: all, line } of csvRecords(content, signal)) {
      const cells = all.length > width ? withinWidth(all, width) : all;
      const at = { place, line, mark, range };
      if (isHeader) isHeader = false;
      // Concatenated tables repeat their header.
      else if (cells.every((cell, column) => cell.trim() === '' || cell === header[column])) continue;
      else if (cells.length === width) {
        const named = withDay(namedCells(cells, columns), order);
        const texts = dimensions.map((dimension) => named[dimension] ?? '');
        yield { record: makeRecord(named, dimensions, at), cells: named, texts, at };
      } else {
        const reason = `it has ${cells.length} cells, the header has ${width}`;
        yield { record: { reject: { place, line, reason } }, cells: {}, texts: [], at };
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
  return cells.slice(width).every((cell) => cell.trim() === '') ? cells.slice(0, width) : cells;
}
