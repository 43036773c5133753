import type { EventRows } from './event-rows.ts';
import { clearLine, emptyLine, type LogFormat, type RejectReason } from './log-line.ts';

/** Characters of rows that are handed on at once. */
const CHUNK = 16 * 1024 * 1024;
/** Bytes of the longest line. */
const LONGEST_LINE = 1024 * 1024;
/** Bytes that tell a file from others: its first ones, and the last ones that were read. */
export const HEAD_BYTES = 4096;

/** A line that is no event. */
export interface Reject {
  /** From 1. */
  readonly line: number;
  readonly reason: RejectReason;
}

export interface LogPosition {
  /** Bytes of the text that were read, up to the end of a line. */
  offset: number;
  /** Lines that were read. */
  lines: number;
  /** The last bytes before `offset`, at most `HEAD_BYTES`. */
  tail: string;
}

/** What became of lines that are neither events nor rejects. */
export interface LogTally {
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
  /** Where to go on; it is moved. */
  readonly position: LogPosition;
  /** Whether a last line without its end counts. */
  readonly isFinal: boolean;
  readonly onReject: (reject: Reject) => void;
  /** Is called when rows wait, and waited for. */
  readonly onRows: () => Promise<void>;
}

/**
 * Reads the lines of a text from where `position` says, in memory that does not grow with it.
 *
 * @param pieces the text from its first byte that was not read
 */
export async function readLog(
  pieces: AsyncIterable<Uint8Array>,
  reading: LogReading,
  signal: AbortSignal,
): Promise<LogTally> {
  const reader = new LineReader(reading);
  let rest = '';
  for await (const piece of pieces) {
    signal.throwIfAborted();
    rest = reader.take(rest + asBytes(piece));
    if (reading.rows.size >= CHUNK) await reading.onRows();
  }
  if (rest.length > 0 && reading.isFinal) {
    reader.take(`${rest}\n`);
    reading.position.offset -= 1;
    reading.position.tail = reading.position.tail.slice(0, -1);
    rest = '';
  }
  await reading.onRows();
  return { skipped: reader.skipped, otherHosts: reader.otherHosts, unfinished: rest.length };
}

/** Bytes as a text with one character each. */
function asBytes(piece: Uint8Array): string {
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
}

class LineReader {
  readonly #reading: LogReading;
  readonly #line = emptyLine();
  skipped = 0;
  otherHosts = 0;
  /** The rest of a line is passed over, because it is too long. */
  #passesOver = false;

  constructor(reading: LogReading) {
    this.#reading = reading;
  }

  /** Reads whole lines; gives back the begin of the last one. */
  take(text: string): string {
    const { format, rows, position, onReject } = this.#reading;
    const line = this.#line;
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      position.lines += 1;
      const stop = end > from && text.charCodeAt(end - 1) === 13 ? end - 1 : end;
      if (this.#passesOver) this.#passesOver = false;
      else if (stop === from) this.skipped += 1;
      else {
        clearLine(line);
        const found = format.read(text, from, stop, line);
        const added = found === 'event' ? rows.add(line, position.lines) : found;
        if (added === 'skip') this.skipped += 1;
        else if (added === 'other_host') this.otherHosts += 1;
        else if (added !== 'added') onReject({ line: position.lines, reason: added });
      }
      from = end + 1;
    }
    this.#move(text, from);
    if (text.length - from <= LONGEST_LINE) return text.slice(from);
    if (!this.#passesOver) onReject({ line: position.lines + 1, reason: 'too_long' });
    this.#passesOver = true;
    this.#move(text.slice(from), text.length - from);
    return '';
  }

  #move(text: string, by: number): void {
    if (by === 0) return;
    const { position } = this.#reading;
    position.offset += by;
    const read = text.slice(Math.max(0, by - HEAD_BYTES), by);
    // A copy, as a part of a string keeps the whole of it.
    position.tail = Buffer.from((position.tail + read).slice(-HEAD_BYTES), 'latin1').toString('latin1');
  }
}
