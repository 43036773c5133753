import type { DefaultTreeAdapterTypes } from 'parse5';

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.ChildNode;
export type ParentNode = DefaultTreeAdapterTypes.ParentNode;

export function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

/** Returns an attribute's value, or null; names are in lowercase. */
export function attribute(element: Element, name: string): string | null {
  for (const attr of element.attrs) if (attr.name === name) return attr.value;
  return null;
}

/** The most tokens of an attribute that are read: millions would need more memory than a thread may use. */
const MOST_TOKENS = 10_000;

/** Tokens of an attribute that is a list, such as `rel`. */
export function tokens(value: string | null): string[] {
  return value === null ? [] : value.split(/[\t\n\f\r ]+/, MOST_TOKENS).filter((token) => token !== '');
}

/**
 * Visits everything below a node in document order. Does not recurse, because a page may nest deeper than the stack
 * allows.
 *
 * @param enter returns false to skip the content of a node
 * @param leave is called for each element after its content
 */
export function walk(
  root: ParentNode,
  enter: (node: Node) => boolean,
  leave: (element: Element) => void = () => {},
): void {
  const path: { readonly nodes: readonly Node[]; at: number; readonly element: Element | null }[] = [
    { nodes: root.childNodes, at: 0, element: null },
  ];
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const node = level.nodes[level.at++];
    if (node === undefined) {
      if (level.element !== null) leave(level.element);
      path.pop();
    } else if (enter(node) && isElement(node)) path.push({ nodes: node.childNodes, at: 0, element: node });
  }
}

/** Trims the white space of HTML: other blanks are part of an address. */
export function trimmed(text: string): string {
  return text.replaceAll(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');
}

/** Returns all text below a node, without comments. */
export function textContent(root: ParentNode): string {
  let text = '';
  walk(root, (node) => {
    if (node.nodeName === '#text' && 'value' in node) text += node.value;
    return true;
  });
  return text;
}

/**
 * Elements that may have a shadow tree, in addition to those with a hyphen in their names (DOM, "attach a shadow
 * root").
 */
const HOSTS = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);

/** Names with a hyphen that SVG and MathML have (HTML, "valid custom element name"). */
const NO_CUSTOM_ELEMENT = /^(?:annotation-xml|color-profile|font-face(?:-\w+)?|missing-glyph)$/;

/** Moves the content of shadow tree templates into the document, as browsers show it: the first of each element. */
export function openShadows(root: ParentNode): void {
  const opened = new Set<ParentNode>();
  walk(root, (node) => {
    if (node.nodeName !== 'template' || !('content' in node)) return true;
    const mode = attribute(node, 'shadowrootmode')?.toLowerCase();
    const host = node.parentNode;
    const name = host !== null && 'tagName' in host ? host.tagName : '';
    const isHost = HOSTS.has(name) || (name.includes('-') && !NO_CUSTOM_ELEMENT.test(name));
    if (host === null || !isHost || (mode !== 'open' && mode !== 'closed') || opened.has(host)) return false;
    opened.add(host);
    const { childNodes } = node.content;
    for (const child of childNodes) child.parentNode = node;
    Object.assign(node, { nodeName: 'div', tagName: 'div', childNodes });
    return true;
  });
}
