import { parseJsonAsWritten } from '../../../core/json.ts';
import { type Item, isItem } from './item.ts';

/**
 * The top-level items of a block of JSON-LD: the object, each object of a list, each node of a `@graph`. They stay as
 * they are written, and contexts are not loaded. Null for a block that is no JSON, or nests too deep to read. A comment of HTML or a CDATA section
 * around the block does not count.
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
