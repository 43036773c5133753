import { parseJsonAsWritten } from '../../../../core/text/json.ts';
import type { StructuredDataFormat, StructuredDataRecord } from '../../records/records.ts';
import type { DocumentFacts } from '../read-document.ts';
import { distinct } from '../text/text.ts';
import { DEEPEST, type Item, inspectItem, isItem, typesOf } from './item.ts';
import { isOwn, JsonLdGraph } from './json-ld-graph.ts';
import { microdataItems } from './microdata.ts';
import { rdfaItems } from './rdfa.ts';
import { ALONE, hasRules, missingProperties, objectsOf } from './required-properties.ts';

/** Characters of a block that is read: a JSON reader needs 20 times as much for a nested one. */
const LONGEST_BLOCK = 2_000_000;

/**
 * Returns the items of structured data of a page: one record for each item of JSON-LD (`json-ld-graph.ts`), and each
 * top-level item of microdata and RDFa, in this order. `type` is the item's first type. An item is valid if it has a
 * type, and all properties that its types or their parents require of it and its parts. An element of microdata without
 * a type only groups others (HTML, "the microdata model"), and is valid. A block of JSON-LD that is not JSON is an
 * invalid item without a type, so that the fault is visible.
 *
 * `types` contains the types of all items, also of nested ones.
 */
export function structuredData(
  url: string,
  { root, jsonLd, hasMicrodata, hasRdfa }: DocumentFacts,
  resolve: (href: string) => string | null,
): { readonly records: StructuredDataRecord[]; readonly types: string[] | null } {
  const records: StructuredDataRecord[] = [];
  const allTypes: string[] = [];
  const add = (format: StructuredDataFormat, item: Item | null, around = ALONE): void => {
    const { types, isTooDeep } = item === null ? { types: [], isTooDeep: false } : inspectItem(item);
    const own = item === null ? [] : typesOf(item);
    const missing = item === null ? [] : missingProperties(item, around);
    allTypes.push(...types);
    records.push({
      url,
      format,
      type: own[0] ?? null,
      position: records.length,
      valid: (own.length > 0 || format === 'microdata') && missing.length === 0 && !isTooDeep,
      missing_properties: distinct(missing),
      item: isTooDeep ? null : item,
    });
  };
  const graph = new JsonLdGraph(url);
  for (const item of jsonLdItems(jsonLd, graph)) add('json-ld', item, graph);
  if (hasMicrodata) for (const item of withOwn(microdataItems(root, resolve))) add('microdata', item);
  if (hasRdfa) for (const item of withOwn(rdfaItems(root, resolve))) add('rdfa', item);
  return { records, types: distinct(allTypes) };
}

/**
 * Items of elements, each followed by the items within it that search engines use independently, as in JSON-LD. For an
 * item without a type, which only groups others, these are all its values.
 */
function withOwn(items: readonly Item[], depth = 0, isTop = true): Item[] {
  if (depth > DEEPEST) return [];
  return items.flatMap((item) => {
    const isGroup = typesOf(item).length === 0;
    const values = Object.entries(item).filter(([name]) => isGroup || isOwn(name));
    const within = withOwn(objectsOf(values.map(([, value]) => value)), depth + 1, isGroup);
    return isGroup || isTop || typesOf(item).some(hasRules) ? [item, ...within] : within;
  });
}

/**
 * Returns the items of all blocks of JSON-LD of a page, which are one graph; null for a block that is not JSON, nests
 * too deep to read, or is longer than 2 million characters. Contexts are not loaded. A comment of HTML or a CDATA
 * section around a block does not count.
 *
 * Source: https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents
 */
function jsonLdItems(blocks: readonly string[], graph: JsonLdGraph): (Item | null)[] {
  const read = blocks.map(readBlock);
  for (const items of read) for (const item of items ?? []) graph.add(item);
  return read.flatMap((items) => (items === null ? [null] : items.flatMap((item) => graph.itemsOf(item))));
}

function readBlock(block: string): Item[] | null {
  const bare = block
    .trim()
    .replace(/^(?:\/[/*]\s*)?(?:<!--|<!\[CDATA\[)(?:\s*\*\/)?/, '')
    .replace(/(?:\/[/*]\s*)?(?:-->|\]\]>)(?:\s*\*\/)?$/, '')
    .trim();
  if (bare === '') return [];
  if (bare.length > LONGEST_BLOCK) return null;
  try {
    return [parseJsonAsWritten(bare)].flat(DEEPEST).filter(isItem);
  } catch (error) {
    // A RangeError: it nests deeper than the stack reaches.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}
