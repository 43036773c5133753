import type { EventRows } from './event-rows.ts';
import { clearLine, emptyLine, type LogFormat, type RejectReason } from './log-line.ts';
import { LONGEST_LINE, type TextDigest } from './text-digest.ts';

/** Characters of rows that are handed on at once. */
const CHUNK = 16 * 1024 * 1024;
/** A line that is no event. */
export interface UnreadLine {
  /** From 1. */
  readonly line: number;
  readonly reason: RejectReason;
}

/** What became of lines that are neither events nor rejects. */
export interface LogTally {
  /** Lines of the file up to where it was read. */
  readonly lines: number;
  /** Comments, empty lines and messages that are no requests. */
  readonly skipped: number;
  /** Requests for hosts that are not the site's. */
  readonly otherHosts: number;
  /** Bytes of a last line without its end, which was not read. */
  readonly unfinished: number;
}

export interface LogReading {
  readonly format: LogFormat;
  readonly rows: EventRows;
  /** Of the text before the place where reading begins; it is moved. */
  readonly digest: TextDigest;
  /** Lines that were read before. */
  readonly from: number;
  /** The mark of a line, which tells it from others. */
  readonly markOf: (text: DataView, from: number, end: number) => number;
  /** Whether a last line without its end counts. */
  readonly isFinal: boolean;
  readonly onReject: (reject: UnreadLine) => void;
  /** Is called when rows wait, and waited for. */
  readonly onRows: () => Promise<void>;
}

/**
 * Reads the lines of a text, in memory that does not grow with it.
 *
 * @param pieces the text from its first byte that was not read
 */
export async function readLog(
  pieces: AsyncIterable<Uint8Array>,
  reading: LogReading,
  signal: AbortSignal,
): Promise<LogTally> {
  const reader = new LineReader(reading);
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    signal.throwIfAborted();
    reading.digest.take(piece);
    rest = reader.take(Buffer.concat([rest, piece]));
    if (reading.rows.size >= CHUNK) await reading.onRows();
  }
  if (reading.isFinal) {
    if (rest.length > 0) reader.take(Buffer.concat([rest, Buffer.from('\n')]));
    reading.digest.finish();
  }
  await reading.onRows();
  const { lines, skipped, otherHosts } = reader;
  return { lines, skipped, otherHosts, unfinished: reading.digest.pending };
}

class LineReader {
  readonly #reading: LogReading;
  readonly #line = emptyLine();
  lines: number;
  skipped = 0;
  otherHosts = 0;
  /** The rest of a line is passed over, because it is too long. */
  #passesOver = false;

  constructor(reading: LogReading) {
    this.#reading = reading;
    this.lines = reading.from;
  }

  /** Reads whole lines; gives back the begin of the last one. */
  take(bytes: Buffer): Buffer {
    const { format, rows, onReject, markOf } = this.#reading;
    const line = this.#line;
    const text = bytes.toString('latin1');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.lines += 1;
      const stop = end > from && text.charCodeAt(end - 1) === 13 ? end - 1 : end;
      if (this.#passesOver) this.#passesOver = false;
      else if (stop === from) this.skipped += 1;
      else {
        clearLine(line);
        const found = format.read(text, from, stop, line);
        if (found === 'event') line.mark = markOf(view, from, stop);
        const added = found === 'event' ? rows.add(line, this.lines) : found;
        if (added === 'skip') this.skipped += 1;
        else if (added === 'other_host') this.otherHosts += 1;
        else if (added !== 'added') onReject({ line: this.lines, reason: added });
      }
      from = end + 1;
    }
    if (text.length - from <= LONGEST_LINE) return bytes.subarray(from);
    if (!this.#passesOver) onReject({ line: this.lines + 1, reason: 'too_long' });
    this.#passesOver = true;
    return Buffer.alloc(0);
  }
}
