import { csvRecords } from './csv-records.ts';
import type { Content } from './decode-text.ts';
import type { DemandRecord, DemandTable, Dimension } from './demand-row.ts';
import { makeRecord, type NamedCells } from './make-record.ts';
import { dimensionsOf, isBulk, namedCells, namedColumns } from './named-columns.ts';
import { recognizeTable, type TableShape } from './recognize-table.ts';

/** Records below the header that a table is recognised by. */
const SAMPLE = 200;

/** What a CSV file is. */
export type CsvTable =
  | { readonly kind: 'named'; readonly table: DemandTable; readonly isBulk: boolean }
  | {
      readonly kind: 'totals';
      readonly table: DemandTable;
      readonly dimension: Dimension;
      readonly isBing: boolean;
      readonly isEmpty: boolean;
    }
  | { readonly kind: 'filters'; readonly place: string; readonly filters: readonly (readonly string[])[] }
  | { readonly kind: 'appearance'; readonly place: string }
  | { readonly kind: 'unknown'; readonly place: string; readonly why: string };

/** Recognises a CSV file by its header and its first records. */
export async function recognizeCsv(content: Content, signal: AbortSignal): Promise<CsvTable> {
  const { place } = content;
  const head: (readonly string[])[] = [];
  for await (const { cells } of csvRecords(content, signal)) {
    head.push(cells);
    if (head.length > SAMPLE) break;
  }
  const [header, ...sample] = head;
  if (header === undefined) return { kind: 'unknown', place, why: 'it is empty' };
  const named = namedColumns(header);
  if (named !== undefined) {
    const dimensions = dimensionsOf(named);
    const table = tableOf(content, header.length, dimensions, (cells) => namedCells(cells, named));
    return { kind: 'named', table, isBulk: isBulk(header) };
  }
  const shape = recognizeTable(place, header, sample);
  if (shape.kind === 'filters') return { kind: 'filters', place, filters: sample };
  if (shape.kind !== 'totals') return { ...shape, place };
  const table = tableOf(content, header.length, [shape.dimension], (cells) => totalsCells(cells, shape));
  return {
    kind: 'totals',
    table,
    dimension: shape.dimension,
    isBing: shape.isBing,
    isEmpty: sample.length === 0,
  };
}

function tableOf(
  content: Content,
  width: number,
  dimensions: readonly Dimension[],
  named: (cells: readonly string[]) => NamedCells,
): DemandTable {
  const { place } = content;
  return {
    place,
    dimensions,
    async *records(signal): AsyncGenerator<DemandRecord> {
      let isHeader = true;
      for await (const { cells, line } of csvRecords(content, signal)) {
        if (isHeader) isHeader = false;
        else if (cells.length === width) yield makeRecord(named(cells), dimensions, { place, line });
        else {
          const reason = `it has ${cells.length} cells, the header has ${width}`;
          yield { reject: { place, line, reason } };
        }
      }
    },
  };
}

function totalsCells(
  cells: readonly string[],
  { dimension, columns }: Extract<TableShape, { kind: 'totals' }>,
): NamedCells {
  return {
    [dimension]: cells[0] ?? null,
    clicks: cells[columns.clicks] ?? null,
    impressions: cells[columns.impressions] ?? null,
    position: columns.position === null ? null : (cells[columns.position] ?? null),
  };
}
