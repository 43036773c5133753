/** An item of structured data in the manner of JSON-LD: `@type`, `@id`, properties by name. */
export type Item = Record<string, unknown>;

/** Items below this depth are dropped: such nesting is not intended, and writing it as JSON would exhaust the stack. */
export const DEEPEST = 64;

/** The absolute address of an element's address; null if it is invalid. */
export type Resolve = (href: string) => string | null;

export function newItem(): Item {
  return Object.create(null) as Item;
}

/** Returns the item of an element, with its types and its identifying address, before its properties. */
export function typedItem(types: readonly string[], id: string | null | undefined, resolve: Resolve): Item {
  const item = newItem();
  if (types.length > 0) item['@type'] = types.length === 1 ? types[0] : types;
  if (typeof id === 'string') item['@id'] = resolve(id) ?? id;
  return item;
}

/** Adds a value to a property. A second value turns the property into a list. */
export function addValue(item: Item, property: string, value: unknown): void {
  const former = item[property];
  if (former === undefined) item[property] = value;
  else if (Array.isArray(former)) former.push(value);
  else item[property] = [former, value];
}

/** `Product` for `https://schema.org/Product` and `schema:Product`; names of other vocabularies stay unchanged. */
export function schemaName(name: string): string {
  return name.replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)(?=.)/i, '');
}

/** Returns the types of an item; in schema.org's context, `type` is another name of `@type`. */
export function typesOf(item: Item): string[] {
  const type = item['@type'] ?? item.type;
  return (Array.isArray(type) ? type : [type])
    .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
    .map((one) => schemaName(one.trim()));
}

export function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the types of an item and of all items in it, and whether it nests too deep. The type of a value, such as
 * `xsd:date`, and definitions of terms in a context do not count.
 */
export function inspectItem(item: Item): { readonly types: string[]; readonly isTooDeep: boolean } {
  const types: string[] = [];
  let level: unknown[] = [item];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return { types, isTooDeep: true };
    const below: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      if (isItem(value) && !('@value' in value)) types.push(...typesOf(value));
      for (const [name, inner] of Object.entries(value)) if (name !== '@context') below.push(inner);
    }
    level = below;
  }
  return { types, isTooDeep: false };
}
