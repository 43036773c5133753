import { webUrl } from '../../../../core/net/web-url.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { INVERSES } from './google-rules.ts';
import { addValue, DEEPEST, type Item, isItem, newItem, schemaName, typesOf } from './item.ts';
import { type Around, hasRules, objectsOf } from './required-properties.ts';

/** Keywords that say nothing about a node itself. */
const KEYWORDS = new Set(['@context', '@graph', '@id', '@included', '@index', '@reverse', 'id']);
const NOTHING: ReadonlySet<string> = new Set();
/** Properties whose values are separate items, not parts of the item. */
const OWN = new Set(
  'breadcrumb hasMemberProgram hasMerchantReturnPolicy hasPart item itemListElement mainEntity subjectOf video'.split(
    ' ',
  ),
);
export function isOwn(property: string): boolean {
  return OWN.has(schemaName(property));
}

/** Values of a property that are searched for an existing one. */
const MOST_COMPARED = 50;

/**
 * The nodes of a page's JSON-LD, after the flattening algorithm: all objects with the same `@id` form one node,
 * wherever they are, and `@reverse` adds its property to the other node. A node stays nested if it is a part of another
 * one, such as the offer of a product.
 *
 * Source: https://www.w3.org/TR/json-ld11-api/#flattening-algorithm
 */
export class JsonLdGraph implements Around {
  readonly #url: string;
  /** The first object of each identifier. */
  readonly #written = new Map<string, Item>();
  /** Nodes with more than the content of one object, by identifier, or by the object without one. */
  readonly #joined = new Map<string | Item, Item>();
  readonly #listed = new Set<Item>();
  /** Placeholders for the object around a `@reverse`, which would contain itself. */
  readonly #stubs = new Map<Item, Item>();
  /** Properties that other nodes give a node by their inverses, by its identifier or its object. */
  readonly #said = new Map<string | Item, Set<string>>();

  /** @param url base of identifiers */
  constructor(url: string) {
    this.#url = url;
  }

  /** Adds an object and all objects within it. */
  add(value: unknown, depth = 0): void {
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
    if (isItem(value)) {
      if (isNode(value)) this.#note(value);
      if (isItem(value['@reverse'])) this.#reverse(value, value['@reverse']);
      this.#noteInverses(value);
    }
    for (const inner of Object.values(value)) this.add(inner, depth + 1);
  }

  /**
   * The items of an object: itself, the content of its `@graph`, and the nodes within it that search engines use
   * independently. A node that consists of several objects is at the position of the first object.
   */
  itemsOf(object: Item, depth = 0, isTop = true): Item[] {
    if (depth > DEEPEST) return [];
    const node = this.nodeOf(object);
    const isUsed = isTop || typesOf(node).some(hasRules);
    const isListed = isUsed && isNode(node) && !this.#listed.has(node);
    if (isListed) this.#listed.add(node);
    const inner = (value: unknown, isTopToo: boolean): Item[] =>
      objectsOf(value).flatMap((object) => this.itemsOf(object, depth + 1, isTopToo));
    const within = Object.entries(object).flatMap(([name, value]) => {
      if (name === '@graph' || name === '@included') return inner(value, isTop);
      if (name === '@reverse' && isItem(value)) return inner(Object.values(value), false);
      return isOwn(name) ? inner(value, false) : [];
    });
    return isListed ? [node, ...within] : within;
  }

  /** Returns the node of an object, with the content of all its objects. */
  nodeOf = (object: Item): Item => {
    const key = this.#keyOf(this.#stubs.get(object) ?? object);
    return (
      this.#joined.get(key) ??
      (typeof key === 'string' ? this.#written.get(key) : undefined) ??
      (typeof key === 'string' ? object : key)
    );
  };

  saidOf = (object: Item): ReadonlySet<string> => this.#said.get(this.#keyOf(object)) ?? NOTHING;

  /**
   * Records inverses. An item that a property refers to, by address or as an object, has the inverse of the property.
   */
  #noteInverses(object: Item): void {
    for (const [name, value] of Object.entries(object)) {
      const inverse = lookUp(INVERSES, schemaName(name));
      if (inverse === undefined) continue;
      const named = [value].flat(DEEPEST).filter((one) => typeof one === 'string');
      for (const target of [...objectsOf(value), ...named.map((id) => ({ '@id': id }))])
        this.#say(target, inverse);
    }
  }

  #say(target: Item, property: string): void {
    const key = this.#keyOf(target);
    this.#said.set(key, (this.#said.get(key) ?? new Set()).add(property));
  }

  #keyOf(object: Item): string | Item {
    const id = object['@id'] ?? object.id;
    if (typeof id !== 'string') return object;
    return webUrl(id, this.#url)?.href ?? id;
  }

  #note(object: Item): void {
    const key = this.#keyOf(object);
    if (typeof key !== 'string') return;
    const first = this.#written.get(key);
    if (first === undefined) this.#written.set(key, object);
    if (first !== undefined || this.#joined.has(key)) join(this.#join(key, first ?? object), object);
  }

  /** Returns a node with more content than its first object. */
  #join(key: string | Item, first: Item): Item {
    const known = this.#joined.get(key);
    if (known !== undefined) return known;
    const node = newItem();
    for (const [name, value] of Object.entries(first)) node[name] = Array.isArray(value) ? [...value] : value;
    this.#joined.set(key, node);
    return node;
  }

  #reverse(origin: Item, properties: Item): void {
    for (const [name, value] of Object.entries(properties)) {
      const inverse = lookUp(INVERSES, schemaName(name));
      for (const target of objectsOf(value)) {
        if (inverse !== undefined) this.#say(origin, inverse);
        const key = this.#keyOf(target);
        const first = typeof key === 'string' ? (this.#written.get(key) ?? { '@id': target['@id'] }) : target;
        const { '@id': id, '@type': type } = origin;
        const stub: Item = typeof id === 'string' ? { '@id': id } : { '@type': type };
        this.#stubs.set(stub, origin);
        addValue(this.#join(key, first), name, stub);
      }
    }
  }
}

/** Returns whether an object has more than the identifier of its node. */
function isNode(object: Item): boolean {
  return !('@value' in object) && Object.keys(object).some((name) => !KEYWORDS.has(name));
}

function join(node: Item, object: Item): void {
  for (const [name, value] of Object.entries(object)) {
    if (KEYWORDS.has(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      const former = node[name];
      const values = Array.isArray(former) ? former.slice(0, MOST_COMPARED) : [former];
      if (!values.includes(one)) addValue(node, name, one);
    }
  }
}
