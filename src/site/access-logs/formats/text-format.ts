import type { LogFormat, LogLine, RejectReason } from '../log-line.ts';
import type { Escaping } from '../log-text.ts';
import type { LogTime } from '../log-time.ts';
import { type FormatPart, readFormatText } from './format-text.ts';
import { takeFurtherFields } from './further-fields.ts';
import { isoOfParts, strftimeReader, type TimeParts } from './strftime.ts';
import type { TimeField } from './text-variables.ts';

const BACKSLASH = 92;
const COMMA = 44;
const SPACE = 32;
/** Fields after the last one of a format. */
const MORE_FIELDS = /^(?: +(?:[^" ]*"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^" [][^" ]*))* *$/;

type Reading = (value: string, line: LogLine) => RejectReason | undefined;

/**
 * Returns a text format with variables, such as Apache's `LogFormat` or nginx's `log_format`.
 *
 * @param isWhole whether a line ends after the last variable; otherwise further fields may follow, which are ignored
 * @throws CrawlhouseError `usage` for a text without time, status or URL
 */
export function textFormat(name: string, pattern: string, time: LogTime, isWhole = false): LogFormat {
  const { prefix, parts } = readFormatText(name, pattern, isWhole);
  const { length } = prefix;
  const takers = takersOf(parts, time);
  const escaping = ESCAPING.get(name) ?? (isOfNginx(pattern) ? 'hex' : 'apache');
  const tellsHost = parts.some(({ field }) => field === 'host');
  const tellsAgent = parts.some(({ field }) => field === 'agent');
  const tellsReferer = parts.some(({ field }) => field === 'referer');
  return {
    name,
    read(text, from, end, line) {
      if (length > 0 && !text.startsWith(prefix, from)) return 'not_the_format';
      let at = from + length;
      line.escapes = escaping;
      line.tellsAgent = tellsAgent;
      line.tellsReferer = tellsReferer;
      for (let index = 0; index < parts.length; index++) {
        const part = parts[index] as FormatPart;
        const stop = stopOf(text, at, end, part);
        if (stop < 0) return 'not_the_format';
        const problem = takers.each[index]?.(text.slice(at, stop), line);
        if (problem !== undefined) return problem;
        at = stop + part.until.length;
      }
      if (at < end && !isWhole) takeFurtherFields(text.slice(at, end), line, tellsHost);
      return takers.last?.(line) ?? 'event';
    },
  };
}

/** Escaping of programs whose formats are not those of Apache or nginx. */
const ESCAPING: ReadonlyMap<string, Escaping> = new Map([
  ['haproxy', 'haproxy'],
  ['haproxy_host', 'haproxy'],
  ['envoy', 'none'],
  ['istio', 'none'],
]);

/** Returns whether a format contains only variables of nginx. */
function isOfNginx(pattern: string): boolean {
  return pattern.includes('$') && !/%[^\s\d]/.test(pattern);
}

/** Returns the end of a variable; -1 if the text that has to follow is missing. */
function stopOf(text: string, at: number, end: number, part: FormatPart): number {
  const { until } = part;
  if (part.isBeforePath) {
    const slash = text.indexOf('/', at);
    return slash < 0 || slash > end ? -1 : slash;
  }
  if (part.isLast) return lastStop(text, at, end, part);
  let stop = text.indexOf(until, at);
  if (part.isQuoted) stop = closingMark(text, at, end, until);
  // A chain of addresses contains commas, as do the values of several upstream servers.
  else if (isChain(part.field) && until.charCodeAt(0) === SPACE)
    while (stop > at && stop < end && text.charCodeAt(stop - 1) === COMMA)
      stop = text.indexOf(until, stop + 1);
  return stop < 0 || stop + until.length > end ? -1 : stop;
}

function isChain(field: FormatPart['field']): boolean {
  return field === null || field === 'address' || field === 'forwarded';
}

/**
 * Finds the closing quotation mark. A quotation mark within a value follows a backslash, which may itself be escaped.
 */
