const MASK = '[redacted]';
/** Maximum layers of escapes to remove: beyond it, `%252525…` is ordinary text. */
const MOST_LAYERS = 4;
const secrets = new Map<string, SecretForms>();
/** Pieces of secrets by length. */
const pieces = new Map<number, Set<string>>();

/** Registers a secret for `redact`. Fewer than four characters would mask ordinary words. */
export function keepSecret(value: string | undefined): void {
  if (value === undefined || value.length < LEAST_SECRET || secrets.has(value)) return;
  const forms = secretForms(value);
  secrets.set(value, forms);
  for (const piece of forms.pieces) {
    const same = pieces.get(piece.length) ?? new Set();
    pieces.set(piece.length, same.add(piece));
  }
}

/** Forgets every secret, like a new process: test files share one. */
export function forgetSecrets(): void {
  secrets.clear();
  pieces.clear();
}

/**
 * Masks every registered secret in a text for people: a log line, an error, a report, an alert. It finds a secret that
 * is unchanged, escaped (percent-encoding, JSON, HTML, in layers), in hexadecimal, or wrapped over lines or fields, and
 * also long parts of a secret. It also finds base64 and base64url, even within a longer text, as in Basic
 * authentication. Rows, names and manifests are never masked (docs/decisions/operation.md).
 */
export function redact(text: string): string {
  if (secrets.size === 0) return text;
  const bytes = Buffer.from(text);
  const ranges: Range[] = [];
  let view: TextView | undefined = plainView(bytes);
  let last = view;
  // A secret may contain text that looks like an escape of another kind.
  for (const mark of ESCAPE_MARKS) {
    const one = unescapedView(view, mark);
    if (one) ranges.push(...found(one));
  }
  for (let layer = 0; view !== undefined && layer <= MOST_LAYERS; layer++) {
    last = view;
    ranges.push(...found(view));
    view = unescapedView(view);
  }
  for (const joined of [joinedView(last), joinedLines(last)]) if (joined) ranges.push(...foundJoined(joined));
  return ranges.length === 0 ? text : masked(bytes, ranges);
}

/**
 * Masks each text in a document; its keys and numbers stay, so that it remains valid JSON. A secret that begins in one
 * text and ends in the next one masks both.
 */
export function redactTexts(document: unknown): unknown {
  const texts: { text: string }[] = [];
  const collected = mapTexts(document, (text) => {
    const one = { text: redact(text) };
    texts.push(one);
    return one;
  });
  for (const [index, one] of texts.entries()) {
    const next = texts[index + 1];
    if (next && isSplit(one.text, next.text)) {
      one.text = MASK;
      next.text = MASK;
    }
  }
  return collected();
}

type Range = readonly [start: number, end: number];

function* found(view: TextView): Generator<Range> {
  const { text } = view;
  const lower = text.toLowerCase();
  for (const { plain, base64, hex } of secrets.values()) {
    for (const form of plain) yield* occurrences(view, text, form);
    for (const form of hex) yield* occurrences(view, lower, form);
    for (const form of base64) {
      for (const at of positions(text, form)) {
        // The rest of the word belongs to the secret, such as the user name next to a password.
        const before = /[\w+-]*$/.exec(text.slice(Math.max(0, at - 200), at))?.[0].length ?? 0;
        const after = /^[\w+/-]{0,200}={0,2}/.exec(text.slice(at + form.length))?.[0].length ?? 0;
        yield bytesBehind(view, at - before, at + form.length + after);
      }
    }
  }
  for (const [length, same] of pieces)
    for (let at = 0; at + length <= text.length; at++)
      if (same.has(text.slice(at, at + length))) yield bytesBehind(view, at, at + length);
}

function* foundJoined(view: TextView): Generator<Range> {
  const { text } = view;
  const lower = text.toLowerCase();
  for (const { joined, base64, hex } of secrets.values()) {
    if (joined === undefined) continue;
    for (const form of [joined, ...base64]) yield* occurrences(view, text, form);
    for (const form of hex) yield* occurrences(view, lower, form);
  }
}

function* occurrences(view: TextView, text: string, form: string): Generator<Range> {
  for (const at of positions(text, form)) yield bytesBehind(view, at, at + form.length);
}

function* positions(text: string, form: string): Generator<number> {
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) yield at;
}

