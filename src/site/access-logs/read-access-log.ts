import type { EventRows } from './event-rows.ts';
import {
  clearLine,
  type LogFormat,
  LogLine,
  NO_LINE,
  type PlainShape,
  type RejectReason,
} from './log-line.ts';
import { PlainLines } from './plain-lines.ts';
import { LONGEST_LINE, type TextDigest } from './text-digest.ts';

/** Rows and bytes that are passed on at a time. DuckDB writes this many rows in whole groups. */
const CHUNK = { rows: 4 * 30_720, bytes: 16 * 1024 * 1024 };
/** Usual bytes of a piece. */
const PIECE = 512 * 1024;
const [NEWLINE, RETURN] = [10, 13] as const;

const BYTE_ORDER_MARK = '\xef\xbb\xbf';
/** Characters of an unreadable line that are shown. */
const SHOWN = 4096;

export interface UnreadLine {
  /** From 1. */
  readonly line: number;
  readonly reason: RejectReason;
}

export interface LogReading {
  readonly format: LogFormat;
  readonly rows: EventRows;
  /** Digest of the text before the place where reading begins; it is updated. */
  readonly digest: TextDigest;
  readonly from: number;
  /** The mark of a line, which identifies it. */
  readonly markOf: (text: DataView, from: number, end: number) => number;
  /** Whether a last line without its end counts. */
  readonly isFinal: boolean;
  readonly onReject: (reject: UnreadLine) => void;
  /** Called and awaited when rows wait. */
  readonly onRows: () => Promise<void>;
}

/**
 * Reads lines of text in constant memory.
 *
 * @param pieces the text from its first unread byte
 */
export async function readAccessLog(
  pieces: AsyncIterable<Uint8Array>,
  reading: LogReading,
  signal: AbortSignal,
) {
  const reader = new LineReader(reading);
  for await (const piece of pieces) {
    signal.throwIfAborted();
    reading.digest.take(piece);
    reader.take(piece);
    const { bytes, waiting } = reading.rows;
    if (waiting >= CHUNK.rows || bytes.size >= CHUNK.bytes) await reading.onRows();
  }
  if (reading.isFinal) {
    if (reader.rest > 0) reader.take(Buffer.from('\n'));
    reading.digest.finish();
  }
  await reading.onRows();
  const { lines, skipped, otherHosts } = reader;
  /** `unfinished`: bytes of a last line without its end, which was not read. */
  return { lines, skipped, otherHosts, unfinished: reading.digest.pending };
}

class LineReader {
  readonly #reading: LogReading;
  readonly #line = new LogLine();
  /** By their shapes: the format of a file may change. */
  readonly #plains = new Map<PlainShape | undefined, PlainLines | null>();
  /** Lines of the file up to where it was read. */
  lines: number;
  /** Comments, empty lines and messages that are not requests. */
  skipped = 0;
  /** Requests for hosts that are not the site's. */
  otherHosts = 0;
  /** The read bytes, in one reused buffer; its first `rest` bytes are the beginning of a line. */
  #bytes = Buffer.allocUnsafe(PIECE);
  rest = 0;
  /** The rest of a line is skipped, because it is too long. */
  #passesOver = false;

  constructor(reading: LogReading) {
    this.#reading = reading;
    this.lines = reading.from;
  }

  /** Reads the lines that a piece ends. */
  take(piece: Uint8Array): void {
    const length = this.rest + piece.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(length * 2);
      this.#bytes.copy(larger, 0, 0, this.rest);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.rest);
    const from = this.#read(this.#bytes.subarray(0, length));
    this.#bytes.copyWithin(0, from, length);
    this.rest = length - from;
  }

  /** Reads whole lines; returns the position of the rest. */
  #read(bytes: Buffer): number {
    let plain = this.#plain();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    plain?.begin(bytes, view);
    // Plain lines are never converted to a text.
    let text = plain === null ? bytes.toString('latin1') : '';
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      this.lines += 1;
      const stop = end > from && bytes[end - 1] === RETURN ? end - 1 : end;
      if (this.#passesOver) this.#passesOver = false;
      else if (stop === from) this.skipped += 1;
      else if (plain?.read(from, stop, this.lines) !== true) {
        if (text === '') text = bytes.toString('latin1');
        this.#readCarefully(text, view, from, stop);
        const next = this.#plain();
        if (next !== plain) next?.begin(bytes, view);
        plain = next;
      }
      from = end + 1;
    }
    if (bytes.length - from <= LONGEST_LINE) return from;
    if (!this.#passesOver) this.#reading.onReject({ line: this.lines + 1, reason: 'too_long' });
    this.#passesOver = true;
    return bytes.length;
  }

  /** Returns the fast reader for lines of the format, until it changes. */
  #plain(): PlainLines | null {
    const { format, rows, markOf } = this.#reading;
    const shape = format.plain;
    const known = this.#plains.get(shape);
    if (known !== undefined) return known;
    const plain = shape === undefined ? null : new PlainLines(rows, shape, markOf);
    this.#plains.set(shape, plain);
    return plain;
  }

  #readCarefully(text: string, view: DataView, begin: number, stop: number): void {
    const { format, rows, onReject, markOf } = this.#reading;
    const line = this.#line;
    // Each of several joined files may have a byte order mark.
    const from = text.startsWith(BYTE_ORDER_MARK, begin) ? begin + BYTE_ORDER_MARK.length : begin;
    clearLine(line);
    const found = format.read(text, from, stop, line);
    if (found === 'not_the_format' && NO_LINE.test(text.slice(from, Math.min(stop, from + SHOWN)))) {
      this.skipped += 1;
      return;
    }
    if (found === 'event') line.mark = markOf(view, from, stop);
    const added = found === 'event' ? rows.add(line, this.lines) : found;
    if (added === 'skip') this.skipped += 1;
    else if (added === 'other_host') this.otherHosts += 1;
    else if (added !== 'added') onReject({ line: this.lines, reason: added });
  }
}
