import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { bytesAsCharacters } from '../../core/text/encodings.ts';
import { type PlausibleTime, plausibleTime } from '../../core/time/plausible-days.ts';
import {
  type DemandExport,
  type DemandTable,
  type Dimension,
  dimensionsText,
  isDetailed,
  type Period,
} from './demand-row.ts';
import { type CsvTable, recognizeCsv, type Writing } from './exports/csv-tables.ts';
import type { DecodedText } from './exports/decode-text.ts';
import type { NamedColumns } from './exports/named-columns.ts';
import { type ExportSource, pageExport, withoutPeriod } from './exports/page-export.ts';
import { parquetTable } from './exports/parquet-table.ts';
import type { DayOrder } from './exports/parse-day.ts';
import type { DecimalMark } from './exports/parse-figures.ts';
import { readZip } from './exports/read-zip.ts';
import { jsonFile } from './search-console/api-table.ts';

/** What the user states about the files. */
export interface DemandOptions {
  /** The days of totals without days of their own. */
  readonly period: Period | null;
  /** The dimensions of responses of the API, in their order. */
  readonly dimensions: readonly Dimension[] | null;
  /** The order of days such as `7/1/2026`; null: a table has to prove it. */
  readonly dayOrder?: DayOrder | null;
  /** The mark before the decimals of numbers; null: a table has to prove it. */
  readonly mark?: DecimalMark | null;
  /** The range of days that rows may have; default: according to the clock. */
  readonly range?: PlausibleTime;
}

/** A file by its kind; its hash is that of its bytes. */
type ReadTable =
  | { readonly kind: 'page'; readonly path: string; readonly tables: readonly CsvTable[] }
  | { readonly kind: 'loose'; readonly path: string; readonly tables: readonly [CsvTable] }
  | {
      readonly kind: 'rows';
      readonly path: string;
      readonly format: RowsFormat;
      readonly table: DemandTable;
      readonly provisionalFrom?: string | null;
    };
type RowsFormat = 'search_console_bulk' | 'search_console_api' | 'table';

const HINT =
  'add the zip or CSV files of Performance, Search results; Parquet or CSV of the bulk data export; or JSON answers of the API';

/**
 * Recognizes files by their content, and joins those that belong together: an archive is one export, and so are CSV
 * files of a page, tables of the bulk export, and answers of the API by the same dimensions.
 *
 * @throws CrawlhouseError `usage` for an unreadable or unknown file, or for totals without their days
 */
export async function readDemand(
  paths: readonly string[],
  options: DemandOptions,
  signal: AbortSignal,
): Promise<DemandExport[]> {
  const found: ReadTable[] = [];
  const hashes = new Map<string, string>();
  for (const path of paths) {
    signal.throwIfAborted();
    const digest = await hashOf(path, signal);
    if ([...hashes.values()].includes(digest)) continue;
    hashes.set(path, digest);
    found.push(await recognizeFile(path, options, signal));
  }
  const groups = Map.groupBy(found, groupOf(found));
  const exports: DemandExport[] = [];
  for (const group of groups.values()) {
    const files = group.map(({ path }) => path);
    const fileHashes = files.map((path) => hashes.get(path) ?? '');
    const seal = sealOf(fileHashes, options);
    exports.push(await exportOf(group, { files, fileHashes, hash: seal, options, signal }));
  }
  return exports;
}

async function exportOf(group: readonly ReadTable[], about: ExportSource): Promise<DemandExport> {
  const rows = group.flatMap((table) => (table.kind === 'rows' ? [table] : []));
  const [first] = rows;
  if (first === undefined) {
    const tables = group.flatMap((table) => (table.kind === 'rows' ? [] : table.tables));
    return await pageExport(tables, about);
  }
  const tables = rows.map(({ table }) => table);
  const undated = tables.find(({ dimensions }) => !dimensions.includes('date'));
  if (undated !== undefined && about.options.period === null) throw withoutPeriod(undated);
  const { files, fileHashes, hash } = about;
  const period = undated === undefined ? null : about.options.period;
  const [provisionalFrom] = rows.flatMap((row) => row.provisionalFrom ?? []).sort();
  return {
    format: first.format,
    engine: 'google',
    files,
    fileHashes,
    hash,
    period,
    tables,
    ...(provisionalFrom === undefined ? {} : { provisionalFrom }),
    notes:
      provisionalFrom === undefined
        ? []
        : [
            `The days from ${provisionalFrom} are provisional: Search Console had not finished counting them.`,
          ],
  };
}

