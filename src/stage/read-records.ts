import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import type { RawPart } from '../model/raw-part.ts';

/** One record of a raw part, with the line it begins at; `problem` says why it is no record of the export. */
export interface RawRecord {
  readonly line: number;
  readonly problem: string | null;
  /** The text as it came: a JSON line, or the cells of a CSV record (null: an empty cell without quotes). */
  readonly text: string | null;
  readonly cells: readonly (string | null)[] | null;
}

/** Reads a raw part record by record, for the few parts that hold something broken. Streams. */
export function readRecords(part: RawPart): AsyncGenerator<RawRecord> {
  return part.format === 'csv' ? csvRecords(part) : jsonRecords(part);
}

async function* jsonRecords(part: RawPart): AsyncGenerator<RawRecord> {
  let line = part.firstLine - 1;
  // latin1 keeps every byte, so that broken UTF-8 can be told from the rest.
  const lines = createInterface({
    input: createReadStream(part.path, 'latin1'),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const bytes of lines) {
    line++;
    if (bytes.trim() === '') continue;
    const { text, valid } = decode(bytes);
    yield { line, problem: valid ? null : 'is not valid UTF-8', text, cells: null };
  }
}

async function* csvRecords(part: RawPart): AsyncGenerator<RawRecord> {
  const width = part.header?.length ?? 0;
  const delimiter = part.delimiter ?? ';';
  const parser = parse({
    delimiter,
    encoding: 'latin1',
    relax_column_count: true,
    relax_quotes: true,
    info: true,
    skip_empty_lines: true,
    cast: (value, context) => (value === '' && !context.quoting ? null : value),
  });
  const records = Readable.from(createReadStream(part.path)).pipe(parser) as AsyncIterable<{
    record: (string | null)[];
    info: { lines: number };
  }>;
  let lastLine = part.firstLine - 1;
  for await (const { record, info } of records) {
    const line = lastLine + 1;
    lastLine = part.firstLine - 1 + info.lines;
    const cells = record.map((cell) => (cell === null ? null : decode(cell)));
    const valid = cells.every((cell) => cell?.valid ?? true);
    const problem = !valid
      ? 'is not valid UTF-8'
      : record.length === width
        ? null
        : `has ${record.length} cells where the header has ${width}`;
    yield {
      line,
      problem,
      text: problem === null ? null : cells.map((cell) => cell?.text ?? '').join(delimiter),
      cells: cells.map((cell) => cell?.text ?? null),
    };
  }
}

function decode(latin1: string): { text: string; valid: boolean } {
  const bytes = Buffer.from(latin1, 'latin1');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), valid: true };
  } catch {
    return { text: bytes.toString('utf8'), valid: false };
  }
}
