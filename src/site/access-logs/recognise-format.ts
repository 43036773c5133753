import { CrawlhouseError } from '../../core/errors/errors.ts';
import { FORMAT_NAMES, formatOfName, LOOSE } from './formats/known-formats.ts';
import { otherLog } from './formats/other-logs.ts';
import { isPlausible } from './formats/plausible-line.ts';
import { PREFIX_NAMES, type PrefixName, prefixOfName, withoutPrefix } from './formats/prefixes.ts';
import { clearLine, type LogFormat, LogLine, NO_LINE } from './log-line.ts';
import type { LogTime } from './log-time.ts';

const TRIED_LINES = 1000;
/** The least percentage of lines without comments that must fit. */
const LEAST_SHARE = 50;
/** A number of unreadable lines that is accepted in any file, however small. */
export const HANDFUL = 10;

/**
 * Returns the format of most of the first lines, with their prefix. If several formats fit equally well, the one that
 * is tried first wins.
 *
 * @param text whole lines, one byte per character
 * @throws CrawlhouseError `usage` if no format fits half of the lines
 */
export function recogniseFormat(name: string, text: string, makeTime: () => LogTime): string {
  const lines = linesOf(text);
  const written = lines.filter((line) => !line.startsWith('#'));
  const best = { format: '', fit: 0 };
  // The format may change within the file.
  const mixed = { format: '', fit: 0 };
  const prefixes = [undefined, ...PREFIX_NAMES].filter((prefix) => {
    const inner = prefix === undefined ? lines : withoutPrefixes(prefix, lines);
    return inner.length * 100 >= lines.length * LEAST_SHARE;
  });
  // A line of the loose format may have any prefix.
  const tries = [
    ...prefixes.map((prefix) => ({ prefix, names: FORMAT_NAMES.filter((one) => one !== LOOSE) })),
    ...prefixes.toReversed().map((prefix) => ({ prefix, names: [LOOSE] })),
  ];
  for (const { prefix, names } of tries) {
    const fitting = new Set<number>();
    const ofPrefix = { format: '', fit: 0 };
    for (const plain of names) {
      const format = prefix === undefined ? plain : `${prefix}:${plain}`;
      const fit = fitOf(formatOfName(format, makeTime(), '', true), lines);
      for (const index of fit) fitting.add(index);
      if (fit.length > ofPrefix.fit) Object.assign(ofPrefix, { format, fit: fit.length });
    }
    if (ofPrefix.fit > best.fit) Object.assign(best, ofPrefix);
    if (fitting.size > mixed.fit) Object.assign(mixed, { format: ofPrefix.format, fit: fitting.size });
    if (best.fit > 0 && best.fit * 100 >= written.length * LEAST_SHARE) return best.format;
  }
  const isFit = mixed.fit * 100 >= written.length * LEAST_SHARE || written.length - mixed.fit <= HANDFUL;
  if (isFit && mixed.fit > 0) return mixed.format;
  // Lines of other programs are between those of the server.
  const prefix = prefixOfName(best.format);
  if (prefix !== undefined && prefix !== 'timestamp') return best.format;
  const other = otherLog(lines);
  if (other !== undefined) throw new CrawlhouseError('usage', `${name}: ${other.what}`, { hint: other.hint });
  const example = written[0] === undefined ? 'it has no lines' : `it begins: ${shown(written[0])}`;
  throw new CrawlhouseError('usage', `${name}: its format is unknown; ${example}`, {
    hint: `--format 'the Apache LogFormat or nginx log_format that wrote it', --format json:time=KEY,url=KEY,status=KEY, or one of ${FORMAT_NAMES.join(', ')}`,
  });
}

/** Returns a format from the user, with the prefix that precedes its lines. */
export function withPrefix(name: string, text: string, makeTime: () => LogTime): string {
  if (prefixOfName(name) !== undefined) return name;
  const lines = linesOf(text);
  let best = { format: name, fit: fitOf(formatOfName(name, makeTime()), lines).length };
  for (const prefix of PREFIX_NAMES) {
    if (withoutPrefixes(prefix, lines).length * 100 < lines.length * LEAST_SHARE) continue;
    const format = `${prefix}:${name}`;
    const fit = fitOf(formatOfName(format, makeTime()), lines).length;
    if (fit > best.fit) best = { format, fit };
  }
  return best.format;
}

/** Returns the state of a format that the first lines of a file determine for the whole file. */
export function learnedState(format: LogFormat, text: string): string {
  if (!format.learns) return '';
  fitOf(format, linesOf(text));
  return format.state ?? '';
}

function linesOf(text: string): string[] {
  const lines = text.split('\n', TRIED_LINES).map((one) => one.replace(/^\0+/, '').replace(/\r$/, ''));
  return lines.filter((line) => !NO_LINE.test(line));
}

function withoutPrefixes(prefix: PrefixName, lines: readonly string[]): string[] {
  return lines.flatMap((line) => withoutPrefix(prefix, line) ?? []);
}

/** Returns the places of the lines that have a format. */
function fitOf(format: LogFormat, lines: readonly string[]): number[] {
  const line = new LogLine();
  return lines.flatMap((text, index) => {
    clearLine(line);
    const isFit = format.read(text, 0, text.length, line) === 'event' && isPlausible(line, format.name);
    return isFit ? [index] : [];
  });
}

/** Returns the shape of a line, without visitor data. */
function shown(line: string): string {
  return line
    .slice(0, 120)
    .replaceAll(/[0-9]/g, '0')
    .replaceAll(/[A-Za-z]+/g, (word) => (word.length < 3 ? 'aa' : 'aaa'));
}
