import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { type DecodedText, decodeText } from './decode-text.ts';

/** A record of a CSV file and the line that it begins on, from 1. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

/** Characters of one record: an unclosed quote would include the rest of the file. */
const MOST_CHARACTERS = 128 * 1024;
const DELIMITERS = [',', ';', '\t'] as const;
/** Characters that are searched for the delimiter. */
const HEAD = 64 * 1024;

/**
 * Returns the records of a CSV file, including the header. The delimiter is the one that occurs most often in the first
 * line.
 * Empty lines are skipped. Records end in CRLF, LF or CR.
 *
 * @throws CrawlhouseError `usage` with the line if the text is not CSV
 */
export async function* csvRecords(content: DecodedText, signal: AbortSignal): AsyncGenerator<CsvRecord> {
  const text = decodeText(content);
  let head = '';
  for (;;) {
    const { value, done } = await text.next();
    if (done) break;
    head += value;
    if (head.length > HEAD || firstLine(head).isWhole) break;
  }
  // A line of its own may declare the delimiter to spreadsheets.
  const [told = '', delimiter = delimiterOf(head)] = /^sep=([,;\t])(?:\r\n|\r|\n)/i.exec(head) ?? [];
  const parser = parse({
    delimiter,
    // Each separately: the parser would use the first one for all.
    record_delimiter: ['\r\n', '\n', '\r'],
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MOST_CHARACTERS,
  });
  const source = Readable.from(joined(head.slice(told.length), text));
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let twice = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      signal.throwIfAborted();
      // The parser counts to the end of the record, and `\r\n` within quotes twice.
      twice += countOf(record, /\r\n/g);
      yield {
        cells: record,
        line: info.lines + (told === '' ? 0 : 1) - twice - countOf(record, /\r\n|\n|\r/g),
      };
    }
  } catch (error) {
    throw asRefusal(error, content.place);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

function countOf(cells: readonly string[], pattern: RegExp): number {
  return cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0);
}

async function* joined(head: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield head;
  yield* rest;
}

/** Returns the delimiter of the first line, outside of quotes. */
function delimiterOf(head: string): string {
  const bare = firstLine(head).line.replace(/"(?:[^"]|"")*"/g, '');
  const counts = DELIMITERS.map((one) => bare.split(one).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Returns the first line that is not empty; a line end within quotes does not count. */
function firstLine(head: string): { readonly line: string; readonly isWhole: boolean } {
  const text = head.replace(/^[\r\n]+/, '');
  const line = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0] ?? '';
  return { line, isWhole: /[\r\n]/.test(text.charAt(line.length)) };
}

function asRefusal(error: unknown, place: string): unknown {
  if (!(error instanceof CsvError)) return error;
  return new CrawlhouseError('usage', `${place}, line ${Number(error.lines)}: ${error.message}`, {
    cause: error,
    hint: 'double the quotes inside a quoted cell, or export the file again',
  });
}
