import { isIPv4 } from 'node:net';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { prefixInterval } from './address-ranges.ts';

/** The widest valid prefix of each family. A wider prefix is a mistake that would verify half of the Internet. */
const WIDEST = { ipv4: 8, ipv6: 16 };
const MOST_PREFIXES = 50_000;
const SHAPES =
  '{"creationTime": …, "prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}, or one prefix per line, also as the first column of a CSV file';

/**
 * Returns the prefixes of an operator's file: JSON in the shape of Google and Bing, or lines of text or CSV with a
 * prefix first. All prefixes are checked before any is returned. `prefixes`: with their lengths, in the order of the
 * file, without duplicates. `published`: the day of the file, as in 2026-02-04; null if it has none.
 *
 * @param shown the name of the file in errors
 * @throws CrawlhouseError `usage` naming the place in the file
 */
export function parseRangeFile(content: string, shown: string) {
  const text = content.replace(/^\uFEFF/, '');
  const { told, published } = /^\s*[[{]/.test(text) ? ofJson(text, shown) : ofLines(text, shown);
  if (told.length === 0) throw wrong(shown, 'has no prefix');
  if (told.length > MOST_PREFIXES) throw wrong(shown, `has more than ${MOST_PREFIXES} prefixes`);
  const prefixes = told.map(({ place, prefix }) => {
    const problem = problemOf(prefix);
    if (problem !== null) throw wrong(`${shown}:${place}`, `${shorten(prefix)} ${problem}`);
    return prefix.includes('/') ? prefix : `${prefix}/${isIPv4(prefix) ? 32 : 128}`;
  });
  return { prefixes: [...new Set(prefixes)], published };
}

interface Told {
  /** A line, or the place in the JSON. */
  readonly place: string;
  readonly prefix: string;
}

function ofJson(text: string, shown: string) {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw wrong(shown, 'is no JSON', cause);
  }
  const { prefixes, creationTime } = (document ?? {}) as Record<string, unknown>;
  if (!Array.isArray(prefixes)) throw wrong(shown, 'has no list "prefixes"');
  const told = prefixes.map((entry: unknown, index) => {
    const place = `prefixes[${index}]`;
    const { ipv4Prefix, ipv6Prefix } = (entry ?? {}) as Record<string, unknown>;
    const given = [ipv4Prefix, ipv6Prefix].filter((one) => one !== undefined);
    if (given.length !== 1 || typeof given[0] !== 'string')
      throw wrong(`${shown}:${place}`, 'must have exactly one of ipv4Prefix and ipv6Prefix');
    return { place, prefix: given[0] };
  });
  return { told, published: dayOf(creationTime) };
}

function ofLines(text: string, shown: string) {
  const told = text.split(/\r?\n|\r/).flatMap((line, index): Told[] => {
    const own = line.replace(/#.*$/, '').trim();
    if (own === '') return [];
    const [prefix = ''] = own.split(/[,;\s]/).map((cell) => cell.replace(/^["']|["']$/g, ''));
    return [{ place: String(index + 1), prefix }];
  });
  // The column names of a CSV are words.
  const [first] = told;
  const hasNames = first !== undefined && /^[a-z][a-z _-]*$/i.test(first.prefix);
  if (hasNames && told.length === 1) throw wrong(shown, 'has no prefix');
  return { told: hasNames ? told.slice(1) : told, published: null };
}

function problemOf(prefix: string): string | null {
  const interval = prefixInterval(prefix);
  if (interval === null) return 'is not a prefix, such as 192.0.2.0/24; bits after the length must be 0';
  const [address = '', length] = prefix.split('/');
  const widest = isIPv4(address) ? WIDEST.ipv4 : WIDEST.ipv6;
  return length !== undefined && Number(length) < widest ? `is wider than /${widest}` : null;
}

/** Returns the day of a time such as 2026-09-03T14:45:51.000000; null for anything else. */
function dayOf(time: unknown): string | null {
  const day = typeof time === 'string' ? /^\d{4}-\d{2}-\d{2}/.exec(time)?.[0] : undefined;
  return day !== undefined && !Number.isNaN(Date.parse(day)) ? day : null;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function wrong(place: string, problem: string, cause?: unknown): CrawlhouseError {
  return new CrawlhouseError('usage', `${place}: ${problem}`, { cause, hint: SHAPES });
}
