import type { Escaping } from './log-text.ts';
import type { LogTime } from './log-time.ts';

/** The values of a log line, as written; empty text for missing ones. One object is reused for every line. */
export class LogLine {
  /** UTC seconds since 1970; NaN if the time is unreadable. */
  second = Number.NaN;
  /** IP address of the connection, or a comma-separated chain of addresses. */
  address = '';
  /** The header X-Forwarded-For; several, separated by commas. */
  forwarded = '';
  /** `https`, `http`, or another name of the protocol, such as `TLSv1.3`; `-` for a connection without TLS. */
  scheme = '';
  /** The port that the request was sent to. */
  port = '';
  /** Host name, with or without a port. */
  host = '';
  method = '';
  /** Path and query, or a whole URL. */
  target = '';
  /** Query string, if the format separates it from the path. */
  query = '';
  /** The first line of the request, instead of method and target: `GET /a HTTP/1.1`. */
  request = '';
  status = '';
  bytes = '';
  referer = '';
  agent = '';
  /** Whether the line has a field for the user agent, even an empty one. */
  tellsAgent = false;
  /** Whether the line has a field for the referrer, even an empty one. */
  tellsReferer = false;
  /** How the server escaped texts; null for a format with named fields. */
  escapes: Escaping | null = null;
  /** Distinguishes the line from others. */
  mark = 0;
}

export type LogField = Exclude<keyof LogLine, 'second' | 'escapes' | 'mark' | 'tellsAgent' | 'tellsReferer'>;

export function clearLine(line: LogLine): void {
  line.second = Number.NaN;
  line.address = line.forwarded = line.scheme = line.port = line.host = line.method = line.target = '';
  line.query = line.request = line.status = line.bytes = line.referer = line.agent = '';
  line.escapes = null;
  line.tellsAgent = line.tellsReferer = false;
}

/** Lines that are not log entries: blank lines, notes of journalctl, and file names that tail prints. */
export const NO_LINE = /^(?:\s*|-- .*|==> .* <==)$/;

/** Why a line is not an event, as a category of `detailed_invalid_lines` (api-spec.md §2.9). */
export type RejectReason =
  | ('not_the_format' | 'too_long')
  | ('no_url' | 'no_status' | 'no_time')
  | ('implausible_day' | 'bad_port' | 'bad_time' | 'bad_status' | 'bad_bytes');

/** How to read the plain lines of a format. */
export interface PlainShape {
  /** Whether referrer and user agent follow the size. */
  readonly hasAgent: boolean;
  readonly time: LogTime;
}

export interface LogFormat {
  /** Display name, such as `combined`. */
  readonly name: string;
  /** State from earlier lines that is needed to continue in the middle of a file; absent: none. */
  readonly state?: string;
  /** Whether the first lines of a file determine a state for all of its lines. */
  readonly learns?: boolean;
  /**
   * Reads a line into `line`, which is empty.
   *
   * @param text one byte per character (latin1), so that no byte is lost; it contains further lines
   * @param from its first character
   * @param end the first one after it
   * @returns `skip` for a line that is not an event, such as a comment
   */
  read(text: string, from: number, end: number, line: LogLine): 'event' | 'skip' | RejectReason;
  /** Set if the fast reader, which returns the same rows, can read most of the lines. */
  readonly plain?: PlainShape | undefined;
  /** The names of the formats that lines had, if there may be several. */
  readonly used?: readonly string[];
  /** Keys that the user named but no line contains, with the keys that lines contain. Null if no key is missing. */
  missing?(): { readonly keys: readonly string[]; readonly known: readonly string[] } | null;
}
