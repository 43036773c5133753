import { absoluteUrl } from '../../../../core/net/web-url.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { collapsed } from '../text/text.ts';
import { attribute, type Element, isElement, type ParentNode, textContent, tokens, walk } from '../tree.ts';
import { addValue, type Item, type Resolve, typedItem } from './item.ts';

const ADDRESS: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  audio: 'src',
  embed: 'src',
  iframe: 'src',
  img: 'src',
  link: 'href',
  object: 'data',
  source: 'src',
  track: 'src',
  video: 'src',
};

/** The most items that are read from a page: with `itemref`, a few elements could expand beyond the memory. */
const MOST_ITEMS = 10_000;

/**
 * Returns the top-level items of microdata: elements with `itemscope` and no `itemprop`. Properties are those within,
 * and those of elements that `itemref` names. An item that would contain itself is left out there, and so is everything
 * after ten thousand items. White space in texts is collapsed. `content` is the value of any element, not only of
 * `meta`, as for search engines and in schema.org's examples.
 *
 * Sources: https://html.spec.whatwg.org/multipage/microdata.html; https://w3c.github.io/microdata-rdf/ (`content`)
 */
export function microdataItems(root: ParentNode, resolve: Resolve): Item[] {
  const scopes: Element[] = [];
  const byId = new Map<string, Element>();
  walk(root, (node) => {
    if (!isElement(node)) return false;
    const id = attribute(node, 'id');
    if (id !== null && !byId.has(id)) byId.set(id, node);
    if (has(node, 'itemscope') && !has(node, 'itemprop')) scopes.push(node);
    return true;
  });
  const reader = new MicrodataReader(byId, resolve);
  return scopes.map((scope) => reader.read(scope, new Set()));
}

class MicrodataReader {
  readonly #byId: ReadonlyMap<string, Element>;
  readonly #resolve: Resolve;
  #read = 0;

  constructor(byId: ReadonlyMap<string, Element>, resolve: Resolve) {
    this.#byId = byId;
    this.#resolve = resolve;
  }

  read(scope: Element, around: ReadonlySet<Element>): Item {
    this.#read++;
    // Only an absolute URL is a type.
    const types = tokens(attribute(scope, 'itemtype')).filter((type) => absoluteUrl(type) !== null);
    const item = typedItem(types, attribute(scope, 'itemid'), this.#resolve);
    const within = new Set([...around, scope]);
    for (const element of this.#properties(scope))
      for (const name of new Set(tokens(attribute(element, 'itemprop'))))
        addValue(
          item,
          name,
          has(element, 'itemscope') ? this.#nested(element, within) : this.#value(element),
        );
    return item;
  }

  #nested(element: Element, within: ReadonlySet<Element>): Item | null {
    return within.has(element) || this.#read >= MOST_ITEMS ? null : this.read(element, within);
  }

  /** Returns the elements that add properties to an item, in the order of the walk. */
  #properties(scope: Element): Set<Element> {
    const found = new Set<Element>();
    const visited = new Set<Element>([scope]);
    const visit = (element: Element): boolean => {
      if (visited.has(element)) return false;
      visited.add(element);
      if (tokens(attribute(element, 'itemprop')).length > 0) found.add(element);
      return !has(element, 'itemscope');
    };
    const below = (element: Element): void => walk(element, (node) => isElement(node) && visit(node));
    below(scope);
    for (const id of tokens(attribute(scope, 'itemref'))) {
      const element = this.#byId.get(id);
      if (element !== undefined && visit(element)) below(element);
    }
    return found;
  }

  #value(element: Element): string {
    const { tagName } = element;
    const content = attribute(element, 'content');
    if (content !== null || tagName === 'meta') return content ?? '';
    const name = lookUp(ADDRESS, tagName);
    const address = name === undefined ? null : attribute(element, name);
    if (address !== null) return this.#resolve(address) ?? address;
    if (name !== undefined) return '';
    if (tagName === 'data' || tagName === 'meter') return attribute(element, 'value') ?? '';
    const time = tagName === 'time' ? attribute(element, 'datetime') : null;
    return time ?? collapsed(textContent(element)) ?? '';
  }
}

function has(element: Element, name: string): boolean {
  return attribute(element, name) !== null;
}
