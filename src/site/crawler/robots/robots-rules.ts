import { spellOctets } from '../../../core/net/web-url.ts';

/** Characters of a line that count, as in Google's parser. */
const LONGEST_LINE = 2083 * 8 - 1;

type Key = 'user-agent' | 'allow' | 'disallow' | 'sitemap' | 'crawl-delay';

/** Keys by their beginnings, with the misspelled ones that Google's parser knows. */
const KEYS: readonly (readonly [Key, RegExp])[] = [
  ['user-agent', /^user[- ]?agent/i],
  ['allow', /^allow/i],
  ['disallow', /^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)/i],
  ['sitemap', /^site-?map/i],
  ['crawl-delay', /^crawl-delay$/i],
];

interface Rule {
  readonly isAllowed: boolean;
  /** The pattern between its stars. */
  readonly parts: readonly string[];
  /** Whether the pattern ends with `$`. */
  readonly isWhole: boolean;
  /** Length of the pattern: the longest match decides. */
  readonly length: number;
  /** The line of the file, from 1. */
  readonly line: number;
}

/** The lines for a crawler. */
class Group {
  isNamed = false;
  readonly rules: Rule[] = [];
  delay: number | null = null;
}

/**
 * Parses a robots.txt. Where RFC 9309 leaves a choice, and for misspellings, follows Google's parser
 * (https://github.com/google/robotstxt). `test/site/crawler/robots/robots-rules.test.ts` contains the cases of that
 * parser.
 *
 * @param robotName the crawler's product token, in lowercase
 */
export function parseRobots(content: string, robotName: string) {
  const own = new Group();
  const all = new Group();
  const sitemaps: string[] = [];
  let groups = new Set<Group>();
  let isOpen = true;
  for (const [key, value, line] of lines(content))
    if (key === 'sitemap') {
      if (value !== '') sitemaps.push(value);
    } else if (key === 'user-agent') {
      if (!isOpen) groups = new Set();
      isOpen = true;
      const group = /^\*(?:\s|$)/.test(value) ? all : isName(value, robotName) ? own : null;
      if (group !== null) groups.add(group);
      if (group === own) own.isNamed = true;
    } else {
      // A group with both the crawler's name and the star belongs to the crawler.
      const group = groups.has(own) ? own : groups.has(all) ? all : null;
      if (group === null) continue;
      if (key === 'crawl-delay') group.delay ??= Number(value) > 0 ? Number(value) : null;
      else {
        isOpen = false;
        group.rules.push(...rulesOf(key === 'allow', value, line));
      }
    }
  const { rules, delay } = own.isNamed ? own : all;
  return {
    /** @param path with the query string */
    isAllowed: (path: string) => ruleFor(rules, path)?.isAllowed ?? true,
    /** The line that decides about a path, from 1; null: no rule matches. */
    lineFor: (path: string) => ruleFor(rules, path)?.line ?? null,
    /** Seconds; null if it is not set. */
    crawlDelay: delay,
    /** As written. */
    sitemaps,
  };
}

function* lines(content: string): Generator<readonly [key: Key, value: string, line: number]> {
  // A part of a byte order mark is decoded to a replacement character.
  const text = content.replace(/^(?:\uFEFF|\uFFFD(?=[\x20-\x7E\r\n]))/, '');
  for (const [index, whole] of linesOfRobots(text).entries()) {
    const line = whole.slice(0, LONGEST_LINE).replace(/#.*$/s, '').trim();
    // The colon is often forgotten: two words are a key and its value.
    const [, name = '', value = ''] =
      /^([^:]+):(.*)$/s.exec(line) ?? /^([^:\s]+)[ \t]+(\S+)$/.exec(line) ?? [];
    const key = KEYS.find(([, pattern]) => pattern.test(name.trim()))?.[0];
    if (key !== undefined) yield [key, value.trim(), index + 1];
  }
}

/** Returns the lines of a robots.txt, as its rules count them. */
export function linesOfRobots(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

/**
 * Returns whether a value names the crawler. A name ends at the first character that it cannot contain, so `Foo Bar`
 * and `Foo/2` address `foo`.
 */
function isName(value: string, robotName: string): boolean {
  const [letters] = /^[a-z_-]+/i.exec(value) ?? [];
  const [word] = /^[^\s/]+/.exec(value) ?? [];
  return [letters, word].some((name) => name?.toLowerCase() === robotName);
}

function rulesOf(isAllowed: boolean, value: string, line: number): Rule[] {
  const pattern = spelled(value);
  if (pattern === '') return [];
  const directory = /^(.*\/)index\.htm[^/]*$/s.exec(pattern)?.[1];
  // A rule that allows a directory's index.html allows the directory.
  const more = isAllowed && directory !== undefined ? [ruleOf(true, `${directory}$`, line)] : [];
  return [ruleOf(isAllowed, pattern, line), ...more];
}

function ruleOf(isAllowed: boolean, pattern: string, line: number): Rule {
  const isWhole = pattern.endsWith('$');
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split(/\*+/).map(withoutSpecial);
  return { isAllowed, parts, isWhole, length: pattern.length, line };
}

/** Returns the rule that decides about a path: the longest match, and of equal ones a rule that allows. */
function ruleFor(rules: readonly Rule[], text: string): Rule | undefined {
  const path = withoutSpecial(spelled(text));
  let best: Rule | undefined;
  for (const rule of rules) {
    const isBetter =
      best === undefined || rule.length > best.length || (rule.length === best.length && rule.isAllowed);
    if (isBetter && matches(rule, path)) best = rule;
  }
  return best;
}

function matches({ parts, isWhole }: Rule, path: string): boolean {
  const [first = '', ...others] = parts;
  if (!path.startsWith(first)) return false;
  const last = others.pop();
  if (last === undefined) return !isWhole || path.length === first.length;
  let at = first.length;
  for (const part of others) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return isWhole ? path.length - last.length >= at && path.endsWith(last) : path.includes(last, at);
}

/**
 * Returns a path or a pattern in one spelling (RFC 9309 §2.2.2): `spellOctets`, and what URLs have only in
 * percent-encoding so, in patterns too.
 */
function spelled(text: string): string {
  const encoded = text.toWellFormed().replaceAll(/[^!-~]+|["<>\\^`{|}]+/g, encodeURIComponent);
  return spellOctets(encoded.replaceAll("'", '%27'));
}

/** Returns the special characters of patterns, as patterns write them literally (RFC 9309 §2.2.3). */
function withoutSpecial(path: string): string {
  return path.replaceAll('*', '%2A').replaceAll('$', '%24');
}