function masked(bytes: Buffer, ranges: Range[]): string {
  const pieces: Buffer[] = [];
  let end = 0;
  for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
    if (pieces.length === 0 || from > end) pieces.push(bytes.subarray(end, from), Buffer.from(MASK));
    end = Math.max(end, to);
  }
  return Buffer.concat([...pieces, bytes.subarray(end)]).toString();
}

/** Returns whether a secret begins at the end of one text and ends at the beginning of the other. */
function isSplit(one: string, other: string): boolean {
  const last = one.at(-1) ?? '';
  for (const secret of secrets.keys()) {
    for (let at = secret.indexOf(last); at >= 0 && at < secret.length - 1; at = secret.indexOf(last, at + 1))
      if (one.endsWith(secret.slice(0, at + 1)) && other.startsWith(secret.slice(at + 1))) return true;
  }
  return false;
}

/** Returns the document with each text replaced, after all texts are known. */
function mapTexts(value: unknown, collect: (text: string) => { readonly text: string }): () => unknown {
  if (typeof value === 'string') {
    const one = collect(value);
    return () => one.text;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => mapTexts(item, collect));
    return () => items.map((item) => item());
  }
  // Dates, and numbers that keep their spelling, are objects, too, with other prototypes.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return () => value;
  const entries = Object.entries(value).map(([key, item]) => [key, mapTexts(item, collect)] as const);
  return () => Object.fromEntries(entries.map(([key, item]) => [key, item()]));
}

/** The forms of a secret in a text. Every form consists of the characters of its bytes. */
interface SecretForms {
  readonly secret: string;
  /** Itself, also with `+` for a space. */
  readonly plain: readonly string[];
  /** Base64 and base64url of any text that contains it. */
  readonly base64: readonly string[];
  /** Lower case. */
  readonly hex: readonly string[];
  /** Itself without white space, if it is long enough to search for across gaps. */
  readonly joined: string | undefined;
  /** Its half at each position, of at most `PIECE` characters; empty for a short secret. */
  readonly pieces: ReadonlySet<string>;
}

/** Shorter secrets would mask ordinary words. */
const LEAST_SECRET = 4;
const LEAST_BASE64 = 6;
const LEAST_JOINED = 8;
/** A piece of a secret reveals too much if it has this length, or half of the secret's. */
const PIECE = 12;
const LEAST_FOR_PIECES = 12;

function secretForms(value: string): SecretForms {
  const secret = bytesOf(value);
  const bytes = Buffer.from(value);
  const plain = [...new Set([secret, secret.replaceAll(' ', '+')])];
  const joined = (joinedView(plainView(bytes)) ?? plainView(bytes)).text;
  return {
    secret,
    plain,
    base64: base64Forms(bytes),
    hex: bytes.length >= LEAST_SECRET ? [bytes.toString('hex')] : [],
    joined: joined.length >= LEAST_JOINED ? joined : undefined,
    pieces: new Set(isOneWord(value) ? piecesOf(secret) : []),
  };
}

/**
 * Returns whether a piece is a single word of an address or path, which is not secret on its own. A base64 key may also
 * begin with a slash, but such a key contains digits, and a path of words does not.
 */
function isOneWord(value: string): boolean {
  if (value.length < LEAST_FOR_PIECES || /\s|:\/\/|^\.{0,2}\/[^/]+\//.test(value)) return false;
  return !/^\.{0,2}\//.test(value) || (/\d/.test(value) && !/\.[a-z]+$/.test(value));
}

function piecesOf(secret: string): string[] {
  const length = Math.min(PIECE, Math.ceil(secret.length / 2));
  return Array.from({ length: secret.length - length + 1 }, (_one, at) => secret.slice(at, at + length));
}

/** Returns the characters in the base64 of a longer text that depend only on this part, for each offset of the part. */
function base64Forms(bytes: Buffer): string[] {
  const whole = [bytes.toString('base64'), bytes.toString('base64').replace(/=+$/, '')];
  const within = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), end);
  });
  const standard = [...whole, ...within].filter((form) => form.length >= LEAST_BASE64);
  const url = standard.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([...standard, ...url])];
}

/** A view of a text's bytes: each character of `text` is one byte. */
interface TextView {
  readonly text: string;
  /** The character at `i` was read from the bytes `starts[i]` to `ends[i]`; without `places`, from byte `i`. */
  readonly places?: { readonly starts: readonly number[]; readonly ends: readonly number[] };
}

function plainView(bytes: Buffer): TextView {
  return { text: bytes.toString('latin1') };
}

