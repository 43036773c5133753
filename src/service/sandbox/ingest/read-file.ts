import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CsvError, parse } from 'csv-parse';
import { CheckedBytes, UnreadableFile } from './checked-bytes.ts';
import { FieldType } from './field-type.ts';
import { type FileLayout, fileLayout, isCrawlable } from './file-layout.ts';
import { LineErrors } from './line-errors.ts';

/** The fields of the record that are known once the file is processed. */
export interface FileContent {
  readonly kind: FileLayout['kind'];
  readonly fields: Readonly<Record<string, string>>;
  readonly valid_lines: number;
  readonly invalid_lines: number;
  readonly detailed_invalid_lines: Readonly<Record<string, number>>;
  readonly lines_errors_messages: Readonly<Record<string, readonly string[]>>;
  readonly size: number;
}

const FIRST_LINE = 64 * 1024;
const LONGEST_RECORD = 256 * 1024;
const MOST_COLUMNS = 1000;
const SHOWN = 100;

/**
 * Reads an ingest file (api-spec.md §2.9), in memory that does not grow with it. Empty lines count for nothing.
 *
 * @throws UnreadableFile for what can't be read as a whole
 */
export async function readFile(path: string, signal: AbortSignal): Promise<FileContent> {
  const layout = fileLayout(await firstLine(path, signal));
  if (layout === undefined)
    throw new UnreadableFile(
      'the first line is no header whose first column is url, separated by , ; or tab',
    );
  const reader = new LineReader(layout);
  const bytes = new CheckedBytes(createReadStream(path, { signal }));
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
  return { ...reader.content(), size: bytes.characters };
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
    this.#errors.add('malformed_csv', Number(error?.lines ?? 0), error?.message ?? 'the quotes do not fit');
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
      this.#errors.add('invalid_url', line, `${cut(url)} is no absolute http or https URL`);
    else {
      this.#valid += 1;
      for (const [index, value] of record.entries()) this.#types[index]?.see(value);
    }
  }

  content(): Omit<FileContent, 'size'> {
    const names = this.#names ?? [];
    // The url is a text whatever it looks like.
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
  const bytes = new CheckedBytes(createReadStream(path, { signal, highWaterMark: FIRST_LINE }));
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
