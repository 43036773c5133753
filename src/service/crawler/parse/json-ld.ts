import { parseJsonAsWritten } from '../../../core/text/json.ts';
import { type Item, isItem } from './item.ts';
import { JsonLdGraph } from './json-ld-graph.ts';

/** Characters of a block that is read: a reader of JSON takes 20 times as much for one that nests. */
const LONGEST_BLOCK = 2_000_000;

/**
 * The items of all blocks of JSON-LD of a page, which are one graph; null for a block that is no JSON, nests too deep to
 * read, or is longer than 2 million characters. Contexts are not loaded. A comment of HTML or a CDATA section around a
 * block does not count.
 *
 * Source: https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents
 *
 * @param url what identifiers are resolved against
 */
export function jsonLdItems(blocks: readonly string[], url: string): (Item | null)[] {
  const read = blocks.map(readBlock);
  const graph = new JsonLdGraph(url);
  for (const items of read) for (const item of items ?? []) graph.add(item);
  return read.flatMap((items) => (items === null ? [null] : items.flatMap((item) => graph.itemsOf(item))));
}

/** The top-level objects of a block. */
function readBlock(block: string): Item[] | null {
  const bare = block
    .trim()
    .replace(/^(?:\/[/*]\s*)?(?:<!--|<!\[CDATA\[)(?:\s*\*\/)?/, '')
    .replace(/(?:\/[/*]\s*)?(?:-->|\]\]>)(?:\s*\*\/)?$/, '')
    .trim();
  if (bare === '') return [];
  if (bare.length > LONGEST_BLOCK) return null;
  try {
    const value = parseJsonAsWritten(bare);
    return (Array.isArray(value) ? value : [value]).filter(isItem);
  } catch (error) {
    // A RangeError: it nests deeper than the stack reaches.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}
