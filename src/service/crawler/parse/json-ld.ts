import { parseJsonAsWritten } from '../../../core/json.ts';
import { type Item, isItem } from './item.ts';

/** Characters of a block that is read: a reader of JSON takes 20 times as much for one that nests. */
const LONGEST_BLOCK = 2_000_000;

/**
 * The top-level items of a block of JSON-LD: the object, each object of a list, each node of a `@graph`. They stay as
 * they are written, and contexts are not loaded. Null for a block that is no JSON, nests too deep to read, or is longer
 * than 2 million characters. A comment of HTML or a CDATA section around the block does not count.
 *
 * Source: https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents
 */
export function jsonLdItems(block: string): Item[] | null {
  const bare = block
    .trim()
    .replace(/^(?:\/[/*]\s*)?(?:<!--|<!\[CDATA\[)(?:\s*\*\/)?/, '')
    .replace(/(?:\/[/*]\s*)?(?:-->|\]\]>)(?:\s*\*\/)?$/, '')
    .trim();
  if (bare === '') return [];
  if (bare.length > LONGEST_BLOCK) return null;
  let value: unknown;
  try {
    value = parseJsonAsWritten(bare);
  } catch (error) {
    // A RangeError: it nests deeper than the stack reaches.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
  return (Array.isArray(value) ? value : [value]).filter(isItem).flatMap(nodes);
}

function nodes(item: Item): Item[] {
  const graph = item['@graph'];
  if (graph === undefined) return [item];
  return (Array.isArray(graph) ? graph : [graph]).filter(isItem);
}
