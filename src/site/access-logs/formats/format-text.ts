import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { strftimeField } from './strftime.ts';
import { type TextField, variableOf } from './text-variables.ts';

/** A variable of Apache (`%{Referer}i`, `%>s`, `%h`), or of nginx (`$host`, `${host}`). */
const VARIABLE = /%[!\d,]*([<>]?)(?:\{([^}]+)\})?(\^[a-zA-Z]{2}|[a-zA-Z%])|\$(?:\{(\w+)\}|(\w+))/g;

/** A variable and the text up to the next one. */
export interface FormatPart {
  readonly field: TextField;
  /** Of several parts of one field, the one with the highest rank that has a value counts. */
  readonly rank: number;
  /** The format of the time, if it is a strftime format. */
  readonly strftime: string | null;
  /** Empty: the variable extends to the end of the line or, before a path, to its slash. */
  readonly until: string;
  readonly isBeforePath: boolean;
  /** A quotation mark ends it, unless a backslash precedes it. */
  readonly isQuoted: boolean;
  /** The line ends after this part. */
  readonly isLast: boolean;
  /** No further fields may follow on the line. */
  readonly isWhole: boolean;
}

/**
 * Parses a format string, such as Apache's `LogFormat` or nginx's `log_format`.
 *
 * @param name of the format, for errors
 * @param isWhole whether a line ends after the last variable
 * @throws CrawlhouseError `usage` for a text without time, status or URL
 */
export function readFormatText(name: string, pattern: string, isWhole: boolean) {
  // Apache puts a time that has no format of its own in brackets.
  const text = withoutDirective(pattern)
    .replaceAll('\\"', '"')
    .replaceAll('\\t', '\t')
    .replaceAll(/%[<>]?t/g, '[%t]');
  const found = [...text.matchAll(VARIABLE)];
  const parts: FormatPart[] = [];
  for (const [index, match] of found.entries()) {
    const next = found[index + 1];
    const until = text.slice(match.index + match[0].length, next?.index);
    const before = parts.at(-1);
    const isQuoted = until.startsWith('"') && text[match.index - 1] === '"';
    const isLast = next === undefined;
    const own = { ...fieldOf(match), until, isBeforePath: false, isQuoted, isLast, isWhole };
    const joined = before?.until === '' ? join(before, own) : undefined;
    if (before?.until === '' && joined === undefined)
      throw refused(name, `no text is between ${found[index - 1]?.[0]} and ${match[0]}`);
    if (joined !== undefined) parts.splice(-1, 1, ...joined);
    else parts.push(own);
  }
  const fields = parts.map(({ field, strftime }) => (strftime === null ? field : 'any'));
  const lacks = (...any: TextField[]): boolean => !any.some((one) => fields.includes(one));
  if (lacks('clf', 'iso', 'epoch', 'any')) throw refused(name, 'no variable has the time');
  if (lacks('request', 'target', 'path', 'path_query'))
    throw refused(name, 'no variable has the request or its URL');
  if (lacks('status')) throw refused(name, 'no variable has the status');
  // The prefix is the text before the first variable.
  return { prefix: text.slice(0, found[0]?.index), parts };
}

/** Returns a host and a path, or a path and its query, without a text between them; undefined for others. */
function join(first: FormatPart, second: FormatPart): readonly FormatPart[] | undefined {
  const isPath = (field: TextField): boolean => field === 'target' || field === 'path';
  if (first.field === 'host' && isPath(second.field)) return [{ ...first, isBeforePath: true }, second];
  if (second.field !== 'query' && second.field !== 'is_args') return undefined;
  const { until, isQuoted, isLast } = second;
  const end = { until, isQuoted: isQuoted || (until.startsWith('"') && first.isQuoted), isLast };
  if (first.field === 'target' || first.field === 'path_query') return [{ ...first, ...end }];
  return first.field === 'path' ? [{ ...first, field: 'path_query', ...end }] : undefined;
}

/** Returns the text within `log_format main '…' '…';` or `LogFormat "…" combined`, as written in a configuration. */
function withoutDirective(pattern: string): string {
  const nginx = /^\s*log_format\s+\w+\s+(?:escape=\w+\s+)?(['"][\s\S]*['"])\s*;?\s*$/.exec(pattern)?.[1];
  if (nginx !== undefined)
    return [...nginx.matchAll(/'([^']*)'|"([^"]*)"/g)].map((one) => one[1] ?? one[2]).join('');
  return /^\s*(?:LogFormat|CustomLog\s+\S+)\s+"((?:[^"\\]|\\.)*)"/i.exec(pattern)?.[1] ?? pattern;
}

function fieldOf([, which = '', argument, directive, braced, plain]: RegExpExecArray): Pick<
  FormatPart,
  'field' | 'rank' | 'strftime'
> {
  const variable = braced ?? plain;
  const known = (name: string) => {
    const [field, rank] = variableOf(name);
    return { field, rank, strftime: null };
  };
  if (variable !== undefined) return known(`$${variable.toLowerCase()}`);
  if (directive === 't' && argument !== undefined) return strftimeField(argument);
  if (argument !== undefined) return known(`%{${argument.toLowerCase()}}${directive}`);
  return known(directive === 's' ? `%${which}s` : `%${directive}`);
}

function refused(name: string, why: string): CrawlhouseError {
  return new CrawlhouseError('usage', `the log format ${name} is invalid: ${why}`, {
    hint: 'use the Apache LogFormat or nginx log_format that wrote the file: --format \'$remote_addr [$time_local] "$request" $status\'',
  });
}
