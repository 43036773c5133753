import { clearLine, type LogFormat, type LogLine } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';
import { FORMAT_NAMES, formatOfName } from './known-formats.ts';
import { isName, isPlausible } from './plausible-line.ts';
import { prefixedFormat, prefixOfName } from './prefixes.ts';

/** The limit of fruitless searches: a thousand, plus one for a number of lines. */
const SEARCHES = 1000;
const LINES_A_SEARCH = 100;
const HASH = 35;
/** Between the name of a format and its state. */
const MARK = '\n';

/**
 * Returns a recognized format that can change within a file: a line of another known format, or with more fields,
 * switches to the format that fits it, also for the lines after it. A line that fits no format is read with the current
 * one.
 *
 * @param state of the format at the place where reading continues
 */
export function guessedFormat(name: string, time: LogTime, state: string): LogFormat {
  const prefix = prefixOfName(name);
  if (prefix !== undefined)
    return prefixedFormat(prefix, guessedFormat(name.slice(prefix.length + 1), time, state), time);
  return new GuessedFormat(name, time, state);
}

/**
 * Returns whether the guess is uncertain. The name in the position of a client's address may be a host, until a line of
 * another format is read.
 */
function isUnsure({ escapes, host, address }: LogLine): boolean {
  return escapes !== null && host === '' && isName(address);
}

class GuessedFormat implements LogFormat {
  readonly name: string;
  readonly #time: LogTime;
  /** Formats that must match to the end of the line, and the names of those that lines had, the last one first. */
  readonly #formats = new Map<string, LogFormat>();
  #recent: readonly string[];
  #current: LogFormat;
  /** The current format, which ignores further fields. */
  #lenient: LogFormat;
  #lines = 0;
  #failed = 0;

  constructor(name: string, time: LogTime, state: string) {
    this.name = name;
    this.#time = time;
    const mark = state.indexOf(MARK);
    const current = mark < 0 ? name : state.slice(0, mark);
    const own = mark < 0 ? state : state.slice(mark + 1);
    this.#current = formatOfName(current, time, own, true);
    this.#lenient = this.#current.state === undefined ? formatOfName(current, time) : this.#current;
    this.#formats.set(current, this.#current);
    this.#recent = [current];
  }

  get state(): string {
    const own = this.#current.state ?? '';
    return this.#current.name === this.name ? own : `${this.#current.name}${MARK}${own}`;
  }

  get plain() {
    return this.#current.plain;
  }

  get used(): readonly string[] {
    return this.#recent.toReversed();
  }

  read(text: string, from: number, end: number, line: LogLine): ReturnType<LogFormat['read']> {
    this.#lines += 1;
    const found = this.#current.read(text, from, end, line);
    const isComment = text.charCodeAt(from) === HASH;
    // The time may be in a prefix.
    const isRead = found === 'event' || found === 'no_time';
    const isOwn = isRead && isPlausible(line, this.#current.name);
    if ((isOwn && !isUnsure(line)) || (isComment && found === 'skip')) return found;
    // Columns are declared before their lines.
    if (isComment) return this.#formatOf('w3c').read(text, from, end, line);
    if (this.#failed < SEARCHES + this.#lines / LINES_A_SEARCH) {
      const other = this.#search(text, from, end, line);
      if (other?.isSure) return 'event';
      this.#failed += 1;
      if (other !== undefined && !isOwn) this.#change(other.format);
      if (other !== undefined || isOwn) {
        clearLine(line);
        return this.#current.read(text, from, end, line);
      }
    }
    if (found !== 'event' && (found === 'skip' || this.#lenient === this.#current)) return found;
    clearLine(line);
    return this.#lenient.read(text, from, end, line);
  }

  /** Another format that fits a line. If it certainly fits, it has read the line and becomes the current format. */
  #search(text: string, from: number, end: number, line: LogLine) {
    let unsure: LogFormat | undefined;
    for (const name of new Set([...this.#recent, ...FORMAT_NAMES])) {
      const format = this.#formatOf(name);
      if (format === this.#current) continue;
      clearLine(line);
      if (format.read(text, from, end, line) !== 'event' || !isPlausible(line, name)) continue;
      if (isUnsure(line)) unsure ??= format;
      else {
        this.#change(format);
        return { format, isSure: true };
      }
    }
    return unsure === undefined ? undefined : { format: unsure, isSure: false };
  }

  #change(format: LogFormat): void {
    this.#current = format;
    this.#lenient = format.state === undefined ? formatOfName(format.name, this.#time) : format;
    this.#recent = [format.name, ...this.#recent.filter((one) => one !== format.name)];
  }

  #formatOf(name: string): LogFormat {
    const known = this.#formats.get(name);
    if (known !== undefined) return known;
    const format = formatOfName(name, this.#time, '', true);
    this.#formats.set(name, format);
    return format;
  }
}
