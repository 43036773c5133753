import { createRequire } from 'node:module';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parseFragment } from 'parse5';
import type * as saxes from 'saxes';

const require = createRequire(import.meta.url);

type Document = DefaultTreeAdapterTypes.Document;
type ParentNode = DefaultTreeAdapterTypes.ParentNode;

/** An entity that the document declares itself, without markup or further names in it. */
const ENTITY = /<!ENTITY\s+([\w.-]+)\s+(?:"([^"<&%]*)"|'([^'<&%]*)')\s*>/g;
/** Names of characters that XML knows itself. */
const XML_NAMES = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);
const CHARACTER = /<!\[CDATA\[.*?\]\]>|&([A-Za-z][A-Za-z0-9]*);/gs;

/**
 * Parses a document that is sent as XHTML, by the rules of XML, into a tree like parse5's. Returns null if the document
 * is not well formed, or has no XHTML `html` element. Browsers show little of such a document, and search engines read
 * it as HTML.
 */
export function parseXhtml(text: string): Document | null {
  const document = defaultTreeAdapter.createDocument();
  const path: ParentNode[] = [document];
  const top = (): ParentNode => path.at(-1) ?? document;
  let isWrong = false;
  // Few sites send XHTML, and each parser uses some of the memory for pages.
  const { SaxesParser } = require('saxes') as typeof saxes;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', () => {
    isWrong = true;
  });
  parser.on('doctype', (doctype) => {
    const declared = [...doctype.matchAll(ENTITY)].map(([, name = '', one, other]) => [
      name,
      one ?? other ?? '',
    ]);
    Object.assign(parser.ENTITIES, Object.fromEntries(declared));
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    // The trees of HTML documents have this namespace; names of others stay complete.
    const attrs = Object.values(attributes).map((attr) =>
      attr.uri === html.NS.XLINK
        ? { name: attr.local, value: attr.value, prefix: 'xlink', namespace: html.NS.XLINK }
        : { name: attr.name, value: attr.value },
    );
    const element = defaultTreeAdapter.createElement(local, uri as html.NS, attrs);
    // Scripts run, so browsers ignore it.
    const isSkipped = local === 'noscript' && uri === html.NS.HTML;
    if (!isSkipped) defaultTreeAdapter.appendChild(top(), element);
    if (local !== 'template' || uri !== html.NS.HTML) {
      path.push(element);
      return;
    }
    const content = defaultTreeAdapter.createDocumentFragment();
    defaultTreeAdapter.setTemplateContent(element as DefaultTreeAdapterTypes.Template, content);
    path.push(content);
  });
  parser.on('closetag', () => {
    path.pop();
  });
  const say = (value: string): void => {
    if (path.length > 1) defaultTreeAdapter.insertText(top(), value);
  };
  parser.on('text', say);
  parser.on('cdata', say);
  parser.write(withCharacters(text)).close();
  const root = document.childNodes.find((node) => 'tagName' in node);
  const isXhtml = root !== undefined && root.tagName === 'html' && root.namespaceURI === html.NS.HTML;
  return isWrong || !isXhtml ? null : document;
}

/**
 * Returns a text in which HTML's names of characters, such as `&nbsp;`, are replaced by the characters, as browsers do
 * for XHTML's types.
 */
function withCharacters(text: string): string {
  return text.replaceAll(CHARACTER, (whole, name?: string) => {
    if (name === undefined || XML_NAMES.has(name)) return whole;
    const [node] = parseFragment(whole).childNodes;
    return node !== undefined && 'value' in node ? node.value : whole;
  });
}
