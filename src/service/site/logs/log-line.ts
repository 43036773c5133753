import type { Escaping } from './log-text.ts';
import type { LogTime } from './log-time.ts';

/** What a line of a log says, as it is written; empty text where it says nothing. One is used again for every line. */
export class LogLine {
  /** UTC seconds since 1970; NaN where the time can't be read. */
  second = Number.NaN;
  /** IP address of the connection, or a chain of them with commas. */
  address = '';
  /** The header X-Forwarded-For; several of them with commas. */
  forwarded = '';
  /** `https`, `http`, or what else tells the protocol, such as `TLSv1.3`; `-` for a connection without TLS. */
  scheme = '';
  /** The port that the server was asked at. */
  port = '';
  /** Host name, with or without a port. */
  host = '';
  method = '';
  /** Path and query, or a whole URL. */
  target = '';
  /** Query string, where a format has it apart from the path. */
  query = '';
  /** The first line of the request, in place of method and target: `GET /a HTTP/1.1`. */
  request = '';
  status = '';
  bytes = '';
  referer = '';
  agent = '';
  /** Whether it says its user agent, if only that there is none. */
  tellsAgent = false;
  /** How the server escaped texts; null for a format that names what it holds. */
  escapes: Escaping | null = null;
  /** What tells the line from others. */
  mark = 0;
}

export type LogField = Exclude<keyof LogLine, 'second' | 'escapes' | 'mark' | 'tellsAgent'>;

export function clearLine(line: LogLine): void {
  line.second = Number.NaN;
  line.address = line.forwarded = line.scheme = line.port = line.host = line.method = line.target = '';
  line.query = line.request = line.status = line.bytes = line.referer = line.agent = '';
  line.escapes = null;
  line.tellsAgent = false;
}

/** What is no line of a log: spaces alone, what journalctl says, and the names of files that tail shows. */
export const NO_LINE = /^(?:\s*|-- .*|==> .* <==)$/;

/** Why a line is no event, as a category of `detailed_invalid_lines` (api-spec.md §2.9). */
export type RejectReason =
  | ('not_the_format' | 'too_long')
  | ('no_url' | 'no_status' | 'no_time')
  | ('implausible_day' | 'bad_port' | 'bad_time' | 'bad_status' | 'bad_bytes');

/** What tells how the plain lines of a format are read. */
export interface PlainShape {
  /** Whether referrer and user agent follow the size. */
  readonly hasAgent: boolean;
  readonly time: LogTime;
}

export interface LogFormat {
  /** For people, such as `combined`. */
  readonly name: string;
  /** What it has to know of the lines before, to go on in the midst of a file; absent: nothing. */
  readonly state?: string;
  /** Whether the first lines of a file tell a state that all of its lines have. */
  readonly learns?: boolean;
  /**
   * Reads a line into `line`, which is clear.
   *
   * @param text one byte a character (latin1), so that no byte is lost; it has further lines
   * @param from its first character
   * @param end the first one that no longer belongs
   * @returns `skip` for a line that is no event, such as a comment
   */
  read(text: string, from: number, end: number, line: LogLine): 'event' | 'skip' | RejectReason;
  /** Whether most of its lines can be read the short way, which gives the same rows. */
  readonly plain?: PlainShape | undefined;
  /** The names of the formats that lines had, where they may have several. */
  readonly used?: readonly string[];
  /** Keys that a person named and no line had, with those that lines have; null if there are none. */
  missing?(): { readonly keys: readonly string[]; readonly known: readonly string[] } | null;
}
