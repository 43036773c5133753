import type { StructuredDataFormat, StructuredDataRecord } from '../records.ts';
import { type Item, inspectItem, typesOf } from './item.ts';
import { jsonLdItems } from './json-ld.ts';
import { microdataItems } from './microdata.ts';
import { rdfaItems } from './rdfa.ts';
import type { DocumentFacts } from './read-document.ts';
import { missingProperties } from './required-properties.ts';
import { distinct } from './text.ts';

/**
 * The items of structured data of a page: one record for each item of JSON-LD (`json-ld-graph.ts`), and each top-level
 * item of microdata and RDFa, in this order. `type` is the item's first type. An item is valid if it has a type and all properties that its types require,
 * or the parents of its types.
 * A block of JSON-LD that is no JSON is an item without a type that is not valid, so that the fault is seen.
 *
 * `types` has the types of all items, also of those within others.
 */
export function structuredData(
  url: string,
  { root, jsonLd, hasMicrodata, hasRdfa }: DocumentFacts,
  resolve: (href: string) => string | null,
): { readonly records: StructuredDataRecord[]; readonly types: string[] | null } {
  const records: StructuredDataRecord[] = [];
  const allTypes: string[] = [];
  const add = (format: StructuredDataFormat, item: Item | null): void => {
    const { types, isTooDeep } = item === null ? { types: [], isTooDeep: false } : inspectItem(item);
    const own = item === null ? [] : typesOf(item);
    const missing = item === null ? [] : missingProperties(item, own);
    allTypes.push(...types);
    records.push({
      url,
      format,
      type: own[0] ?? null,
      position: records.length,
      valid: own.length > 0 && missing.length === 0 && !isTooDeep,
      missing_properties: distinct(missing),
      item: isTooDeep ? null : item,
    });
  };
  for (const item of jsonLdItems(jsonLd, url)) add('json-ld', item);
  if (hasMicrodata) for (const item of microdataItems(root, resolve)) add('microdata', item);
  if (hasRdfa) for (const item of rdfaItems(root, resolve)) add('rdfa', item);
  return { records, types: distinct(allTypes) };
}
