import type { LogFormat } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';
import { parseJsonLine } from './json-format.ts';

/** Where a line is after a prefix. */
interface Inner {
  /** The text that contains the line, and its position there. */
  readonly text: string;
  readonly from: number;
  readonly end: number;
  /** The program that wrote it, if the prefix names it. */
  readonly program: string;
  /** Whether the next line continues it. */
  readonly isPart: boolean;
  /** The text of the prefix, which may contain the time of a line without one. */
  readonly prefix: string;
}

/** How a log shipper writes a line; undefined for a line without the prefix. */
type Unwrap = (text: string, from: number, end: number) => Inner | undefined;

const DAY = String.raw`[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?`;
const ISO = String.raw`\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`;
/** The beginning of an IPv6 address is not a tag: a tag is followed by a space. */
const TAG = String.raw`([\w./()-]+)(?:\[[\w.]+\]: ?|: )`;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/;
const COLOUR = String.raw`(?:\x1b\[[\d;]*m)*`;

/** Programs that put a prefix before each line, in the order in which they are tried. */
const PREFIXES = {
  docker: json(['log'], 'stream'),
  journald: json(['MESSAGE'], 'SYSLOG_IDENTIFIER'),
  // https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
  cri: pattern(new RegExp(String.raw`${ISO} (stdout|stderr) ([FP])(?::\S*)? `, 'y')),
  // RFC 3164 with and without a priority or a host, RFC 5424, also as Heroku writes it, and what rsyslog and journalctl write.
  syslog: pattern(
    new RegExp(
      String.raw`(?:<\d{1,3}>)?(?:(?:${DAY}|(?:[A-Z][a-z]{2} )?${ISO}(?: [A-Z]{3,4})?|\d{10}\.\d{6}) (?:\S+ )?${TAG}|1 ${ISO} \S+ (\S+) \S+ \S+ (?:(?:-|(?:\[(?:[^\]\\]|\\.)*\])+)(?: |$))?(?:\xef\xbb\xbf)?)`,
      'y',
    ),
  ),
  compose: pattern(new RegExp(String.raw`${COLOUR}([\w.-]+) +\|${COLOUR} (?:${ISO} )?`, 'y')),
  kubectl: pattern(new RegExp(String.raw`\[(pod/[^\]\s]+)\] (?:${ISO} )?`, 'y')),
  // Google's Cloud Logging has `textPayload`, Loki `line`.
  message: json(['message', 'textPayload', 'line'], 'program'),
  csv: unquoted,
  timestamp: pattern(new RegExp(`()${ISO} `, 'y')),
} as const satisfies Readonly<Record<string, Unwrap>>;
export type PrefixName = keyof typeof PREFIXES;
export const PREFIX_NAMES = Object.keys(PREFIXES) as readonly PrefixName[];

/** Returns the prefix that the name of a format begins with, such as `syslog` of `syslog:combined`. */
export function prefixOfName(name: string): PrefixName | undefined {
  return PREFIX_NAMES.find((one) => name.startsWith(`${one}:`));
}

/** Returns a line without its prefix; undefined if it has none. */
export function withoutPrefix(prefix: PrefixName, line: string): string | undefined {
  const inner = PREFIXES[prefix](line, 0, line.length);
  return inner?.text.slice(inner.from, inner.end);
}

/**
 * Characters per part. Docker splits lines into pieces of 16 KiB. A log shipper may remove the line ends of its
 * records.
 */
const PART = 16_000;
/** Characters of a line that arrived in parts. */
const LONGEST = 1024 * 1024;

/** Returns a format after a prefix. Lines of other programs, and errors, are ignored. */
export function prefixedFormat(prefix: PrefixName, format: LogFormat, time: LogTime): LogFormat {
  const programs = new Set<string>();
  const parts = new Map<string, string>();
  return {
    name: `${prefix}:${format.name}`,
    learns: format.learns ?? false,
    get state() {
      return format.state ?? '';
    },
    get used() {
      return (format.used ?? []).map((one) => `${prefix}:${one}`);
    },
    ...(format.missing === undefined ? {} : { missing: () => format.missing?.() ?? null }),
    read(text, from, end, line) {
      const inner = PREFIXES[prefix](text, from, end);
      if (inner === undefined) return 'not_the_format';
      if (inner.from === inner.end) return 'skip';
      const { program } = inner;
      const before = parts.get(program) ?? '';
      if (inner.isPart) {
        if (before.length < LONGEST) parts.set(program, before + inner.text.slice(inner.from, inner.end));
        return 'skip';
      }
      let found: ReturnType<LogFormat['read']>;
      if (before === '') found = format.read(inner.text, inner.from, inner.end, line);
      else {
        parts.delete(program);
        const whole = before + inner.text.slice(inner.from, inner.end);
        found = format.read(whole, 0, whole.length, line);
      }
      if (found === 'no_time') {
        line.second = time.iso(TIME.exec(inner.prefix)?.[0] ?? '');
        if (!Number.isNaN(line.second)) found = 'event';
      }
      if (found === 'event') programs.add(program);
      else if (!programs.has(program) || program === 'stderr') return 'skip';
      return found;
    },
  };
}

function pattern(expression: RegExp): Unwrap {
  return (text, from, end) => {
    expression.lastIndex = from;
    const found = expression.exec(text);
    if (found === null || expression.lastIndex > end) return undefined;
    return {
      text,
      from: expression.lastIndex,
      end,
      program: found.slice(1).find((one) => one !== undefined) ?? '',
      prefix: text.slice(from, expression.lastIndex),
      isPart: found[2] === 'P' && (found[1] === 'stdout' || found[1] === 'stderr'),
    };
  };
}

/** Returns a whole line that is a CSV cell, as written by spreadsheets. */
function unquoted(text: string, from: number, end: number): Inner | undefined {
  const stop = text.slice(from, end).replace(/,+$/, '').length + from;
  const cell = text.slice(from + 1, stop - 1);
  if (text[from] !== '"' || text[stop - 1] !== '"' || cell.replaceAll('""', '').includes('"'))
    return undefined;
  const inner = cell.replaceAll('""', '"');
  return { text: inner, from: 0, end: inner.length, program: '', isPart: false, prefix: '' };
}

/** Records whose message is a line. A line without its end continues in the next record. */
function json(messages: readonly string[], program: string): Unwrap {
  return (line, from, end) => {
    if (line.charCodeAt(from) !== 123) return undefined;
    const record = parseJsonLine(line.slice(from, end));
    // journald writes bytes for a message that is not a text.
    const found = messages.map((key) => record?.[key]).find((one) => one !== undefined);
    const text = Array.isArray(found) ? Buffer.from(found).toString('latin1') : found;
    if (typeof text !== 'string') return undefined;
    const isDocker = messages[0] === 'log';
    const hasEnd = text.endsWith('\n');
    const stop = text.length - (hasEnd ? (text.endsWith('\r\n') ? 2 : 1) : 0);
    return {
      text,
      from: 0,
      end: stop,
      program: String(record?.[program] ?? ''),
      prefix: String(record?.time ?? record?.timestamp ?? record?.['@timestamp'] ?? ''),
      isPart: isDocker && !hasEnd && text.length >= PART,
    };
  };
}
