import { plainSpaces } from './sql-spaces.ts';

/**
 * `text`: `'…'`. `foreign`: a text in DuckDB's own syntax (`E'…'`, `x'…'`, `$a$…$a$`, one in two parts), or one without
 * an end. `name`: `"…"`. `sign`: one character, or a `$1`.
 */
type SqlTokenKind = 'space' | 'comment' | 'text' | 'foreign' | 'name' | 'word' | 'number' | 'sign';

export interface SqlToken {
  readonly kind: SqlTokenKind;
  readonly text: string;
  /** Its beginning, in bytes of UTF-8, as DuckDB's parser counts. */
  readonly offset: number;
}

/**
 * Returns the tokens of SQL as DuckDB reads it. Joined together, they form the SQL with plain spaces (`plainSpaces`).
 * This is crawlhouse's only SQL tokenizer. DuckDB's parser, not this tokenizer, decides what may run.
 */
export function sqlTokens(sql: string): SqlToken[] {
  // Each character is a byte: DuckDB's lexer treats every byte of a non-ASCII character as a letter.
  const bytes = Buffer.from(plainSpaces(sql)).toString('latin1');
  const tokens: SqlToken[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const { kind, end } = tokenAt(bytes, offset);
    const own = bytes.slice(offset, end);
    const text = BEYOND_ASCII.test(own) ? Buffer.from(own, 'latin1').toString() : own;
    tokens.push({ kind, text, offset });
    offset = end;
  }
  return tokens;
}

export function textOf(tokens: readonly SqlToken[]): string {
  return tokens.map(({ text }) => text).join('');
}

/** Removes the final `;` of one statement, so that it can be nested in another one. Line numbers do not change. */
export function withoutEnd(sql: string): string {
  if (!sql.includes(';')) return plainSpaces(sql);
  const tokens = sqlTokens(sql);
  const last = tokens.findLastIndex((token) => isCode(token) && token.text !== ';');
  return textOf(tokens.filter(({ text }, at) => at <= last || text !== ';'));
}

/** Neither white space nor a comment. */
export function isCode({ kind }: SqlToken): boolean {
  return kind !== 'space' && kind !== 'comment';
}

/** Returns the name of a word or a quoted name, as written; undefined for other tokens. */
export function nameOf(token: SqlToken | undefined): string | undefined {
  if (token?.kind === 'word') return token.text;
  return token?.kind === 'name' && token.text.startsWith('"')
    ? token.text.slice(1, -1).replaceAll('""', '"')
    : undefined;
}

const LETTERS = 'A-Za-z_\\x80-\\xff';
const DIGITS = '[0-9]+(?:_[0-9]+)*';

const BEYOND_ASCII = /[\x80-\xff]/;

/** The beginnings of tokens. Other functions find the ends of texts, names and comments. */
const BEGIN = new RegExp(
  [
    '(?<space>[ \\t\\n\\r\\f\\v]+)',
    '(?<comment>--[^\\n\\r]*)',
    '(?<block>/\\*)',
    "(?<text>')",
    "(?<escaped>[eE]')",
    "(?<coded>[bBxX]')",
    "(?<prefixed>[nN]'|[uU]&')",
    '(?<name>"|[uU]&")',
    `(?<dollar>\\$(?:[${LETTERS}][${LETTERS}0-9]*)?\\$)`,
    '(?<numbered>\\$[0-9]+)',
    `(?<word>[${LETTERS}][${LETTERS}0-9$]*)`,
    `(?<number>(?:${DIGITS}(?:\\.(?!\\.)(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?${DIGITS})?)`,
  ].join('|'),
  'y',
);

interface FoundToken {
  readonly kind: SqlTokenKind;
  readonly end: number;
}

function tokenAt(bytes: string, at: number): FoundToken {
  BEGIN.lastIndex = at;
  const { 0: begin = '', groups = {} } = BEGIN.exec(bytes) ?? {};
  const next = at + begin.length;
  if (groups.space !== undefined) return { kind: 'space', end: next };
  if (groups.comment !== undefined) return { kind: 'comment', end: next };
  if (groups.word !== undefined) return { kind: 'word', end: next };
  if (groups.number !== undefined) return { kind: 'number', end: next };
  if (groups.numbered !== undefined) return { kind: 'sign', end: next };
  if (groups.block !== undefined) return closed('comment', blockEnd(bytes, next), bytes);
  if (groups.name !== undefined) return closed('name', quoteEnd(bytes, next, '"'), bytes);
  if (groups.text !== undefined) return textAt(bytes, next, (from) => quoteEnd(bytes, from, "'"), 'text');
  if (groups.prefixed !== undefined) return textAt(bytes, next, (from) => quoteEnd(bytes, from, "'"));
  if (groups.escaped !== undefined) return textAt(bytes, next, (from) => escapedEnd(bytes, from));
  if (groups.coded !== undefined) return textAt(bytes, next, (from) => after(bytes, from, "'"));
  if (groups.dollar !== undefined) return closed('foreign', after(bytes, next, begin), bytes);
  return { kind: 'sign', end: at + 1 };
}

/** Returns a token with this end; without an end, it extends to the end of the SQL. */
function closed(kind: SqlTokenKind, end: number | undefined, bytes: string): FoundToken {
  return end === undefined ? { kind: 'foreign', end: bytes.length } : { kind, end };
}

function textAt(
  bytes: string,
  from: number,
  endOf: (from: number) => number | undefined,
  kind: SqlTokenKind = 'foreign',
): FoundToken {
  let end = endOf(from);
  const first = end;
  while (end !== undefined) {
    const next = continued(bytes, end);
    if (next === undefined) break;
    end = endOf(next);
  }
  return closed(end === first ? kind : 'foreign', end, bytes);
}

/** Returns where a text continues after its end: two texts with a line break between them are one. */
function continued(bytes: string, end: number): number | undefined {
  let at = end;
  for (let gap = gapAt(bytes, at); gap > at; gap = gapAt(bytes, at)) at = gap;
  return bytes[at] === "'" && /[\n\r]/.test(bytes.slice(end, at)) ? at + 1 : undefined;
}

/** Returns the end of the white space or line comment that begins there; else the same position. */
function gapAt(bytes: string, at: number): number {
  BEGIN.lastIndex = at;
  const { 0: begin = '', groups = {} } = BEGIN.exec(bytes) ?? {};
  return groups.space === undefined && groups.comment === undefined ? at : at + begin.length;
}

function after(bytes: string, from: number, closing: string): number | undefined {
  const at = bytes.indexOf(closing, from);
  return at < 0 ? undefined : at + closing.length;
}

/** Returns the end of a quoted text. A doubled quote does not end it. */
function quoteEnd(bytes: string, from: number, quote: string): number | undefined {
  let end = after(bytes, from, quote);
  while (end !== undefined && bytes[end] === quote) end = after(bytes, end + 1, quote);
  return end;
}

function escapedEnd(bytes: string, from: number): number | undefined {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === '\\') at++;
    else if (bytes[at] === "'") {
      if (bytes[at + 1] !== "'") return at + 1;
      at++;
    }
  }
  return undefined;
}

/** Comments nest. */
function blockEnd(bytes: string, from: number): number | undefined {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const found = edge.exec(bytes);
    if (found === null) return undefined;
    depth += found[0] === '/*' ? 1 : -1;
  }
  return edge.lastIndex;
}
