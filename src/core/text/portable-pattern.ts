/** A regular expression that RE2 (DuckDB's engine) and Joni match alike (docs/models.md#regular-expressions). */
export interface PortablePattern {
  /** As written, without a leading `(?i)`. */
  readonly source: string;
  readonly ignoreCase: boolean;
  /** For Joni: without syntax that it reads differently (`$`, `\s`, `\b`, ignored case, `a??` before `$`). */
  readonly expanded: string;
  readonly matchesEmpty: boolean;
  /**
   * Whether it contains a lazy repetition such as `*?`, which changes the matched text, but not whether there is a
   * match.
   */
  readonly isLazy: boolean;
  /** Where each match begins or ends; null: anywhere. */
  readonly anchor: 'start' | 'end' | null;
}

/** Why a regular expression is not portable. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

type Range = readonly [from: number, to: number];

/** The properties of a part of a pattern, and its text for Joni. */
interface Part {
  readonly text: string;
  readonly matchesEmpty: boolean;
  /** The maximum number of times that a part of it is repeated. */
  readonly repeats: number;
}

const LAST = 0x10ffff;
/** Limits of RE2: for a repetition, and for nested ones. */
const MOST_REPEATS = 1000;
const MOST_DEPTH = 200;
const CATEGORY = /^(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)$/;

/** The end of the text. Joni searches for `\z` by bytes, and misses it after `-?` if the last character has several. */
const END = '(?![\\x{0}-\\x{10ffff}])';

const DIGIT: readonly Range[] = [[0x30, 0x39]];
const SPACE: readonly Range[] = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];
const WORD: readonly Range[] = [...DIGIT, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const EDGE = '(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))';
const SHORT: ReadonlyMap<string, readonly Range[]> = new Map([
  ['d', DIGIT],
  ['s', SPACE],
  ['w', WORD],
]);
const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
]);

/** @throws PatternError that names the first piece which engines would read differently, or not at all */
export function portablePattern(pattern: string): PortablePattern {
  const flagged = pattern.startsWith('(?i)');
  const source = flagged ? pattern.slice(4) : pattern;
  return { source, ignoreCase: flagged, ...new Reader(source, flagged).read() };
}

class Reader {
  readonly #signs: readonly string[];
  readonly #ignoreCase: boolean;
  #at = 0;
  #depth = 0;
  #isLazy = false;

  constructor(source: string, ignoreCase: boolean) {
    this.#signs = Array.from(source);
    this.#ignoreCase = ignoreCase;
  }

