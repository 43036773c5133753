const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const SPACE = 0x20;
const TAB = 0x09;

/** The ends of the records in a chunk of text. */
export interface Scan {
  /** Records that end in this piece. */
  readonly records: number;
  /** Index after the last record's newline; 0 when no record ends here. */
  readonly end: number;
  /** Newlines up to `end`, including those in quoted values. */
  readonly lines: number;
  /** Blank lines among these lines. */
  readonly blanks: number;
}

/**
 * Counts records in a byte stream, piece by piece, without parsing them. A newline ends a record; in CSV, only outside
 * quotes. A blank line is not a record; in JSON, it may contain spaces. The state includes a record that a piece leaves
 * incomplete.
 */
export class RecordScanner {
  readonly #csv: boolean;
  /** The bytes of a blank line. */
  readonly #blanks: readonly number[];
  #quoted = false;
  #blank = true;
  /** Newlines within the incomplete record at the end of the last piece. */
  #openLines = 0;

  constructor(format: 'csv' | 'json') {
    this.#csv = format === 'csv';
    this.#blanks = format === 'csv' ? [RETURN] : [RETURN, SPACE, TAB];
  }

  /** Whether the bytes so far end after a newline. */
  get atRecordEnd(): boolean {
    return this.#blank && !this.#quoted;
  }

  scan(piece: Uint8Array): Scan {
    return this.#csv && (this.#quoted || piece.includes(QUOTE))
      ? this.#scanQuoted(piece)
      : this.#scanPlain(piece);
  }

  /**
   * Returns the index after the first record's newline, -1 when it does not end in the piece. For a scanner at its
   * start.
   */
  firstEnd(piece: Uint8Array): number {
    let quoted = false;
    for (let at = 0; at < piece.length; at++) {
      if (this.#csv && piece[at] === QUOTE) quoted = !quoted;
      else if (piece[at] === NEWLINE && !quoted) return at + 1;
    }
    return -1;
  }

  #scanPlain(piece: Uint8Array): Scan {
    let records = 0;
    let blanks = 0;
    let lines = this.#openLines;
    let end = 0;
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, end)) {
      const blank = this.#blank && this.#isBlank(piece, end, at);
      if (blank) blanks++;
      else records++;
      lines++;
      end = at + 1;
      this.#blank = true;
    }
    if (end < piece.length) this.#blank = this.#blank && this.#isBlank(piece, end, piece.length);
    if (end === 0) return { records, end, lines: 0, blanks };
    this.#openLines = 0;
    return { records, end, lines, blanks };
  }

  #scanQuoted(piece: Uint8Array): Scan {
    let records = 0;
    let blanks = 0;
    let lines = this.#openLines;
    let linesAtEnd = 0;
    let end = 0;
    let quoted = this.#quoted;
    let blank = this.#blank;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (byte === QUOTE) {
        quoted = !quoted;
        blank = false;
      } else if (byte === NEWLINE) {
        lines++;
        if (quoted) continue;
        if (blank) blanks++;
        else records++;
        blank = true;
        end = at + 1;
        linesAtEnd = lines;
      } else if (byte !== RETURN) blank = false;
    }
    this.#quoted = quoted;
    this.#blank = blank;
    this.#openLines = lines - linesAtEnd;
    return { records, end, lines: linesAtEnd, blanks };
  }

  #isBlank(piece: Uint8Array, from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (!this.#blanks.includes(piece[at] ?? 0)) return false;
    return true;
  }
}