/** Returns the bytes that the characters from `from` to before `to` were read from. */
function bytesBehind({ places }: TextView, from: number, to: number): readonly [number, number] {
  return places ? [places.starts[from] ?? 0, places.ends[to - 1] ?? 0] : [from, to];
}

const ESCAPE =
  /%([0-9a-f]{2})|((?:\\u[0-9a-f]{4})+)|\\x([0-9a-f]{2})|\\(["'\\/])|&([a-z]{2,7});|&#(\d{1,7});|&#x([0-9a-f]{1,6});/gi;
/** Names of the ASCII characters in HTML, in lowercase. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    plus: '+',
    sol: '/',
    equals: '=',
    num: '#',
    excl: '!',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
    ast: '*',
    comma: ',',
    period: '.',
    colon: ':',
    semi: ';',
    quest: '?',
    commat: '@',
    lsqb: '[',
    lbrack: '[',
    bsol: '\\',
    rsqb: ']',
    rbrack: ']',
    hat: '^',
    lowbar: '_',
    grave: '`',
    lcub: '{',
    lbrace: '{',
    verbar: '|',
    vert: '|',
    rcub: '}',
    rbrace: '}',
  }),
);

/** The first character of each kind of escape: percent-encoding, JSON, HTML. */
const ESCAPE_MARKS = ['%', '\\', '&'] as const;

/**
 * Returns the text without one layer of percent-encoding, JSON escapes and HTML escapes, or only of those with one
 * `mark`; undefined if there is none.
 */
function unescapedView(view: TextView, mark?: string): TextView | undefined {
  if (mark !== undefined && !view.text.includes(mark)) return undefined;
  return replaced(view, ESCAPE, ([whole, percent, unicode, hex, character, entity, decimal, hexadecimal]) => {
    if (mark !== undefined && !whole.startsWith(mark)) return whole;
    if (percent ?? hex) return String.fromCharCode(Number.parseInt(percent ?? hex ?? '', 16));
    if (character !== undefined) return character;
    if (entity !== undefined) return ENTITIES.get(entity.toLowerCase()) ?? whole;
    if (unicode !== undefined) return bytesOf(JSON.parse(`"${unicode.toLowerCase()}"`) as string);
    const point = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    return point <= 0x10ffff ? bytesOf(String.fromCodePoint(point)) : whole;
  });
}

/** The characters between the parts of a text that was wrapped, colored, or split over fields or strings. */
const GAP =
  /\p{Cc}\[[0-9;]{0,20}[A-Za-z]|"\s{0,8}[,+]\s{0,8}"(?:[\w.-]{1,40}"\s{0,8}:\s{0,8}")?|"?\s{1,8}[\w.-]{1,40}="?|\\[nrt]|[\p{Cc}\s]+/gu;
/** A gap between lines that are quoted, or have a mark or number. */
const LABELLED_GAP = new RegExp(
  `["']?[ \\t]{0,8}[\\r\\n]{1,4}[ \\t]{0,40}(?:[>|#*+-]{1,4}|\\d{1,6}[:.|)])?[ \\t]{0,8}["']?|${GAP.source}`,
  'gu',
);

/** Returns the text without the characters between its parts; undefined if there are none. */
function joinedView(view: TextView): TextView | undefined {
  return replaced(view, GAP, () => '');
}

/** Returns a view without the characters at the ends of lines; undefined for one line. */
function joinedLines(view: TextView): TextView | undefined {
  return /[\r\n]/.test(view.text) ? replaced(view, LABELLED_GAP, () => '') : undefined;
}

/** Returns a text as the characters of its UTF-8 bytes. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function replaced(
  { text, places }: TextView,
  pattern: RegExp,
  by: (match: readonly (string | undefined)[] & { 0: string }) => string,
): TextView | undefined {
  const pieces: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const keep = (from: number, to: number): void => {
    pieces.push(text.slice(from, to));
    for (let index = from; index < to; index++) {
      starts.push(places?.starts[index] ?? index);
      ends.push(places?.ends[index] ?? index + 1);
    }
  };
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    keep(last, match.index);
    const piece = by(match);
    pieces.push(piece);
    for (let index = 0; index < piece.length; index++) {
      starts.push(places?.starts[match.index] ?? match.index);
      ends.push(places?.ends[end - 1] ?? end);
    }
    last = end;
  }
  if (last === 0) return undefined;
  keep(last, text.length);
  return { text: pieces.join(''), places: { starts, ends } };
}
