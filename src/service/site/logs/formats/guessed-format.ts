import { clearLine, type LogFormat, type LogLine } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';
import { FORMAT_NAMES, formatOfName } from './known-formats.ts';
import { isName, isPlausible } from './plausible-line.ts';
import { prefixedFormat, prefixOfName } from './prefixes.ts';

/** Searches that may find nothing: a thousand, and one more for so many lines. */
const SEARCHES = 1000;
const LINES_A_SEARCH = 100;
const HASH = 35;
/** Between the name of a format and its state. */
const MARK = '\n';

/**
 * A format that was recognised and that a file may change: a line that does not have it, or has more fields, is of the
 * known format that it has, and so are those after it. A line of none is what the format before makes of it.
 *
 * @param state of the format at the place where reading goes on
 */
export function guessedFormat(name: string, time: LogTime, state: string): LogFormat {
  const prefix = prefixOfName(name);
  if (prefix !== undefined)
    return prefixedFormat(prefix, guessedFormat(name.slice(prefix.length + 1), time, state), time);
  return new GuessedFormat(name, time, state);
}

/** The name where a client's address is expected may be that of a host, before a line of another format. */
function isUnsure({ escapes, host, address }: LogLine): boolean {
  return escapes !== null && host === '' && isName(address);
}

class GuessedFormat implements LogFormat {
  readonly name: string;
  readonly #time: LogTime;
  /** Formats whose lines end where they do, and the names of those that lines had, the last one first. */
  readonly #formats = new Map<string, LogFormat>();
  #recent: readonly string[];
  #current: LogFormat;
  /** The current format, which passes over further fields. */
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
    // The time may stand in a prefix.
    const isRead = found === 'event' || found === 'no_time';
    const isOwn = isRead && isPlausible(line, this.#current.name);
    if ((isOwn && !isUnsure(line)) || (isComment && found === 'skip')) return found;
    // Columns are named before their lines.
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

  /** Another format that a line has; one that it surely has has read it, and is the current one. */
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