async function recognizeFile(path: string, options: DemandOptions, signal: AbortSignal): Promise<ReadTable> {
  const head = await headOf(path);
  if (bytesAsCharacters(head.subarray(0, 4)) === 'PAR1') {
    const { table, isBulk } = await parquetTable(path, writingOf(options).range, signal);
    return { kind: 'rows', path, format: isBulk ? 'search_console_bulk' : 'table', table };
  }
  if (bytesAsCharacters(head.subarray(0, 2)) === 'PK') return await recognizeArchive(path, options, signal);
  if (head.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b])))
    throw unknown(path, 'it is compressed by gzip', 'unpack it first');
  if (head.subarray(0, 4).equals(Buffer.from([0xd0, 0xcf, 0x11, 0xe0]))) throw workbook(path);
  if (/^(?:\ufeff)?\s*[[{]/.test(head.toString('utf8')))
    return { kind: 'rows', path, ...(await jsonFile(path, options.dimensions, writingOf(options).range)) };
  const table = await recognizeCsv(
    { place: path, bytes: () => createReadStream(path) },
    writingOf(options),
    signal,
  );
  if (table.kind === 'unknown') throw unknown(path, table.why, HINT);
  if (table.kind !== 'named') return { kind: 'loose', path, tables: [table] };
  return { kind: 'rows', path, format: table.isBulk ? 'search_console_bulk' : 'table', table: table.table };
}

function writingOf({ dayOrder = null, mark = null, range }: DemandOptions): Writing {
  return { dayOrder, mark, range: range ?? plausibleTime(Date.now()) };
}

/** Members of a workbook of Excel, and of LibreOffice. */
const WORKBOOK_PARTS = ['xl/workbook.xml', 'content.xml'];

function workbook(path: string): CrawlhouseError {
  return unknown(
    path,
    'it is a spreadsheet',
    'export as CSV, or save each sheet as CSV (UTF-8) and add these files',
  );
}

async function recognizeArchive(
  path: string,
  options: DemandOptions,
  signal: AbortSignal,
): Promise<ReadTable> {
  const proven = new Map<string, NamedColumns>();
  const members = await readZip(path);
  if (members.some(({ name }) => WORKBOOK_PARTS.includes(name))) throw workbook(path);
  const recognize = async (member: (typeof members)[number]): Promise<CsvTable> => {
    // One member at a time is in memory while it is read.
    const content: DecodedText = {
      place: `${path}, ${member.name}`,
      async *bytes() {
        yield await member.bytes();
      },
    };
    const table = await recognizeCsv(content, writingOf(options), signal, proven);
    if (table.kind === 'totals') proven.set(table.figures.header, table.figures.columns);
    return table;
  };
  const tables: CsvTable[] = [];
  for (const member of members) tables.push(await recognize(member));
  // A table of few rows proves nothing by itself: its header matches that of another one.
  for (const [at, member] of members.entries())
    if (tables[at]?.kind === 'unknown' && proven.size > 0) tables[at] = await recognize(member);
  if (tables.some(({ kind }) => kind === 'totals')) return { kind: 'page', path, tables };
  const why = tables.flatMap((table) =>
    table.kind === 'unknown' ? [`${table.place}: ${table.why}`] : [],
  )[0];
  throw unknown(path, `no member is a table of search results${why === undefined ? '' : `; ${why}`}`, HINT);
}

/** Groups the files that form one export. Rows by other dimensions would count the same clicks twice. */
function groupOf(all: readonly ReadTable[]): (found: ReadTable) => string {
  const byRows = all.flatMap((table) => (table.kind === 'rows' ? [table.table.dimensions] : []));
  const detailed = new Set(byRows.filter(isDetailed).map(dimensionsText));
  return (found) => {
    if (found.kind === 'page') return found.path;
    if (found.kind === 'loose') return `loose ${found.tables[0].kind === 'totals' && found.tables[0].isBing}`;
    const { dimensions } = found.table;
    return detailed.size <= 1 ? found.format : `${found.format} ${dimensionsText(dimensions)}`;
  };
}

/** Identifies files by their contents and by what the user states about them. */
function sealOf(
  hashes: readonly string[],
  { period, dimensions, dayOrder = null, mark = null }: DemandOptions,
): string {
  const said = [period, dimensions, ...[dayOrder, mark].filter((one) => one !== null)];
  return hash('sha256', JSON.stringify([hashes.toSorted(), ...said]));
}

/** @throws CrawlhouseError `usage` for a missing file */
export async function hashOf(path: string, signal: AbortSignal): Promise<string> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { signal })) digest.update(chunk as Buffer);
  } catch (error) {
    signal.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw toCrawlhouseError(Object.assign(error as Error, { path }));
    throw new CrawlhouseError('usage', `there is no file ${path}`, { cause: error, hint: HINT });
  }
  return digest.digest('hex');
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function unknown(path: string, why: string, hint: string): CrawlhouseError {
  return new CrawlhouseError('usage', `${path} is not a readable export: ${why}`, { hint });
}
