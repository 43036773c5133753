import { lookUp } from '../../../core/text/look-up.ts';
import { type Element, isElement, type ParentNode, walk } from '../parse/tree.ts';

const TYPES = { '#text': 3, '#comment': 8 } as const;
const DOCUMENT = 9;
const ELEMENT = 1;
const ATTRIBUTE = 2;
const PRECEDING = 2;
const FOLLOWING = 4;

/**
 * A node with the DOM members that the library `xpath` uses. Names have no namespace, so that `//svg` finds what the
 * source shows.
 */
export class XPathNode {
  readonly namespaceURI = null;
  readonly childNodes: XPathNode[] = [];
  readonly attributes: XPathNode[] & { item?(index: number): XPathNode | undefined } = [];
  parentNode: XPathNode | null = null;
  ownerElement: XPathNode | null = null;
  firstChild: XPathNode | null = null;
  nextSibling: XPathNode | null = null;
  previousSibling: XPathNode | null = null;
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  /** The element of the page; null for other nodes. */
  readonly source: Element | null;
  readonly ownerDocument: XPathNode | null;
  /** Place in the order of the document. */
  readonly #place: number;

  constructor(
    named: { readonly type: number; readonly name: string; readonly value: string | null },
    place: number,
    source: Element | null,
    document: XPathNode | null,
  ) {
    this.nodeType = named.type;
    this.nodeName = named.name;
    this.nodeValue = named.value;
    this.#place = place;
    this.source = source;
    this.ownerDocument = document;
    this.attributes.item = (index) => this.attributes[index];
  }

  get localName(): string {
    return this.nodeName;
  }

  get data(): string | null {
    return this.nodeValue;
  }

  get value(): string | null {
    return this.nodeValue;
  }

  get documentElement(): XPathNode | undefined {
    return this.childNodes.find(({ nodeType }) => nodeType === ELEMENT);
  }

  compareDocumentPosition(other: XPathNode): number {
    return this.#place === other.#place ? 0 : this.#place < other.#place ? FOLLOWING : PRECEDING;
  }

  append(child: XPathNode): void {
    const last = this.childNodes.at(-1);
    child.parentNode = this;
    child.previousSibling = last ?? null;
    if (last === undefined) this.firstChild = child;
    else last.nextSibling = child;
    this.childNodes.push(child);
  }
}

export function xpathTree(root: ParentNode): XPathNode {
  let place = 0;
  const document = new XPathNode({ type: DOCUMENT, name: '#document', value: null }, place++, null, null);
  const made = (type: number, name: string, value: string | null, source: Element | null = null): XPathNode =>
    new XPathNode({ type, name, value }, place++, source, document);
  let parent = document;
  walk(
    root,
    (node) => {
      if (isElement(node)) {
        const element = made(ELEMENT, node.tagName, null, node);
        for (const { name, value } of node.attrs) {
          const attribute = made(ATTRIBUTE, name, value);
          attribute.ownerElement = element;
          element.attributes.push(attribute);
        }
        parent.append(element);
        parent = element;
        return true;
      }
      const type = lookUp(TYPES, node.nodeName);
      if (type !== undefined) {
        const value = 'value' in node ? node.value : 'data' in node ? node.data : '';
        parent.append(made(type, node.nodeName, value));
      }
      return false;
    },
    () => {
      parent = parent.parentNode ?? document;
    },
  );
  return document;
}