  read(): Pick<PortablePattern, 'expanded' | 'matchesEmpty' | 'isLazy' | 'anchor'> {
    const anchors: string[] = [];
    const { text, matchesEmpty } = this.#alternatives(anchors);
    if (this.#at < this.#signs.length) throw new PatternError('a ) without its (');
    const shared = (sign: string): boolean => anchors.every((anchor) => anchor.includes(sign));
    const anchor = shared('^') ? 'start' : shared('$') ? 'end' : null;
    return { expanded: text, matchesEmpty, isLazy: this.#isLazy, anchor };
  }

  /** @param anchors receives those of each alternative */
  #alternatives(anchors: string[] = []): Part {
    const parts: Part[] = [];
    do {
      parts.push(this.#sequence(anchors));
    } while (this.#takes('|'));
    return {
      text: parts.map(({ text }) => text).join('|'),
      matchesEmpty: parts.some((part) => part.matchesEmpty),
      repeats: Math.max(...parts.map(({ repeats }) => repeats)),
    };
  }

  #sequence(anchors: string[]): Part {
    let text = '';
    let own = '';
    if (this.#takes('^')) {
      text = '^';
      own = '^';
    }
    let matchesEmpty = true;
    let repeats = 1;
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') {
      if (own.endsWith('$')) throw new PatternError('$ only at the end of an alternative (\\$ for the sign)');
      if (this.#takes('$')) {
        own += '$';
        text += END;
        continue;
      }
      const term = this.#term();
      text += term.text;
      matchesEmpty &&= term.matchesEmpty;
      repeats = Math.max(repeats, term.repeats);
    }
    anchors.push(own);
    return { text, matchesEmpty, repeats };
  }

  #term(): Part {
    const atom = this.#atom();
    const [least, most, text] = this.#quantifier();
    if (text === '') return atom;
    const repeats = atom.repeats * (Number.isFinite(most) ? Math.max(most, 1) : Math.max(least, 1));
    if (repeats > MOST_REPEATS) throw new PatternError(`at most ${MOST_REPEATS} repetitions`);
    if (this.#takes('?')) this.#isLazy = true;
    if (/^[*+?]$/.test(this.#next ?? '') || this.#countAhead() !== undefined)
      throw new PatternError('a repetition of a repetition: put the first one in a group');
    return { text: `${atom.text}${text}`, matchesEmpty: atom.matchesEmpty || least === 0, repeats };
  }

  #quantifier(): readonly [least: number, most: number, text: string] {
    if (this.#takes('*')) return [0, Infinity, '*'];
    if (this.#takes('+')) return [1, Infinity, '+'];
    if (this.#takes('?')) return [0, 1, '?'];
    const count = this.#countAhead();
    if (count === undefined) return [1, 1, ''];
    this.#at += count.length;
    const [, from = '', comma = '', to = ''] = /^\{(\d*)(,?)(\d*)\}$/.exec(count) ?? [];
    const least = Number(from);
    const most = comma === '' ? least : to === '' ? Infinity : Number(to);
    if (from === '' || least > most) throw new PatternError(`${count} counts nothing`);
    return [least, most, count];
  }

  #countAhead(): string | undefined {
    if (this.#next !== '{') return undefined;
    return /^\{\d*,?\d*\}/.exec(this.#signs.slice(this.#at, this.#at + 20).join(''))?.[0];
  }

  #atom(): Part {
    const sign = this.#take();
    if (sign === '(') return this.#group();
    if (sign === '[') return single(this.#class());
    if (sign === '.') return single('.');
    if (sign === '\\') return this.#escape();
    if (sign === '^') throw new PatternError('^ only at the start of an alternative (\\^ for the sign)');
    if (/[*+?]/.test(sign)) throw new PatternError(`nothing before ${sign} to repeat`);
    return single(this.#oneOf([rangeOf(sign)]));
  }

  #group(): Part {
    if (this.#takes('?') && !this.#takes(':'))
      throw new PatternError(
        'groups are (…) and (?:…); no flags but a leading (?i), no look-around, no names',
      );
    if (++this.#depth > MOST_DEPTH) throw new PatternError(`at most ${MOST_DEPTH} groups in each other`);
    const inner = this.#alternatives();
    this.#depth--;
    if (!this.#takes(')')) throw new PatternError('a ( without its )');
    return { ...inner, text: `(?:${inner.text})` };
  }

  #escape(): Part {
    const sign = this.#take('a \\ at the end');
    if (sign === 'b') return { ...single(EDGE), matchesEmpty: true };
    if (sign === 'p' || sign === 'P') return single(this.#category(sign));
    const short = SHORT.get(sign.toLowerCase());
    if (short === undefined) return single(this.#oneOf([rangeOf(this.#character(sign))]));
    return single(this.#oneOf(short, [], sign !== sign.toLowerCase()));
  }

  /** Returns a character after a `\`. */
  #character(sign: string): string {
    const control = CONTROLS.get(sign);
    if (control !== undefined) return String.fromCodePoint(control);
    if (sign === 'x') {
      const [written, digits = ''] =
        /^\{([0-9A-Fa-f]{1,6})\}/.exec(this.#signs.slice(this.#at, this.#at + 8).join('')) ?? [];
      const point = Number.parseInt(digits, 16);
      if (written === undefined || !(point <= LAST)) throw new PatternError('\\x has the form \\x{e9}');
      this.#at += written.length;
      return String.fromCodePoint(point);
    }
    // This includes `\B`: RE2 finds a position between the bytes of one character.
    if (/[A-Za-z0-9]|[^\x20-\x7e]/.test(sign)) throw new PatternError(`no \\${sign}`);
    return sign;
  }

  #category(sign: string): string {
    const [written, name = ''] =
      /^\{([A-Za-z]+)\}/.exec(this.#signs.slice(this.#at, this.#at + 6).join('')) ?? [];
    if (written === undefined || !CATEGORY.test(name))
      throw new PatternError(`\\${sign} has a general category, as in \\${sign}{Lu}`);
    if (this.#ignoreCase) throw new PatternError(`no \\${sign} where the case is ignored`);
    this.#at += written.length;
    return `\\${sign}${written}`;
  }

  #class(): string {
    const negated = this.#takes('^');
    const ranges: Range[] = [];
    const others: Range[] = [];
    const categories: string[] = [];
    for (let first = true; first || this.#next !== ']'; first = false) {
      const sign = this.#take('a [ without its ]');
      if (sign === '[') throw new PatternError('no [ in [ ]: write \\[');
      if (sign === '&' && this.#next === '&') throw new PatternError('no && in [ ]');
      const name = sign === '\\' ? this.#take('a \\ at the end') : '';
      const short = SHORT.get(name.toLowerCase());
      if (name === 'p' || name === 'P') categories.push(this.#category(name));
      else if (short && name === name.toLowerCase()) ranges.push(...short);
      else if (short) others.push(...complement(this.#withCases(short)));
      else {
        const from = name === '' ? sign : this.#character(name);
        ranges.push(this.#signs[this.#at + 1] === ']' ? rangeOf(from) : this.#rangeFrom(from));
      }
    }
    this.#at++;
    return this.#oneOf(ranges, [classText(others), ...categories], negated);
  }

  #rangeFrom(from: string): Range {
    if (!this.#takes('-')) return rangeOf(from);
    const sign = this.#take('a [ without its ]');
    if (sign === '[' || (sign === '\\' && /[dswDSWpP]/.test(this.#next ?? '')))
      throw new PatternError('- stands first or last in [ ], or between two characters');
    const to = sign === '\\' ? this.#character(this.#take('a \\ at the end')) : sign;
    const range: Range = [pointOf(from), pointOf(to)];
    if (range[0] > range[1]) throw new PatternError(`${from}-${to} is no range`);
    return range;
  }

  #oneOf(ranges: readonly Range[], others: readonly string[] = [], negated = false): string {
    const text = `${classText(this.#withCases(ranges))}${others.join('')}`;
    return !negated && /^\w$/.test(text) ? text : `[${negated ? '^' : ''}${text}]`;
  }

  #withCases(ranges: readonly Range[]): readonly Range[] {
    return this.#ignoreCase ? [...ranges, ...otherCases(ranges)] : ranges;
  }

  get #next(): string | undefined {
    return this.#signs[this.#at];
  }

  #takes(sign: string): boolean {
    if (this.#next !== sign) return false;
    this.#at++;
    return true;
  }

  #take(missing = ''): string {
    const sign = this.#signs[this.#at++];
    if (sign === undefined) throw new PatternError(missing);
    return sign;
  }
}

const single = (text: string): Part => ({ text, matchesEmpty: false, repeats: 1 });

const pointOf = (sign: string): number => sign.codePointAt(0) ?? 0;

function rangeOf(sign: string): Range {
  return [pointOf(sign), pointOf(sign)];
}

function complement(ranges: readonly Range[]): Range[] {
  const ends = [...ranges, [LAST + 1, LAST + 1] as const].sort(([a], [b]) => a - b);
  return ends
    .map(([from], at): Range => [(ends[at - 1]?.[1] ?? -1) + 1, from - 1])
    .filter(([from, to]) => from <= to);
}

function classText(ranges: readonly Range[]): string {
  const sign = (point: number): string => {
    const own = String.fromCodePoint(point);
    return /^\w$/.test(own) ? own : `\\x{${point.toString(16)}}`;
  };
  return ranges.map(([from, to]) => (from === to ? sign(from) : `${sign(from)}-${sign(to)}`)).join('');
}

let cases: ReadonlyMap<number, readonly number[]> | undefined;

/**
 * Returns the characters that differ from these only in case, as RE2 folds them: one for one (ß ẞ, k K K), never ß ss.
 */
function otherCases(ranges: readonly Range[]): Range[] {
  cases ??= readCases();
  const others = new Set<number>();
  for (const [from, to] of ranges)
    for (const [point, same] of cases)
      if (point >= from && point <= to) for (const one of same) others.add(one);
  return [...others]
    .filter((other) => !ranges.some(([from, to]) => other >= from && other <= to))
    .map((other) => [other, other]);
}

/** Maps each character with case variants to all variants. */
function readCases(): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<string, number[]>();
  const oneOf = (changed: string, sign: string): string =>
    Array.from(changed).length === 1 ? changed : sign;
  for (let point = 0x41; point < 0x1f000; point++) {
    if (point === 0xd800) point = 0xe000;
    const sign = String.fromCodePoint(point);
    const upper = oneOf(sign.toUpperCase(), sign);
    const folded = oneOf(upper.toLowerCase(), upper);
    if (folded !== sign && !new RegExp(`^${folded}$`, 'iu').test(sign)) continue;
    groups.set(folded, [...(groups.get(folded) ?? []), point]);
  }
  return new Map(
    [...groups.values()]
      .filter(({ length }) => length > 1)
      .flatMap((group) => group.map((point) => [point, group] as const)),
  );
}
