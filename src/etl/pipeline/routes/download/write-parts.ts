import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { WIDE_FIELDS } from '../../../../core/duckdb/conversion-places.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { DEFAULT_LIMITS, overLimit } from '../../../../core/net/download-limits.ts';
import { bytesText } from '../../../../core/text/amounts.ts';
import { retriable } from '../../../../core/time/retry.ts';
import type { Part } from '../../../project/model/download.ts';
import { recognizedContent } from './recognize-content.ts';
import { RecordScanner } from './record-scanner.ts';

/** The delimiter of a streamed CSV export (wire-facts.md). */
export const STREAM_DELIMITER = ';';

const MEBIBYTE = 1024 * 1024;
/** The size of a raw part in bytes. The fixed cost of a part is negligible (test/bench). */
const PART_BYTES = 32 * MEBIBYTE;
/**
 * Size of a raw part with more than `WIDE_FIELDS` fields: DuckDB converts two parts at a time within 400 MB
 * (docs/decisions/staging.md). Its reader keeps a part of CSV in one buffer of 32 MB.
 */
const WIDE_PART_BYTES = { json: 24 * MEBIBYTE, csv: 30 * MEBIBYTE };
/** Blank lines are skipped; no export has more of them. */
const MOST_BLANKS = 100_000;
/** A header line longer than this is not a header. */
const HEADER_LIMIT = 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface PartOptions {
  readonly folder: string;
  readonly format: 'csv' | 'json';
  /** The name of the whole download in messages and rejects. */
  readonly file: string;
  /** The delimiter of a CSV file; by default that of the streamed export. */
  readonly delimiter?: string;
  readonly partBytes?: number;
  /** Rows that the service reports. More rows end the download. */
  readonly mostRows?: number;
  /** Rows of the previous files of the same export; none by default. */
  readonly rowsBefore?: number;
  /** Whether it is an object of a store. */
  readonly isStored?: boolean;
  /** Bytes of the longest record. */
  readonly mostRecord?: number;
  /** Names of the requested fields. */
  readonly fields?: readonly string[];
  /** Called during a part, with the rows so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/**
 * Splits a download into raw parts on disk at record ends. A part has a temporary name until it is complete.
 *
 * @returns the header of a CSV
 * @throws CrawlhouseError `cut_short` when the bytes end within a record, `over_limit` for a record that is too long,
 *   `contract_broken` or the service's own error when they are not rows at all
 * @throws TooManyRows
 */
export async function* writeParts(
  content: AsyncIterable<Buffer>,
  options: PartOptions,
): AsyncGenerator<Part, readonly string[] | null> {
  const { format, file, fields = [], isStored } = options;
  const { mostRows = Number.POSITIVE_INFINITY, mostRecord = DEFAULT_LIMITS.record } = options;
  const pieces = recognizedContent(content, { format, file, fields, isStored });
  const head = await readHead(pieces, options);
  const scanner = new RecordScanner(format);
  const partBytes = options.partBytes ?? (fields.length > WIDE_FIELDS ? WIDE_PART_BYTES[format] : PART_BYTES);
  let nextLine = head.lines + 1;
  let index = 0;
  let part: OpenPart | null = null;
  let rows = options.rowsBefore ?? 0;
  let blanks = 0;
  /** Bytes of the incomplete record at the end of the last piece. */
  let open = 0;
  const start = (): Promise<OpenPart> =>
    openPart(join(options.folder, `part-${String(++index).padStart(5, '0')}`));
  const finish = async (whole: OpenPart): Promise<Part> => {
    const firstLine = nextLine;
    nextLine += whole.lines;
    return { ...(await finishPart(whole, options)), firstLine, header: head.header };
  };
  try {
    for (let piece: Buffer | null = head.rest; piece !== null; piece = await nextPiece(pieces)) {
      if (piece.length === 0) continue;
      const scan = scanner.scan(piece);
      rows += scan.records;
      blanks += scan.blanks;
      open = scan.end > 0 ? piece.length - scan.end : open + piece.length;
      if (rows > mostRows) throw new TooManyRows(rows);
      if (blanks > MOST_BLANKS)
        throw new CrawlhouseError('contract_broken', `${file}: more than ${MOST_BLANKS} lines are blank`);
      if (open > mostRecord) throw tooLong(file, nextLine + (part?.lines ?? 0) + scan.lines, mostRecord);
      part ??= await start();
      const full = scan.end > 0 && part.bytes + scan.end >= partBytes;
      const own = full ? piece.subarray(0, scan.end) : piece;
      if (await append(part, own, scan.records, scan.lines)) options.onRows?.(rows);
      if (!full) continue;
      const whole = part;
      part = null;
      yield await finish(whole);
      if (scan.end < piece.length) {
        part = await start();
        await append(part, piece.subarray(scan.end), 0, 0);
      }
    }
    if (!scanner.atRecordEnd) throw notWhole(file);
    if (part) {
      const whole = part;
      part = null;
      yield await finish(whole);
    }
    return head.header;
  } finally {
    await part?.handle.close();
    await pieces.return(undefined);
  }
}

/** Writes the last bytes of a part and gives it its final name. */
async function finishPart(
  whole: OpenPart,
  options: PartOptions,
): Promise<Omit<Part, 'firstLine' | 'header'>> {
  const { format, file, delimiter = STREAM_DELIMITER } = options;
  await flush(whole);
  await whole.handle.close();
  const path = `${whole.path}.${format === 'csv' ? 'csv' : 'jsonl'}`;
  await rename(`${whole.path}.partial`, path);
  return { path, format, file, rows: whole.rows, delimiter: format === 'csv' ? delimiter : null };
}

interface Head {
  /** Names in the first line of a CSV. */
  readonly header: readonly string[] | null;
  readonly lines: number;
  /** The bytes after the header, without a byte order mark. */
  readonly rest: Buffer;
}

/** Reads until the byte order mark is removed and, for CSV, the header line is complete. */
async function readHead(
  pieces: AsyncIterator<Buffer>,
  { format, file, delimiter = STREAM_DELIMITER }: PartOptions,
): Promise<Head> {
  let bytes: Buffer = Buffer.alloc(0);
  for (;;) {
    const piece = await nextPiece(pieces);
    bytes = piece ? Buffer.concat([bytes, piece]) : bytes;
    if (piece && bytes.length < BYTE_ORDER_MARK.length) continue;
    const marked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    const clean = marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
    if (format !== 'csv') return { header: null, lines: 0, rest: clean };
    const end = new RecordScanner('csv').firstEnd(clean);
    if (end !== -1) {
      const head = clean.subarray(0, end).toString('utf8');
      const header = parseHeader(head, file, delimiter);
      return { header, lines: head.split('\n').length - 1, rest: clean.subarray(end) };
    }
    if (!piece) throw notWhole(file);
    if (bytes.length > HEADER_LIMIT) {
      const problem = `${file}: no header line within the first ${HEADER_LIMIT} bytes`;
      throw new CrawlhouseError('contract_broken', problem);
    }
  }
}

async function nextPiece(pieces: AsyncIterator<Buffer>): Promise<Buffer | null> {
  const next = await pieces.next();
  return next.done ? null : next.value;
}

/** Bytes collected before a write: a call for each piece of a socket costs more than the bytes. */
const WRITE_BYTES = 2 * 1024 * 1024;

interface OpenPart {
  readonly path: string;
  readonly handle: FileHandle;
  readonly pending: Buffer[];
  pendingBytes: number;
  bytes: number;
  rows: number;
  lines: number;
}

async function openPart(path: string): Promise<OpenPart> {
  const handle = await open(`${path}.partial`, 'wx');
  return { path, handle, pending: [], pendingBytes: 0, bytes: 0, rows: 0, lines: 0 };
}

/** @returns whether the collected bytes are on disk now */
async function append(part: OpenPart, chunk: Buffer, records: number, lines: number): Promise<boolean> {
  part.pending.push(chunk);
  part.pendingBytes += chunk.length;
  part.bytes += chunk.length;
  part.rows += records;
  part.lines += lines;
  if (part.pendingBytes < WRITE_BYTES) return false;
  await flush(part);
  return true;
}

async function flush(part: OpenPart): Promise<void> {
  const pending = part.pending.splice(0);
  const total = part.pendingBytes;
  part.pendingBytes = 0;
  let { bytesWritten: at } = await part.handle.writev(pending);
  if (at === total) return;
  const whole = Buffer.concat(pending);
  while (at < total) at += (await part.handle.write(whole, at)).bytesWritten;
}

/** @param line the first line of the record */
export function tooLong(file: string, line: number, most: number): CrawlhouseError {
  return overLimit(`${file}:${line}: the record is longer than ${bytesText(most)}`, 'record', {
    hint: 'fields.exclude in the pipeline file omits long fields; limits.record may be up to 16MB',
  });
}

function notWhole(file: string): CrawlhouseError {
  return retriable('cut_short', `${file}: the last line has no newline: the file is incomplete`);
}

/**
 * Returns the column names in the header of a CSV file.
 *
 * @throws CrawlhouseError `contract_broken` if the line is not CSV with this delimiter, or a name is empty or repeated
 */
export function parseHeader(line: string, file: string, delimiter: string): string[] {
  const names = readLine(line, file, delimiter);
  const seen = new Set<string>();
  for (const name of names) {
    if (name === '' || seen.has(name)) {
      const problem = name === '' ? 'an empty name' : `the name ${JSON.stringify(name)} twice`;
      throw new CrawlhouseError('contract_broken', `${file}:1: the header has ${problem}`);
    }
    seen.add(name);
  }
  return names;
}

function readLine(line: string, file: string, delimiter: string): string[] {
  try {
    const rows: string[][] = parse(line, { delimiter, relax_column_count: true });
    return rows[0] ?? [];
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new CrawlhouseError(
      'contract_broken',
      `${file}:1: the header is not CSV with the delimiter ${JSON.stringify(delimiter)}: ${said}`,
      { cause: error },
    );
  }
}

/** The error if the service sends more rows than it reports, so that the unit cannot be correct whatever follows. */
export class TooManyRows extends Error {
  readonly rows: number;

  constructor(rows: number) {
    super(`received ${rows} rows, more than reported`);
    this.rows = rows;
  }
}
