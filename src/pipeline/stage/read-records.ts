import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { readLines } from '../../core/files/read-lines.ts';
import type { RawPart } from '../../project/model/raw-part.ts';
import { quoteNumbers } from './exact-json.ts';

/** One record of a raw part, with the line it begins at; `problem` says why it is no record of the export. */
export interface RawRecord {
  readonly line: number;
  readonly problem: string | null;
  /** The text as it came: a JSON line, or the cells of a CSV record (null: an empty cell without quotes). */
  readonly text: string | null;
  /** A JSON line with its numbers in their own spelling: those with a point or an exponent as strings. */
  readonly quoted: string | null;
  readonly cells: readonly (string | null)[] | null;
}

/**
 * Reads a raw part record by record, for the few parts that hold something broken. Streams.
 *
 * @throws CrawlhouseError `contract_broken` with the line where the quotes of a CSV do not fit
 */
export async function* readRecords(part: RawPart): AsyncGenerator<RawRecord> {
  try {
    yield* part.format === 'csv' ? csvRecords(part) : jsonRecords(part);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = part.firstLine - 1 + Number(error.lines);
    throw new CrawlhouseError('contract_broken', `${part.file}:${line}: ${error.message}`, { cause: error });
  }
}

async function* jsonRecords(part: RawPart): AsyncGenerator<RawRecord> {
  for await (const { line: bytes, number } of readLines(part.path, 'latin1')) {
    if (bytes.trim() === '') continue;
    const { text, valid } = decode(bytes.replace(/\r$/, ''));
    const line = part.firstLine - 1 + number;
    const quoted = valid ? quoteNumbers(text) : null;
    const problem = !valid ? 'is not valid UTF-8' : quoted === null ? 'is not valid JSON' : null;
    yield { line, problem, text, quoted, cells: null };
  }
}

/** A value without quotes that has a `\r`. */
interface BareReturn {
  readonly bare: string;
}

/**
 * A record ends in CRLF or LF, each as it comes. A lone `\r` outside quotes may be either data or an end, so its record
 * is none.
 */
async function* csvRecords(part: RawPart): AsyncGenerator<RawRecord> {
  const width = part.header?.length ?? 0;
  const delimiter = part.delimiter ?? ';';
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    encoding: 'latin1',
    relax_column_count: true,
    relax_quotes: true,
    cast: (value, { quoting }): string | null | BareReturn => {
      if (quoting) return value;
      return value.includes('\r') ? { bare: value } : value || null;
    },
  });
  // An error of the file is the parser's too: it surfaces in the loop below.
  pipeline(createReadStream(part.path), parser).catch(() => {});
  const records: AsyncIterable<readonly (string | null | BareReturn)[]> = parser;
  let nextLine = part.firstLine;
  for await (const record of records) {
    const values = record.map((cell) => (typeof cell === 'object' ? (cell?.bare ?? null) : cell));
    const line = nextLine;
    nextLine += 1 + values.reduce((sum, value) => sum + countNewlines(value), 0);
    const hasBareReturn = record.some((cell) => cell !== null && typeof cell === 'object');
    const isBlank =
      record.length === 1 && (values[0] === null || (hasBareReturn && /^\r+$/.test(values[0] ?? '')));
    if (isBlank) continue;
    const cells = values.map((value) => (value === null ? null : decode(value)));
    const problem = !cells.every((cell) => cell?.valid ?? true)
      ? 'is not valid UTF-8'
      : hasBareReturn
        ? 'has a carriage return outside quotes'
        : record.length === width
          ? null
          : `has ${record.length} cells where the header has ${width}`;
    yield {
      line,
      problem,
      text: problem === null ? null : cells.map((cell) => cell?.text ?? '').join(delimiter),
      quoted: null,
      cells: cells.map((cell) => cell?.text ?? null),
    };
  }
}

function countNewlines(value: string | null): number {
  let count = 0;
  for (let at = value?.indexOf('\n') ?? -1; value !== null && at !== -1; at = value.indexOf('\n', at + 1))
    count++;
  return count;
}

function decode(latin1: string): { text: string; valid: boolean } {
  const bytes = Buffer.from(latin1, 'latin1');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), valid: true };
  } catch {
    // Not UTF-8: staging rejects the value.
    return { text: bytes.toString('utf8'), valid: false };
  }
}
