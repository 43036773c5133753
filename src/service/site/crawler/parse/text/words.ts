import { joined, pieces } from './text.ts';

/**
 * A word is a run of letters and digits with the marks on them, also with apostrophes or hyphens inside (`don't`,
 * `low-cost`). In scripts without spaces between words (Chinese, Japanese, Thai and their like) each character is one.
 *
 * Source: after Unicode Standard Annex #29, https://unicode.org/reports/tr29/#Word_Boundaries, without its dictionaries:
 * they differ from one version of Node to the next, and so would the counts.
 */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]\p{M}*|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}])[\p{L}\p{N}]\p{M}*)+(?:['’\-.](?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}])[\p{L}\p{N}]\p{M}*)+)*/gu;
/** Words of texts that have only Latin letters: four times as fast. */
const PLAIN = /[A-Za-z0-9ª²³¹µº¼-¾À-ÖØ-öø-ɏ]+(?:['’\-.][A-Za-z0-9ª²³¹µº¼-¾À-ÖØ-öø-ɏ]+)*/g;
const IS_ASCII = /^[\0-\x7f]*$/;
const IS_PLAIN = /^[\0-ɏ\u2000-\u22ff]*$/;

export function words(text: string): string[] {
  if (IS_ASCII.test(text)) return text.match(PLAIN) ?? [];
  const said = joined(text);
  return said.match(IS_PLAIN.test(said) ? PLAIN : WORD) ?? [];
}

export function countWords(text: string): number {
  let count = 0;
  for (const piece of pieces(text)) count += words(piece).length;
  return count;
}

/** The words of each line of a text, in lower case; they are made anew by each that reads them. */
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
