import { CrawlhouseError } from '../../../core/errors.ts';
import type { LogFormat, LogLine, RejectReason } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';
import { TEXT_VARIABLES, type TextField } from './text-variables.ts';

const BACKSLASH = 92;
/** A variable of Apache (`%{Referer}i`, `%>s`, `%h`), or of nginx (`$host`, `${host}`). */
const VARIABLE = /%[!\d,]*[<>]?(?:\{([^}]+)\})?(\^[a-zA-Z]{2}|[a-zA-Z%])|\$(?:\{(\w+)\}|(\w+))/g;

/** A variable and the text up to the next one. */
interface Part {
  readonly field: TextField;
  /** Empty: the variable goes to the end of the line. */
  readonly until: string;
  /** A quotation mark ends it, unless a backslash comes before. */
  readonly isQuoted: boolean;
  /** The line ends behind it. */
  readonly isLast: boolean;
}

/**
 * A format of text with variables, as `LogFormat` of Apache and `log_format` of nginx write it.
 *
 * @param more text may follow on a line
 * @throws CrawlhouseError `usage` for a text that tells no time, status or URL
 */
export function textFormat(name: string, pattern: string, time: LogTime, more = false): LogFormat {
  const { prefix, parts } = partsOf(name, pattern, more);
  const { length } = prefix;
  return {
    name,
    read(text, from, end, line) {
      if (length > 0 && !text.startsWith(prefix, from)) return 'not_the_format';
      let at = from + length;
      for (const part of parts) {
        const stop = stopOf(text, at, end, part);
        if (stop < 0) return 'not_the_format';
        if (part.field !== null) {
          const problem = take(part.field, text.slice(at, stop), line, time);
          if (problem !== undefined) return problem;
        }
        at = stop + part.until.length;
      }
      return more || at === end ? 'event' : 'not_the_format';
    },
  };
}

/** Where a variable ends; -1 if what has to follow does not. */
function stopOf(text: string, at: number, end: number, { until, isQuoted, isLast }: Part): number {
  if (until === '') return end;
  if (isLast) return text.endsWith(until, end) && end - until.length >= at ? end - until.length : -1;
  let stop = text.indexOf(until, at);
  // A quotation mark within a value has a backslash, which may have one itself.
  while (isQuoted && stop > at && stop < end && text.charCodeAt(stop - 1) === BACKSLASH) {
    let first = stop - 1;
    while (first > at && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((stop - first) % 2 === 0) break;
    stop = text.indexOf(until, stop + 1);
  }
  return stop < 0 || stop + until.length > end ? -1 : stop;
}

function take(
  field: NonNullable<TextField>,
  value: string,
  line: LogLine,
  time: LogTime,
): RejectReason | undefined {
  if (field !== 'clf' && field !== 'iso' && field !== 'epoch' && field !== 'any') {
    line[field] = value === '-' && field !== 'request' ? '' : value;
    return undefined;
  }
  line.second = time[field](value);
  return Number.isNaN(line.second) ? 'bad_time' : undefined;
}

function partsOf(
  name: string,
  pattern: string,
  more: boolean,
): { readonly prefix: string; readonly parts: readonly Part[] } {
  // Apache puts a time that has no format of its own in brackets.
  const text = pattern.replaceAll('\\"', '"').replaceAll(/%[<>]?t/g, '[%t]');
  const found = [...text.matchAll(VARIABLE)];
  const parts = found.map((match, index): Part => {
    const until = text.slice(match.index + match[0].length, found[index + 1]?.index);
    if (until === '' && index < found.length - 1)
      throw refused(name, `no text stands between ${match[0]} and ${found[index + 1]?.[0]}`);
    const isQuoted = until.startsWith('"') && text[match.index - 1] === '"';
    return { field: fieldOf(match), until, isQuoted, isLast: !more && index === found.length - 1 };
  });
  const fields = parts.map(({ field }) => field);
  const lacks = (...any: TextField[]): boolean => !any.some((one) => fields.includes(one));
  if (lacks('clf', 'iso', 'epoch', 'any')) throw refused(name, 'no variable tells the time');
  if (lacks('request', 'target')) throw refused(name, 'no variable tells the request or its URL');
  if (lacks('status')) throw refused(name, 'no variable tells the status');
  return { prefix: text.slice(0, found[0]?.index), parts };
}

function fieldOf([, argument, directive, braced, plain]: RegExpExecArray): TextField {
  const variable = braced ?? plain;
  if (variable !== undefined) return TEXT_VARIABLES[`$${variable.toLowerCase()}`] ?? null;
  if (directive === 't' && argument !== undefined) return argument.startsWith('sec') ? 'epoch' : 'any';
  const key = argument === undefined ? `%${directive}` : `%{${argument.toLowerCase()}}${directive}`;
  return TEXT_VARIABLES[key] ?? null;
}

function refused(name: string, why: string): CrawlhouseError {
  return new CrawlhouseError('usage', `the log format ${name} can't be read: ${why}`, {
    hint: 'give the LogFormat of Apache or the log_format of nginx that wrote the file: --format \'$remote_addr [$time_local] "$request" $status\'',
  });
}
