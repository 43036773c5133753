import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Connection, file, ident, text } from '../../../core/duckdb/duckdb.ts';
import type { Field } from '../../project/model/field.ts';
import { ROUNDED_TO_WHOLE } from './exact-json.ts';
import type { PackageColumns } from './package-columns.ts';
import { type PartFacts, usualRowSql, writePart } from './package-part.ts';
import { MAX_JSON_RECORD, type RawReader, rawReader, type TextPart } from './raw-reader.ts';
import {
  type Conversion,
  REJECTED,
  readerType,
  stoppingSql,
  strictSql,
  usualReaderType,
  usualSql,
} from './value-sql.ts';

const NEWLINE = 0x0a;

const RETURN = 0x0d;

const QUOTE = 0x22;

/**
 * Maximum rows per DuckDB vector for which unusual values mark their row. One condition per row is planned faster than
 * a CASE per value, but runs slower for each row.
 */
const MARKED_ROWS = 2048;

interface ConversionOptions {
  /** Whether values in an unusual spelling, such as `12.0` for a whole number, are converted too. */
  readonly spelling: 'usual' | 'any';
  /** The file to write. */
  readonly output: string;
}

/**
 * Converts a raw part into one Parquet file, either completely or not at all.
 *
 * @returns null when a line or value needs a closer look (`inspectPart`)
 */
export async function convertPart(
  connection: Connection,
  part: TextPart,
  columns: PackageColumns,
  { spelling, output }: ConversionOptions,
  signal: AbortSignal,
): Promise<PartFacts | null> {
  const { format } = part;
  const fields = columns.fields;
  const named = columns.columns;
  const widened = (field: Field): boolean => columns.isWidened(field.name);
  const reader = rawReader(part, fields, (field) =>
    spelling === 'usual'
      ? usualReaderType({ field, format, widened: widened(field) })
      : readerType(field, format),
  );
  const conversions = fields.map((field): Conversion => {
    const source = reader.sources.get(field.name) ?? '';
    return {
      field,
      source,
      format,
      widened: widened(field),
      numbers: format === 'json' ? 'printed' : 'sent',
    };
  });
  // Without types, the reader returns texts, which only the general form accepts.
  const usual = spelling === 'usual' && (reader.typed || format === 'csv') ? conversions.map(usualSql) : null;
  const isMarked = usual !== null && part.rows <= MARKED_ROWS;
  const values = isMarked
    ? usual.map(({ value }) => value)
    : (usual?.map(stoppingSql) ?? conversions.map(strictSql));
  const selected = values.map((value, index) => `${value} AS ${ident(named[index]?.column ?? '')}`);
  if (isMarked) selected.push(usualRowSql(usual));
  const write = async ({ sql }: RawReader): Promise<PartFacts | null> => {
    const select = `SELECT ${selected.join(', ')} FROM ${sql}`;
    const facts = await writePart(connection, select, named, { output, asked: columns, isMarked }, signal);
    return isMarked && facts.foreign ? null : facts;
  };
  try {
    if (!usual && (await mayBeRounded(connection, part, signal))) return null;
    return await write(reader);
  } catch (error) {
    if (signal.aborted || !needsInspection(error)) throw error;
    if (format !== 'csv' || String(error).includes(REJECTED)) return null;
  }
  // DuckDB cannot read its lines, perhaps only because of their ends.
  try {
    return await withLfEndings(part.path, `${output}.alike.csv`, signal, (path) =>
      write(rawReader({ ...part, path }, fields, () => 'VARCHAR')),
    );
  } catch (error) {
    if (signal.aborted || !needsInspection(error)) throw error;
    return null;
  }
}

/** Returns whether DuckDB's JSON reader could round a value to a whole number. `usualSql` accepts no such value. */
async function mayBeRounded(connection: Connection, part: TextPart, signal: AbortSignal): Promise<boolean> {
  if (part.format !== 'json') return false;
  const rows = `read_ndjson_objects(${file(part.path)}, hive_partitioning=false, maximum_object_size=${MAX_JSON_RECORD})`;
  const found = `SELECT 1 FROM ${rows} WHERE regexp_matches(json, ${text(ROUNDED_TO_WHOLE)}) LIMIT 1`;
  return (await connection.rows(found, [], signal)).length > 0;
}

/** Returns whether the error is about the data, not about memory, disk or a bug. */
export function needsInspection(error: unknown): boolean {
  const message = error instanceof Error ? error.message : String(error);
  return (
    message.includes(REJECTED) ||
    /^(Invalid Input|Conversion|Out of Range|Invalid unicode|CSV|Serialization)/i.test(message) ||
    /Malformed JSON|CSV Error|invalid unicode/i.test(message)
  );
}

/**
 * Copies a CSV with mixed record ends (CRLF and LF), each record with LF, and passes the copy to `work`. DuckDB's
 * reader needs one kind of end per file. Quoted text and any other `\r` stay unchanged.
 *
 * @param copy path of the copy, which is removed at the end
 * @returns null if all records end alike
 */
export async function withLfEndings<T>(
  path: string,
  copy: string,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T | null> {
  let lone = 0;
  let pairs = 0;
  let isQuoted = false;
  let hasReturn = false;
  const alike = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      const kept = Buffer.allocUnsafe(piece.length + 1);
      let length = 0;
      for (const byte of piece) {
        if (hasReturn) {
          hasReturn = false;
          if (byte === NEWLINE) pairs++;
          else kept[length++] = RETURN;
        } else if (byte === NEWLINE && !isQuoted) lone++;
        if (byte === QUOTE) isQuoted = !isQuoted;
        // The next byte shows whether it belongs to the end of a record.
        if (byte === RETURN && !isQuoted) hasReturn = true;
        else kept[length++] = byte;
      }
      yield kept.subarray(0, length);
    }
    if (hasReturn) yield Buffer.from([RETURN]);
  };
  try {
    await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), alike, createWriteStream(copy), {
      signal,
    });
    return lone > 0 && pairs > 0 ? await work(copy) : null;
  } finally {
    await rm(copy, { force: true });
  }
}
