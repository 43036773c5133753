import { type DefaultTreeAdapterTypes, defaultTreeAdapter, Parser, parse } from 'parse5';
import { parseXhtml } from './parse-xhtml.ts';
import { openShadows } from './tree.ts';

type Tree = DefaultTreeAdapterTypes.DefaultTreeAdapterMap;
type TextNode = DefaultTreeAdapterTypes.TextNode;

const OPTIONS = { scriptingEnabled: true };
/** Characters from which on a page is parsed in pieces and measured. */
const LARGE = 500_000;
const PIECE = 65_536;
/** Bytes that the parts of a page may use in the thread for large pages, by the sums below. */
const MOST_BYTES = 75_000_000;
/** Approximate bytes of an element, a link element, an attribute, a text and a character, including derived data. */
const [ELEMENT, LINK, ATTRIBUTE, TEXT, CHARACTER] = [200, 600, 90, 100, 8];

/**
 * Parses a document: XHTML as XML if it is well-formed, else as HTML, in which templates declare shadow trees. Reads a
 * large document as HTML, in bounded memory.
 */
export function parseDocument(text: string, isXhtml: boolean): ReturnType<typeof parseHtml> {
  const root = isXhtml && text.length <= LARGE ? parseXhtml(text) : null;
  if (root !== null) return { root, characters: text.length };
  const document = parseHtml(text);
  if (/shadowrootmode/i.test(text)) openShadows(document.root);
  return document;
}

/**
 * Parses HTML as browsers do. A large page is read as far as memory for its parts allows, up to the same position each
 * time.
 */
export function parseHtml(html: string): { root: DefaultTreeAdapterTypes.Document; characters: number } {
  if (html.length <= LARGE) return { root: parse(html, OPTIONS), characters: html.length };
  const tree = new MeasuredTree();
  const parser = new Parser<Tree>({ ...OPTIONS, treeAdapter: tree.adapter });
  let characters = 0;
  for (; characters < html.length && tree.bytes < MOST_BYTES; characters += PIECE)
    parser.tokenizer.write(html.slice(characters, characters + PIECE), false);
  parser.tokenizer.write('', true);
  return { root: parser.document, characters: Math.min(characters, html.length) };
}

/** A tree that measures its memory, and needs less than parse5's own. */
class MeasuredTree {
  bytes = 0;
  /** The text that is being extended, and the characters since it was joined. */
  #text: TextNode | null = null;
  #added = 0;

  readonly adapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement: (name, namespace, attributes) => {
      this.bytes += (name === 'a' ? LINK : ELEMENT) + attributes.length * ATTRIBUTE;
      return defaultTreeAdapter.createElement(name, namespace, attributes);
    },
    appendChild: (parent, node) => {
      // An empty array would grow to 17 places immediately.
      if (parent.childNodes.length === 0) parent.childNodes = [node];
      else parent.childNodes.push(node);
      node.parentNode = parent;
    },
    insertText: (parent, text) => {
      this.bytes += text.length * CHARACTER;
      const last = parent.childNodes.at(-1);
      if (last !== undefined && 'value' in last) this.#add(last, text);
      else {
        this.bytes += TEXT;
        this.adapter.appendChild(parent, defaultTreeAdapter.createTextNode(text));
      }
    },
  };

  #add(node: TextNode, text: string): void {
    if (this.#text !== node || this.#added > PIECE) {
      makeWhole(this.#text);
      this.#added = 0;
    }
    this.#text = node;
    this.#added += text.length;
    node.value += text;
  }
}

/** Joins the pieces of a text, because each separate piece uses about 60 bytes. */
function makeWhole(node: TextNode | null): void {
  if (node !== null && Number.isNaN(Number(node.value))) node.nodeName = '#text';
}
