import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CsvError, parse } from 'csv-parse';
import { calendarDay } from '../../core/time/calendar-day.ts';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
/** First bytes of files that are not texts but are often uploaded. */
const SIGNATURES: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['a zip archive', Buffer.from('PK\x03\x04', 'latin1')],
  ['a gzip file', Buffer.from([0x1f, 0x8b])],
  ['UTF-16 text', Buffer.from([0xff, 0xfe])],
  ['UTF-16 text', Buffer.from([0xfe, 0xff])],
];

/** Why a line of an ingest file is rejected. */
type LineProblem = 'missing_url' | 'invalid_url' | 'column_count' | 'malformed_csv';

const MOST_MESSAGES = 10;

/** How to read the lines of an ingest file. */
interface FileLayout {
  /** `seed` if a file contains only URLs. */
  readonly kind: 'ingest' | 'seed';
  readonly delimiter: string;
  readonly hasHeader: boolean;
}

const HEADER = /^("url"|url)(?:([,;\t]).*)?$/;

/** Types that a column of an ingest file can have, the narrowest first. */
const PATTERNS = {
  bool: /^(true|false)$/i,
  natural: /^(0|[1-9]\d*)$/,
  float: /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i,
  date: /^\d{4}-\d\d-\d\d$/,
} as const;

type Narrow = keyof typeof PATTERNS;

const FIRST_LINE = 64 * 1024;
const LONGEST_RECORD = 256 * 1024;
const MOST_COLUMNS = 1000;
const SHOWN = 100;

/**
 * Reads an ingest file in constant memory and returns the known fields of its record (api-spec.md §2.9). Ignores empty
 * lines.
 *
 * @throws UnreadableFile for a file that cannot be read
 */
export async function readFile(path: string, signal: AbortSignal) {
  const layout = fileLayout(await firstLine(path, signal));
  if (layout === undefined)
    throw new UnreadableFile(
      'the first line must be a header whose first column is url, separated by a comma, a semicolon or a tab',
    );
  const reader = new LineReader(layout);
  let size = 0;
  const bytes = checkedText(createReadStream(path, { signal }), (characters) => {
    size = characters;
  });
  const parser = parse({
    delimiter: layout.delimiter,
    relax_column_count: true,
    // A stray quote is part of its cell; strictly read, it would swallow the lines after it.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: LONGEST_RECORD,
    // Both are called in the order of the lines; no record is passed on.
    on_record: (record: readonly string[], { lines }) => void reader.take(record, lines),
    on_skip: (error) => void reader.skip(error),
  });
  await pipeline(Readable.from(bytes, { objectMode: false }), parser.resume());
  return { ...reader.content(), size };
}

/** The totals of the records of one file. */
class LineReader {
  readonly #layout: FileLayout;
  readonly #errors = new LineErrors();
  readonly #types: FieldType[] = [];
  #names: readonly string[] | undefined;
  #valid = 0;

  constructor(layout: FileLayout) {
    this.#layout = layout;
    if (!layout.hasHeader) this.#begin(['url']);
  }

  take(record: readonly string[], line: number): void {
    if (this.#names === undefined) this.#begin(record);
    else this.#line(record, line, this.#names);
  }

  skip(error: CsvError | undefined): void {
    if (this.#names === undefined) throw new UnreadableFile(`the header can't be read: ${error?.message}`);
    this.#errors.add('malformed_csv', Number(error?.lines ?? 0), error?.message ?? 'the quotes do not match');
  }

  #begin(names: readonly string[]): void {
    const unnamed = names.findIndex((name) => name.trim() === '');
    if (unnamed >= 0) throw new UnreadableFile(`the column ${unnamed + 1} of the header has no name`);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new UnreadableFile(`the header names the column ${cut(twice)} twice`);
    if (names.length > MOST_COLUMNS)
      throw new UnreadableFile(`the header names ${names.length} columns, more than ${MOST_COLUMNS}`);
    this.#names = names;
    for (const _ of names) this.#types.push(new FieldType());
  }

  #line(record: readonly string[], line: number, names: readonly string[]): void {
    const [url = ''] = record;
    if (record.length !== names.length)
      this.#errors.add('column_count', line, `has ${record.length} columns, not ${names.length}`);
    else if (url.trim() === '') this.#errors.add('missing_url', line, 'has no url');
    else if (!isCrawlable(url))
      this.#errors.add('invalid_url', line, `${cut(url)} is not an absolute http or https URL`);
    else {
      this.#valid += 1;
      for (const [index, value] of record.entries()) this.#types[index]?.see(value);
    }
  }

