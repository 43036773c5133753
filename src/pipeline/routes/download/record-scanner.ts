const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const SPACE = 0x20;
const TAB = 0x09;

/** The ends of the records in a chunk of text. */
export interface Scan {
  /** Records that end in this piece. */
  readonly records: number;
  /** Index behind the last record's newline; 0 when none ends here. */
  readonly end: number;
  /** Newlines up to `end`, those inside quoted values included. */
  readonly lines: number;
  /** Blank lines among them. */
  readonly blanks: number;
}

/**
 * Counts records in bytes, piece by piece, without parsing them: a newline ends a record, in CSV only outside quotes.
 * A blank line is no record; in JSON it may have spaces. State is kept for the record that the piece breaks off in.
 */
export class RecordScanner {
  readonly #csv: boolean;
  /** The bytes of a blank line. */
  readonly #blanks: readonly number[];
  #quoted = false;
  #blank = true;
  /** Newlines within the record that the last piece broke off in. */
  #openLines = 0;

  constructor(format: 'csv' | 'json') {
    this.#csv = format === 'csv';
    this.#blanks = format === 'csv' ? [RETURN] : [RETURN, SPACE, TAB];
  }

  /** True when the bytes so far end behind a newline. */
  get atRecordEnd(): boolean {
    return this.#blank && !this.#quoted;
  }

  scan(piece: Uint8Array): Scan {
    return this.#csv && (this.#quoted || piece.includes(QUOTE))
      ? this.#scanQuoted(piece)
      : this.#scanPlain(piece);
  }

  /** Index behind the first record's newline, -1 when it does not end in the piece. For a scanner at its start. */
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
