/** A reading of a text's bytes: each character of `text` is one byte. */
export interface TextView {
  readonly text: string;
  /** The character at `i` was read from the bytes `starts[i]` to `ends[i]`; without places from byte `i`. */
  readonly places?: { readonly starts: readonly number[]; readonly ends: readonly number[] };
}

/** The unchanged bytes. */
export function plainView(bytes: Buffer): TextView {
  return { text: bytes.toString('latin1') };
}

/** The bytes that the characters from `from` to before `to` were read from. */
export function bytesBehind({ places }: TextView, from: number, to: number): readonly [number, number] {
  return places ? [places.starts[from] ?? 0, places.ends[to - 1] ?? 0] : [from, to];
}

const ESCAPE =
  /%([0-9a-f]{2})|((?:\\u[0-9a-f]{4})+)|\\x([0-9a-f]{2})|\\(["'\\/])|&([a-z]{2,7});|&#(\d{1,7});|&#x([0-9a-f]{1,6});/gi;
/** Names of the ASCII characters in HTML, in lower case. */
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
export const ESCAPE_MARKS = ['%', '\\', '&'] as const;

/**
 * The text without one layer of percent-encoding, JSON escapes and HTML escapes, or of those with one `mark` only;
 * undefined if there is none.
 */
export function unescapedView(view: TextView, mark?: string): TextView | undefined {
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

/** The characters between the parts of a text that was wrapped, coloured, or split over fields or strings. */
const GAP =
  /\p{Cc}\[[0-9;]{0,20}[A-Za-z]|"\s{0,8}[,+]\s{0,8}"(?:[\w.-]{1,40}"\s{0,8}:\s{0,8}")?|"?\s{1,8}[\w.-]{1,40}="?|\\[nrt]|[\p{Cc}\s]+/gu;
/** A gap between lines that are quoted, or have a mark or number. */
const LABELLED_GAP = new RegExp(
  `["']?[ \\t]{0,8}[\\r\\n]{1,4}[ \\t]{0,40}(?:[>|#*+-]{1,4}|\\d{1,6}[:.|)])?[ \\t]{0,8}["']?|${GAP.source}`,
  'gu',
);

/** The text without the characters between the parts of a split text; undefined if there are none. */
export function joinedView(view: TextView): TextView | undefined {
  return replaced(view, GAP, () => '');
}

/** A view without what stands at the ends of lines; undefined for one line. */
export function joinedLines(view: TextView): TextView | undefined {
  return /[\r\n]/.test(view.text) ? replaced(view, LABELLED_GAP, () => '') : undefined;
}

/** A text as the characters of its UTF-8 bytes. */
export function bytesOf(text: string): string {
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
    const piece = by(match as unknown as readonly (string | undefined)[] & { 0: string });
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
