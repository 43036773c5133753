import { collapsed } from '../text/text.ts';
import { attribute, type Element, isElement, type ParentNode, textContent, tokens, walk } from '../tree.ts';
import { addValue, type Item, type Resolve, typedItem } from './item.ts';

/** The context that an element passes to those within. */
interface Context {
  readonly element: Element | null;
  readonly item: Item | null;
  readonly vocab: string | null;
  readonly prefixes: ReadonlyMap<string, string>;
}

/** The prefixes of the RDFa initial context that pages use (https://www.w3.org/2011/rdfa-context/rdfa-1.1). */
const COMMON_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['schema', 'http://schema.org/'],
  ['og', 'http://ogp.me/ns#'],
  ['foaf', 'http://xmlns.com/foaf/0.1/'],
  ['dc', 'http://purl.org/dc/terms/'],
  ['dcterms', 'http://purl.org/dc/terms/'],
  ['gr', 'http://purl.org/goodrelations/v1#'],
  ['v', 'http://rdf.data-vocabulary.org/#'],
]);
const ADDRESSES = ['resource', 'href', 'src'];

/**
 * Returns the top-level items of RDFa Lite: elements with `typeof` that are not properties of another item. A
 * property's value is the item that begins at its element, else `content`, `resource`, `href`, `src`, `datetime`, else
 * the text, with white space collapsed. Names lose the prefix of schema.org; other names become full addresses. `rel`,
 * `rev` and `inlist` are not read: they belong to RDFa Core.
 *
 * Sources: https://www.w3.org/TR/rdfa-lite/, and for values https://www.w3.org/TR/rdfa-core/#s_sequence
 */
export function rdfaItems(root: ParentNode, resolve: Resolve): Item[] {
  const items: Item[] = [];
  const contexts: Context[] = [{ element: null, item: null, vocab: null, prefixes: COMMON_PREFIXES }];
  walk(
    root,
    (node) => {
      if (!isElement(node)) return false;
      const around = contexts.at(-1);
      if (around !== undefined && node.attrs.length > 0) {
        const within = enter(node, around, items, resolve);
        if (within !== around) contexts.push(within);
      }
      return true;
    },
    (element) => {
      if (contexts.at(-1)?.element === element) contexts.pop();
    },
  );
  return items;
}

function enter(element: Element, around: Context, items: Item[], resolve: Resolve): Context {
  const types = attribute(element, 'typeof');
  const properties = tokens(attribute(element, 'property'));
  const vocab = attribute(element, 'vocab');
  const prefix = attribute(element, 'prefix');
  if (types === null && properties.length === 0 && vocab === null && prefix === null) return around;

  const scope: Context = {
    ...around,
    element,
    vocab: vocab === null ? around.vocab : withSlash(vocab.trim()) || null,
    prefixes: prefix === null ? around.prefixes : new Map([...around.prefixes, ...declared(prefix)]),
  };
  const id = ['about', ...ADDRESSES].map((name) => attribute(element, name)).find((value) => value !== null);
  const names = tokens(types).map((type) => expanded(type, scope));
  const item = types === null ? null : typedItem(names, id, resolve);
  if (around.item !== null)
    for (const name of properties)
      addValue(around.item, expanded(name, scope), item ?? propertyValue(element, resolve));
  if (item === null) return scope;
  if (around.item === null || properties.length === 0) items.push(item);
  return { ...scope, item };
}

function propertyValue(element: Element, resolve: Resolve): string {
  const content = attribute(element, 'content');
  if (content !== null) return content;
  for (const name of ADDRESSES) {
    const address = attribute(element, name);
    if (address !== null) return resolve(address) ?? address;
  }
  return attribute(element, 'datetime') ?? collapsed(textContent(element)) ?? '';
}

/** Returns a name as a full address, without the prefix of schema.org. */
function expanded(name: string, { vocab, prefixes }: Context): string {
  const colon = name.indexOf(':');
  const space = colon < 0 ? (vocab ?? '') : prefixes.get(name.slice(0, colon).toLowerCase());
  const whole = space === undefined ? name : space + name.slice(colon + 1);
  return whole.replace(/^https?:\/\/(?:www\.)?schema\.org\/(?=.)/i, '');
}

function declared(prefix: string): [string, string][] {
  return [...prefix.matchAll(/([^\s:]+):\s+(\S+)/g)].map(([, name = '', space = '']) => [
    name.toLowerCase(),
    withSlash(space),
  ]);
}

/** Schema.org's address may end without its slash, as search engines read it. */
function withSlash(space: string): string {
  return /^https?:\/\/(?:www\.)?schema\.org$/i.test(space) ? `${space}/` : space;
}
