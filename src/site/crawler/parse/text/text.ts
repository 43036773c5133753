/** Invisible characters that do not change others: soft hyphens and word joiners. Direction marks order a text. */
const INVISIBLE = /[\u00ad\u180e\u2060-\u2064\ufeff]/g;
/** A zero-width space separates words, and is not one. */
const BLANK = /[\s\u200b]+/g;
/** ASCII words with single spaces between them, as in most texts. */
const IS_SHORT = /^[!-~]+(?: [!-~]+)*$/;
/** Invisible texts: joiners, fillers and variation selectors without a letter, and the empty Braille pattern. */
const NOTHING = /^[\p{Default_Ignorable_Code_Point}\u2800 ]*$/u;
/** All invisible characters, except for the space that separates words. */
const UNSEEN = /(?!\u200b)\p{Default_Ignorable_Code_Point}/gu;

/** Visible text with white space collapsed and trimmed; null if nothing is left. */
export function collapsed(text: string): string | null {
  if (IS_SHORT.test(text)) return text;
  const short = text.replaceAll(INVISIBLE, '').replaceAll(BLANK, ' ').trim();
  return NOTHING.test(short) ? null : short;
}

/**
 * Characters that are processed at a time: the word lists of several megabytes would need more memory than a thread
 * has.
 */
const PIECE = 65_536;

/** Returns a text in pieces of lines, split at white space. */
function* pieces(text: string): Generator<string> {
  const space = /\s/g;
  for (let at = 0; at < text.length; ) {
    space.lastIndex = at + PIECE;
    const end = space.lastIndex < text.length ? (space.exec(text)?.index ?? text.length) : text.length;
    yield text.slice(at, end);
    at = end;
  }
}

/** Number of characters, by code point, as SQL's `length` counts. */
export function characters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at++)
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      pairs++;
      at++;
    }
  return text.length - pairs;
}

/** Returns the list without repetitions, or null if it is empty. */
export function distinct<T>(values: Iterable<T>): T[] | null {
  const list = [...new Set(values)];
  return list.length === 0 ? null : list;
}

/**
 * A word is a run of letters and digits with their marks, also with apostrophes or hyphens inside (`don't`,
 * `low-cost`). In scripts without spaces between words (such as Chinese, Japanese and Thai) each character is one.
 *
 * Source: after Unicode Standard Annex #29, https://unicode.org/reports/tr29/#Word_Boundaries, without its
 * dictionaries: they differ between versions of Node, and so would the counts.
 */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]\p{M}*|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}])[\p{L}\p{N}]\p{M}*)+(?:['’\-.](?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}])[\p{L}\p{N}]\p{M}*)+)*/gu;
/** Words of texts with only Latin letters: four times as fast. */
const PLAIN = /[A-Za-z0-9ª²³¹µº¼-¾À-ÖØ-öø-ɏ]+(?:['’\-.][A-Za-z0-9ª²³¹µº¼-¾À-ÖØ-öø-ɏ]+)*/g;
const IS_ASCII = /^[\0-\x7f]*$/;
const IS_PLAIN = /^[\0-ɏ\u2000-\u22ff]*$/;

export function words(text: string): string[] {
  if (IS_ASCII.test(text)) return text.match(PLAIN) ?? [];
  const said = text.replaceAll(UNSEEN, '');
  return said.match(IS_PLAIN.test(said) ? PLAIN : WORD) ?? [];
}

/** Kinds of characters of Latin texts; 0: needs a closer check. */
const [LETTER, JOINER, BLANK_SPACE, OTHER] = [1, 2, 3, 4];
const LATIN = new Uint8Array(0x2300);
for (const [code] of LATIN.entries()) {
  const character = String.fromCharCode(code);
  if (!IS_PLAIN.test(character)) continue;
  if (words(character).length > 0) LATIN[code] = LETTER;
  else if (/['’\-.]/.test(character)) LATIN[code] = JOINER;
  else if (/[\s\u200b]/.test(character)) LATIN[code] = BLANK_SPACE;
  else if (collapsed(character) !== null) LATIN[code] = OTHER;
}

/** Returns the number of words of a text, and of its characters after white space is collapsed and trimmed. */
export function measures(text: string): { readonly words: number; readonly length: number } {
  let [count, length] = [0, 0];
  for (const piece of pieces(text)) {
    const measured = latinMeasures(piece) ?? {
      words: words(piece).length,
      length: collapsed(piece)?.length ?? 0,
    };
    count += measured.words;
    if (measured.length > 0) length += measured.length + (length > 0 ? 1 : 0);
  }
  return { words: count, length };
}

/** Measures a text of Latin letters and common marks without a list of its words; null for another text. */
function latinMeasures(text: string): ReturnType<typeof measures> | null {
  let [count, length] = [0, 0];
  let [before, last] = [BLANK_SPACE, BLANK_SPACE];
  for (let at = 0; at < text.length; at++) {
    const kind = LATIN[text.charCodeAt(at)];
    if (kind === 0 || kind === undefined) return null;
    if (kind !== BLANK_SPACE) length += last === BLANK_SPACE && length > 0 ? 2 : 1;
    if (kind === LETTER && last !== LETTER && !(last === JOINER && before === LETTER)) count++;
    [before, last] = [last, kind];
  }
  return { words: count, length };
}

/** Returns the words of each line of a text, in lowercase. Each iteration computes them again. */
export function wordBlocks(text: string): Iterable<readonly string[]> {
  return { [Symbol.iterator]: () => blocksOf(text) };
}

function* blocksOf(text: string): Generator<readonly string[]> {
  for (const piece of pieces(text))
    for (const line of piece.toLowerCase().split('\n')) {
      const block = words(line);
      if (block.length > 0) yield block;
    }
}
