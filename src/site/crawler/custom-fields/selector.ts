import { createRequire } from 'node:module';
import { compile, type Options } from 'css-select';
import { parse, serializeOuter } from 'parse5';
import { type TimeLeft, withinTime } from '../../../core/time/within-time.ts';
import {
  attribute,
  type Element,
  isElement,
  type Node,
  type ParentNode,
  textContent,
  walk,
} from '../parse/tree.ts';
import { type XPathNode, xpathTree } from './xpath-tree.ts';

export type SelectorLanguage = 'css' | 'xpath' | 'regex';

/** A match of a selector. */
export interface Match {
  text(): string;
  html(): string;
  attribute(name: string): string | null;
}

export interface SelectorPage {
  readonly html: string;
  readonly root: ParentNode;
}

/** The matches in order; a regular expression may have one for each character, so they are found lazily. */
export type Select = (page: SelectorPage) => Iterable<Match>;

/** @throws Error with the problem of the selector */
export function compileSelector(language: SelectorLanguage, selector: string, all?: TimeLeft): Select {
  return withinTime(() => {
    const select = COMPILERS[language](selector);
    // Unknown functions and pseudo-classes are only reported by the first use.
    Iterator.from(select({ html: '<p>', root: parse('<p>') })).next();
    return select;
  }, all);
}

const COMPILERS: Readonly<Record<SelectorLanguage, (selector: string) => Select>> = {
  css(selector) {
    const isMatch = compile<Node | ParentNode, Element>(selector, CSS);
    return ({ root }) => {
      const found: Match[] = [];
      walk(root, (node) => {
        if (isElement(node) && isMatch(node)) found.push(elementMatch(node));
        return true;
      });
      return found;
    };
  },
  xpath(selector) {
    const expression = xpath.parse(selector);
    return ({ root }) => {
      const result = expression.evaluate({ node: xpathTree(root), isHtml: true });
      if (result.toArray === undefined) return [textMatch(result.stringValue())];
      return result.toArray().map((node) => {
        const { source } = node;
        return source === null ? textMatch(node.nodeValue ?? '') : elementMatch(source);
      });
    };
  },
  regex(selector) {
    const pattern = new RegExp(selector, 'gsu');
    return ({ html }) => html.matchAll(pattern).map(([whole, group]) => textMatch(group ?? whole));
  },
};

function elementMatch(element: Element): Match {
  return {
    text: () => textContent(element),
    html: () => serializeOuter(element),
    attribute: (name) => attribute(element, name.toLowerCase()),
  };
}

function textMatch(text: string): Match {
  return { text: () => text, html: () => text, attribute: () => null };
}

const CSS: Options<Node | ParentNode, Element> = {
  // A walk checks one element after another, and a cache would outlive its page.
  cacheResults: false,
  relativeSelector: false,
  adapter: {
    isTag: (node): node is Element => 'tagName' in node,
    getAttributeValue: (element, name) => attribute(element, name) ?? undefined,
    getChildren: (node) => ('childNodes' in node ? node.childNodes : []),
    getName: ({ tagName }) => tagName,
    getParent: ({ parentNode }) => parentNode,
    getSiblings: (node) => ('parentNode' in node ? (node.parentNode?.childNodes ?? [node as Node]) : [node]),
    getText: (node) => ('childNodes' in node ? textContent(node) : 'value' in node ? String(node.value) : ''),
    hasAttrib: (element, name) => attribute(element, name) !== null,
    removeSubsets: (nodes) => nodes,
  },
};

interface XPathLibrary {
  parse(selector: string): {
    evaluate(options: { readonly node: XPathNode; readonly isHtml: boolean }): {
      stringValue(): string;
      toArray?(): XPathNode[];
    };
  };
}
const require = createRequire(import.meta.url);
/** Declared here, because importing the types of `xpath` would add the types of a browser to the program. */
const xpath = require('xpath') as XPathLibrary;