function closingMark(text: string, at: number, end: number, until: string): number {
  let stop = text.indexOf(until, at);
  while (stop > at && stop < end && text.charCodeAt(stop - 1) === BACKSLASH) {
    let first = stop - 1;
    while (first > at && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((stop - first) % 2 === 0) break;
    stop = text.indexOf(until, stop + 1);
  }
  return stop;
}

/** Returns the end of the last variable: that of the line, or the first position that is followed by whole fields. */
function lastStop(text: string, at: number, end: number, part: FormatPart): number {
  const { until, isQuoted, isWhole } = part;
  if (isQuoted) {
    // Usually the line ends with the mark.
    for (let stop = closingMark(text, at, end, until); stop >= 0 && stop + until.length <= end; ) {
      const behind = stop + until.length;
      if (behind === end) return stop;
      const more = text.slice(behind, end);
      if (MORE_FIELDS.test(more)) return isWhole && more.trim() !== '' ? -1 : stop;
      stop = closingMark(text, stop + 1, end, until);
    }
    return -1;
  }
  if (until !== '') return text.endsWith(until, end) && end - until.length >= at ? end - until.length : -1;
  if (isWhole) return at + text.slice(at, end).trimEnd().length;
  if (part.field === null || part.field === 'request' || part.field === 'agent') return end;
  const space = text.indexOf(' ', at);
  return space < 0 || space > end ? end : space;
}

/** Returns what to do with the value of each part, and at the end of a line. */
function takersOf(parts: readonly FormatPart[], time: LogTime) {
  const scratch: TimeParts = {};
  const readers = parts.map((part) => readerOf(part, time, scratch));
  // A value of a lower rank is taken only if the higher ranks have none.
  const several = Map.groupBy(
    parts.map((part, index) => ({ ...part, index, kind: kindOf(part) })).filter(({ kind }) => kind !== null),
    ({ kind }) => kind,
  );
  const ranked = [...several.values()].filter((group) => group.length > 1);
  for (const group of ranked) {
    const best = { rank: Number.NEGATIVE_INFINITY };
    group.sort((a, b) => a.index - b.index);
    for (const { index, rank, kind } of group) {
      const read = readers[index];
      const isFirst = index === group[0]?.index;
      readers[index] = (value, line) => {
        if (isFirst) best.rank = Number.NEGATIVE_INFINITY;
        if (isNothing(kind, value) || rank <= best.rank) return undefined;
        best.rank = rank;
        return read?.(value, line);
      };
    }
  }
  const hasParts = parts.some(({ strftime }) => strftime !== null);
  const last = (line: LogLine): RejectReason | undefined => {
    line.second = time.iso(isoOfParts(scratch));
    return Number.isNaN(line.second) ? 'bad_time' : undefined;
  };
  return { each: readers, last: hasParts ? last : null };
}

/** Returns the field of a line that a part fills: several variables of one are ranked. */
function kindOf({ field }: FormatPart): string | null {
  if (isTime(field)) return 'time';
  if (field === 'target' || field === 'path' || field === 'path_query') return 'target';
  return field;
}

function isTime(field: FormatPart['field']): field is TimeField {
  return field === 'clf' || field === 'iso' || field === 'epoch' || field === 'any';
}

/** `_` is nginx's name for any host. */
function isNothing(kind: string | null, value: string): boolean {
  return value === '' || value === '-' || (value === '_' && kind === 'host');
}

function readerOf({ field, strftime }: FormatPart, time: LogTime, scratch: TimeParts): Reading | null {
  if (strftime !== null) {
    const read = strftimeReader(strftime);
    return (value) => (read(value, scratch) ? undefined : 'bad_time');
  }
  if (field === null || field === 'is_args') return null;
  if (isTime(field))
    return (value, line) => {
      line.second = time[field](value);
      return Number.isNaN(line.second) ? 'bad_time' : undefined;
    };
  if (field === 'request')
    return (value, line) => {
      line.request = value;
      return undefined;
    };
  if (field === 'path' || field === 'path_query')
    return (value, line) => {
      if (!isNothing(field, value)) line.target = encoded(value, field === 'path_query');
      return undefined;
    };
  if (field === 'tls')
    return (value, line) => {
      if (line.scheme === '') line.scheme = value === '' ? '-' : value;
      return undefined;
    };
  return (value, line) => {
    // HAProxy puts a sign before a size that is not final.
    if (!isNothing(field, value)) line[field] = field === 'bytes' ? value.replace(/^\+/, '') : value;
    return undefined;
  };
}

/** Returns a path that the server has decoded, encoded as in a URL. */
function encoded(value: string, hasQuery: boolean): string {
  const mark = hasQuery ? value.indexOf('?') : -1;
  const path = mark < 0 ? value : value.slice(0, mark);
  return path.replaceAll('%', '%25').replaceAll('?', '%3F') + (mark < 0 ? '' : value.slice(mark));
}
