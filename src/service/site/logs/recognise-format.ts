import { isIP } from 'node:net';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { isAddressChain } from './client-address.ts';
import { FORMAT_NAMES, formatOfName } from './formats/known-formats.ts';
import { PREFIX_NAMES, type PrefixName, prefixOfName, withoutPrefix } from './formats/prefixes.ts';
import { clearLine, type LogFormat, LogLine, NO_LINE } from './log-line.ts';
import type { LogTime } from './log-time.ts';
import { isHost, isStatus } from './request-parts.ts';

const TRIED_LINES = 1000;
/** Of the lines that are no comments, so many in a hundred must fit. */
const LEAST_SHARE = 50;

/**
 * The format that most of the first lines have, with the prefix that they have; of several the one that is tried first.
 *
 * @param text whole lines, one byte a character
 * @throws CrawlhouseError `usage` if none has half of them
 */
export function recogniseFormat(name: string, text: string, makeTime: () => LogTime): string {
  const lines = linesOf(text);
  const written = lines.filter((one) => !one.startsWith('#'));
  const best = { format: '', fit: 0 };
  for (const prefix of [undefined, ...PREFIX_NAMES]) {
    const inner = prefix === undefined ? lines : withoutPrefixes(prefix, lines);
    if (inner.length * 100 < lines.length * LEAST_SHARE) continue;
    for (const plain of FORMAT_NAMES) {
      const format = prefix === undefined ? plain : `${prefix}:${plain}`;
      const fit = countFit(formatOfName(format, makeTime(), '', true), lines);
      if (fit > best.fit) Object.assign(best, { format, fit });
    }
    if (best.fit > 0 && best.fit * 100 >= written.length * LEAST_SHARE) return best.format;
  }
  // Lines of other programs stand between those of the server.
  const prefix = prefixOfName(best.format);
  if (prefix !== undefined && prefix !== 'timestamp') return best.format;
  const example = written[0] === undefined ? 'it has no lines' : `it begins: ${shown(written[0])}`;
  throw new CrawlhouseError('usage', `${name}: its format is none that is known; ${example}`, {
    hint: `--format 'the LogFormat of Apache or the log_format of nginx that wrote it', --format json:time=KEY,url=KEY,status=KEY, or one of ${FORMAT_NAMES.join(', ')}`,
  });
}

/** A format that a person gives, with the prefix that the lines have before it. */
export function withPrefix(name: string, text: string, makeTime: () => LogTime): string {
  if (prefixOfName(name) !== undefined) return name;
  const lines = linesOf(text);
  let best = { format: name, fit: countFit(formatOfName(name, makeTime()), lines) };
  for (const prefix of PREFIX_NAMES) {
    if (withoutPrefixes(prefix, lines).length * 100 < lines.length * LEAST_SHARE) continue;
    const format = `${prefix}:${name}`;
    const fit = countFit(formatOfName(format, makeTime()), lines);
    if (fit > best.fit) best = { format, fit };
  }
  return best.format;
}

/** The state of a format that the first lines of a file tell for all of them. */
export function learnedState(format: LogFormat, text: string): string {
  if (!format.learns) return '';
  countFit(format, linesOf(text));
  return format.state ?? '';
}

function linesOf(text: string): string[] {
  const lines = text.split('\n', TRIED_LINES).map((one) => one.replace(/^\0+/, '').replace(/\r$/, ''));
  return lines.filter((one) => !NO_LINE.test(one));
}

function withoutPrefixes(prefix: PrefixName, lines: readonly string[]): string[] {
  return lines.flatMap((one) => withoutPrefix(prefix, one) ?? []);
}

function countFit(format: LogFormat, lines: readonly string[]): number {
  const line = new LogLine();
  let fit = 0;
  for (const text of lines) {
    clearLine(line);
    if (format.read(text, 0, text.length, line) === 'event' && isPlausible(line, format.name)) fit += 1;
  }
  return fit;
}

function isPlausible(
  { address, forwarded, host, port, status, bytes, escapes }: LogLine,
  name: string,
): boolean {
  if (status !== '' && !isStatus(status)) return false;
  if (bytes !== '' && !/^\d+$/.test(bytes)) return false;
  if (port !== '' && !/^\d{1,5}$/.test(port)) return false;
  if (forwarded !== '' && !isAddressChain(forwarded)) return false;
  // Keys and columns name what they hold; a text without names is believed by its looks.
  if (!escapes) return true;
  // It has the host where others have a name of the client.
  if (name.endsWith('lighttpd') && !host.includes('.')) return false;
  if (host !== '' && !isHost(host)) return false;
  // Apache may log the name of an address. A name before it would be the host.
  if (host === '' && isName(address)) return true;
  return address === '' ? host === '' || port !== '' : isAddressChain(address);
}

function isName(address: string): boolean {
  return isIP(address) === 0 && /^(?:[a-z0-9-]+\.)+[a-z]{2,}$|^localhost$/i.test(address);
}

/** The shape of a line, without what it says of a visitor. */
function shown(line: string): string {
  return line
    .slice(0, 120)
    .replaceAll(/[0-9]/g, '0')
    .replaceAll(/[A-Za-z]+/g, (word) => (word.length < 3 ? 'aa' : 'aaa'));
}