  content() {
    const names = this.#names ?? [];
    // The url is always a text.
    const types = names.map((name, index) => [name, index === 0 ? 'string' : this.#types[index]?.name]);
    return {
      kind: this.#layout.kind,
      fields: Object.fromEntries(types),
      valid_lines: this.#valid,
      invalid_lines: this.#errors.total,
      detailed_invalid_lines: this.#errors.counts,
      lines_errors_messages: this.#errors.messages,
    };
  }
}

async function firstLine(path: string, signal: AbortSignal): Promise<string> {
  let text = Buffer.alloc(0) as Buffer;
  const bytes = checkedText(createReadStream(path, { signal, highWaterMark: FIRST_LINE }));
  for await (const piece of bytes) {
    text = Buffer.concat([text, piece]);
    const end = text.findIndex((byte) => byte === 0x0a || byte === 0x0d);
    if (end >= 0) return text.subarray(0, end).toString('utf8');
    if (text.length > FIRST_LINE)
      throw new UnreadableFile(`the first line has more than ${FIRST_LINE} bytes`);
  }
  return text.toString('utf8');
}

function cut(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/**
 * The narrowest type that fits all values of a column. Empty cells are ignored; a column with only empty cells is
 * `string`.
 */
class FieldType {
  readonly #possible = new Set(Object.keys(PATTERNS) as Narrow[]);
  #seen = false;

  see(value: string): void {
    if (value === '') return;
    this.#seen = true;
    for (const type of this.#possible) if (!fits(value, type)) this.#possible.delete(type);
  }

  get name(): string {
    const [first] = this.#possible;
    return this.#seen && first !== undefined ? first : 'string';
  }
}

function fits(value: string, type: Narrow): boolean {
  return PATTERNS[type].test(value) && (type !== 'date' || calendarDay(value) !== null);
}

/**
 * Determines the layout of a file from its first line. The first column is `url`, and the character after it is the
 * delimiter. A list of URLs needs no header.
 */
function fileLayout(firstLine: string): FileLayout | undefined {
  const line = firstLine.trimEnd();
  const [header, , delimiter] = HEADER.exec(line) ?? [];
  if (header !== undefined)
    return {
      kind: delimiter === undefined ? 'seed' : 'ingest',
      delimiter: delimiter ?? ',',
      hasHeader: true,
    };
  // URLs may hold commas and semicolons, but no tabs.
  return isCrawlable(line) ? { kind: 'seed', delimiter: '\t', hasHeader: false } : undefined;
}

/** Returns whether a string is an absolute URL that can be crawled. */
function isCrawlable(text: string): boolean {
  return /^https?:\/\/[^\s"]+$/i.test(text) && URL.canParse(text);
}

/** The rejected lines: counted by category, with the first few of each category. */
class LineErrors {
  total = 0;
  readonly counts: Partial<Record<LineProblem, number>> = {};
  readonly messages: Partial<Record<LineProblem, string[]>> = {};

  add(problem: LineProblem, line: number, message: string): void {
    this.total += 1;
    this.counts[problem] = (this.counts[problem] ?? 0) + 1;
    this.messages[problem] ??= [];
    if (this.messages[problem].length < MOST_MESSAGES)
      this.messages[problem].push(`line ${line}: ${message}`);
  }
}

/** A file that can't be read at all; its message becomes `error_message`. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/**
 * Yields the bytes of UTF-8 text without a byte order mark. Finally, calls `onEnd` with the number of characters.
 *
 * @throws UnreadableFile if the text is not UTF-8, or empty
 */
async function* checkedText(
  source: AsyncIterable<Buffer>,
  onEnd?: (characters: number) => void,
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [characters, isFirst] = [0, true];
  for await (const piece of source) {
    const bytes = isFirst ? opened(piece) : piece;
    isFirst = false;
    if (bytes.includes(0)) throw new UnreadableFile('the file is not text: it contains NUL bytes');
    decode(decoder, bytes);
    characters += charactersOf(bytes);
    yield bytes;
  }
  decode(decoder, undefined);
  if (characters === 0) throw new UnreadableFile('the file is empty');
  onEnd?.(characters);
}

function opened(piece: Buffer): Buffer {
  const known = SIGNATURES.find(([, bytes]) => piece.subarray(0, bytes.length).equals(bytes));
  if (known !== undefined) throw new UnreadableFile(`the file is ${known[0]}, not text in UTF-8`);
  return piece.subarray(0, BOM.length).equals(BOM) ? piece.subarray(BOM.length) : piece;
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer | undefined): void {
  try {
    if (bytes === undefined) decoder.decode();
    else decoder.decode(bytes, { stream: true });
  } catch {
    throw new UnreadableFile('the file is not text in UTF-8');
  }
}

/** Counts the characters of UTF-8 text. Every byte except a continuation byte begins a character. */
function charactersOf(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count += 1;
  return count;
}
