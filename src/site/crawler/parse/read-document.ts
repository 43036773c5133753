import { html as elements } from 'parse5';
import { lookUp } from '../../../core/text/look-up.ts';
import type { LinkPosition } from '../records/records.ts';
import { metaEncoding } from './decode-body.ts';
import type { HeaderLink } from './headers.ts';
import { UnsizedImages } from './image-sizes.ts';
import { type DocumentImage, documentImage, isDecoration, MOST_IMAGES } from './images.ts';
import { parseDocument } from './parse-html.ts';
import { type Refresh, readRefresh } from './refresh-address.ts';
import { accessibleNames, silentName } from './text/accessible-name.ts';
import { Regions } from './text/regions.ts';
import { collapsed } from './text/text.ts';
import {
  attribute,
  type Element,
  isElement,
  type Node,
  type ParentNode,
  textContent,
  tokens,
  trimmed,
  walk,
} from './tree.ts';

/** A link element of the body, before its address is resolved. */
export interface Anchor {
  readonly href: string;
  readonly rel: readonly string[];
  readonly position: LinkPosition;
  text: string;
  /** `alt` of the images in it; null without images. */
  alt: string | null;
  /** Its accessible name if it has no such text: from its own attributes, or from its content. */
  name: string | null;
}

/** Nested links and headings that get the texts of their content; more would need too much memory. */
const MOST_WITHIN = 16;

interface Heading {
  readonly level: number;
  text: string;
  alt: string;
}

export type DocumentFacts = ReturnType<typeof noFacts> & { readonly root: ParentNode };

/** Returns the facts about a document before it is read, of which `read` characters were. */
function noFacts(html: string, read: number) {
  return {
    /** Characters of the HTML that were read. */
    characters: read,
    /** The memory did not suffice for all of it. */
    isCut: read < html.length,
    baseHref: null as string | null,
    lang: null as string | null,
    title: null as string | null,
    titles: 0,
    /** The first encoding that a `meta` element declares. */
    encoding: null as string | null,
    metas: [] as { readonly name: string; readonly content: string }[],
    /** `link` elements of the head. */
    links: [] as HeaderLink[],
    /** The address of the first canonical outside the head. */
    bodyCanonical: null as string | null,
    anchors: [] as Anchor[],
    /** Texts of h1, h2, h3, and the numbers of h1 to h6. */
    headings: [[], [], []] as readonly [string[], string[], string[]],
    headingCounts: [0, 0, 0, 0, 0, 0],
    images: 0,
    imagesWithAlt: 0,
    /** Images that need a text but have none. */
    imagesWithoutAlt: 0,
    /** Images without a size by attributes or styles. */
    imagesWithoutSize: 0,
    firstImages: [] as DocumentImage[],
    /** Parts of the page whose addresses begin with `http:`, and forms that are sent to one. */
    httpResources: 0,
    httpForms: 0,
    /** The first `meta refresh`. */
    refresh: null as Refresh | null,
    jsonLd: [] as string[],
    hasScript: false,
    hasMicrodata: false,
    hasRdfa: false,
    /** Text of the body, with a line break between blocks. */
    text: '',
    /** The text specific to the page: in `main` or, without one, outside of landmarks. */
    mainText: '',
  };
}

/** Elements whose content is not text of the page. Links, images, headings and data in them still count. */
const SILENT = new Set(
  'script style template iframe noembed noframes noscript textarea select svg math object canvas audio video title'.split(
    ' ',
  ),
);
/** Attributes with addresses that a browser loads, or sends a form to. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    'img script iframe audio source track embed input'.split(' ').map((name) => [name, ['src']]),
  ),
  video: ['src', 'poster'],
  object: ['data'],
  form: ['action'],
};
/** The values of `http-equiv` that fields use. */
const PRAGMAS = new Set(['content-language', 'content-security-policy']);
/** Attributes that make a canonical one of another version of the page, which search engines ignore. */
const OF_VERSION = ['hreflang', 'lang', 'media', 'type'];
const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml']);
/** Elements that do not separate words. */
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/**
 * Parses HTML as browsers do (parse5, the WHATWG algorithm), and collects the facts for the page's fields in one walk.
 * Ignores the content of `noscript`, like search engines and browsers that run scripts.
 */
export function readDocument(html: string, isXhtml = false): DocumentFacts {
  const { root, characters } = parseDocument(html, isXhtml);
  const facts = { ...noFacts(html, characters), root };
  new Reader(facts).read(root);
  return facts;
}

/** A text of non-empty lines: in a deep tree, there would be two empty ones for each element. */
class Lines {
  said = '';
  #isEnd = true;

  say(text: string): void {
    if (text === '\n' && this.#isEnd) return;
    this.said += text;
    this.#isEnd = text === '\n';
  }
}

class Reader {
  readonly #facts: DocumentFacts;
  readonly #regions = new Regions();
  readonly #nameOf: (element: Element) => string | null;
  #isBody = false;
  #isHead = false;
  #anchor: Anchor | null = null;
  #heading: Heading | null = null;
  /** The outermost element without page text around the current position, and the link and the heading around it. */
  #silent: {
    readonly element: Element;
    readonly anchor: Anchor | null;
    readonly heading: Heading | null;
  } | null = null;
  /** The enclosing links and headings. A link may be in a cell of a link, and a heading in a block of a heading. */
  readonly #outerAnchors: (Anchor | null)[] = [];
  readonly #outerHeadings: (Heading | null)[] = [];
  readonly #text = new Lines();
  readonly #main = new Lines();
  readonly #content = new Lines();
  #hasMain = false;
  readonly #unsized = new UnsizedImages();

  constructor(facts: DocumentFacts) {
    this.#facts = facts;
    this.#nameOf = accessibleNames(facts.root);
  }

  read(root: ParentNode): void {
    walk(
      root,
      (node) => this.#enter(node),
      (element) => this.#leave(element),
    );
    this.#facts.text = this.#text.said;
    this.#facts.mainText = (this.#hasMain ? this.#main : this.#content).said;
    this.#facts.imagesWithoutSize = this.#unsized.count();
  }

  #enter(node: Node): boolean {
    if (!isElement(node)) {
      if (node.nodeName === '#text' && 'value' in node) this.#say(node.value);
      return false;
    }
    for (const { name } of node.attrs) {
      if (name === 'itemscope') this.#facts.hasMicrodata = true;
      else if (name === 'typeof') this.#facts.hasRdfa = true;
    }
    const { tagName } = node;
    const isHtml = node.namespaceURI === elements.NS.HTML;
    const isSilent = !isHtml || SILENT.has(tagName);
    if (this.#anchor !== null && this.#silent === null)
      this.#anchor.name ??= this.#nameOf(node) ?? (isSilent ? silentName(node) : null);
    if (isHtml) this.#note(node);
    else if (tagName === 'a') this.#enterAnchor(node);
    if (this.#silent !== null) return true;
    if (isSilent) {
      this.#silent = { element: node, anchor: this.#anchor, heading: this.#heading };
      this.#anchor = null;
      this.#heading = null;
      return true;
    }
    if (!INLINE.has(tagName)) this.#say('\n');
    if (this.#isBody) this.#regions.enter(node);
    if (this.#regions.isMain) this.#hasMain = true;
    return true;
  }

  #note(element: Element): void {
    const facts = this.#facts;
    this.#noteHttp(element);
    switch (element.tagName) {
      case 'html':
        facts.lang = attribute(element, 'lang') ?? attribute(element, 'xml:lang');
        break;
      case 'head':
        this.#isHead = true;
        break;
      case 'body':
        this.#isBody = true;
        break;
      case 'base':
        facts.baseHref ??= attribute(element, 'href');
        break;
      case 'title':
        this.#noteTitle(element);
        break;
      case 'meta':
        this.#noteMeta(element);
        break;
      case 'link':
        this.#noteLink(element);
        break;
      case 'script':
        if (attribute(element, 'type')?.trim().toLowerCase().split(';')[0]?.trim() === 'application/ld+json')
          facts.jsonLd.push(textContent(element));
        else facts.hasScript = true;
        break;
      case 'style':
        this.#unsized.addStyle(element);
        break;
      case 'a':
        this.#enterAnchor(element);
        break;
      case 'area':
        this.#noteAnchor(element);
        break;
      case 'img':
        this.#noteImage(element);
        break;
      default:
        if (isHeading(element.tagName)) this.#noteHeading(element.tagName);
    }
  }

  #noteTitle(element: Element): void {
    this.#facts.title ??= collapsed(textContent(element)) ?? '';
    this.#facts.titles++;
  }

  #noteHttp(element: Element): void {
    const { tagName } = element;
    const isStyle = tagName === 'link' && /\bstylesheet\b/i.test(attribute(element, 'rel') ?? '');
    const names = isStyle ? ['href'] : (lookUp(ADDRESSES, tagName) ?? []);
    for (const name of names)
      if (/^\s*http:/i.test(attribute(element, name) ?? ''))
        if (tagName === 'form') this.#facts.httpForms++;
        else this.#facts.httpResources++;
    if (/(?:^|,)\s*http:/i.test(attribute(element, 'srcset') ?? '')) this.#facts.httpResources++;
  }

  #noteMeta(element: Element): void {
    const content = attribute(element, 'content');
    const pragma = attribute(element, 'http-equiv')?.toLowerCase();
    if (content !== null && pragma === 'refresh') this.#facts.refresh ??= readRefresh(content);
    const charset = attribute(element, 'charset');
    if (charset !== null || pragma === 'content-type')
      this.#facts.encoding ??= metaEncoding(charset, pragma === 'content-type' ? content : null);
    if (content === null) return;
    // A property has a prefix, as `og:title`. A text without one, such as `robots`, only counts as a name.
    const properties = tokens(attribute(element, 'property')).filter((name) => name.includes(':'));
    const pragmas = pragma !== undefined && PRAGMAS.has(pragma) ? [pragma] : [];
    const names = [attribute(element, 'name') ?? '', ...properties, ...pragmas];
    for (const name of new Set(names.map((name) => name.trim().toLowerCase())))
      if (name !== '') this.#facts.metas.push({ name, content });
  }

  #noteLink(element: Element): void {
    const href = trimmed(attribute(element, 'href') ?? '');
    const type = trimmed(attribute(element, 'type') ?? '').toLowerCase();
    const isOfVersion = OF_VERSION.some((name) => attribute(element, name) !== null);
    const rel = tokens(attribute(element, 'rel')?.toLowerCase() ?? null).filter(
      (token) => token !== 'canonical' || !isOfVersion,
    );
    if (!href || rel.length === 0) return;
    // A feed is not a language version of the page.
    const hreflang = type === '' || HTML_TYPES.has(type) ? attribute(element, 'hreflang') : null;
    if (this.#isHead) this.#facts.links.push({ href, rel, hreflang });
    else if (rel.includes('canonical')) this.#facts.bodyCanonical ??= href;
  }

  #enterAnchor(element: Element): void {
    this.#outerAnchors.push(this.#anchor);
    this.#anchor = this.#noteAnchor(element) ?? this.#anchor;
  }

  #noteAnchor(element: Element): Anchor | null {
    const href = hrefOf(element);
    if (href === null) return null;
    const anchor: Anchor = {
      href,
      rel: tokens(attribute(element, 'rel')?.toLowerCase() ?? null),
      position: this.#regions.position,
      text: '',
      alt: null,
      name: this.#nameOf(element),
    };
    this.#facts.anchors.push(anchor);
    if (element.tagName === 'area') anchor.alt = attribute(element, 'alt') ?? '';
    return anchor;
  }

  #noteImage(element: Element): void {
    const alt = attribute(element, 'alt');
    this.#facts.images++;
    if (this.#facts.firstImages.length < MOST_IMAGES) this.#facts.firstImages.push(documentImage(element));
    if (alt !== null) this.#facts.imagesWithAlt++;
    else if (!isDecoration(element) && this.#nameOf(element) === null) this.#facts.imagesWithoutAlt++;
    this.#unsized.add(element);
    if (this.#anchor !== null) this.#anchor.alt = `${this.#anchor.alt ?? ''} ${alt ?? ''}`;
    if (this.#heading !== null) this.#heading.alt += ` ${alt ?? ''}`;
  }

  #noteHeading(tagName: string): void {
    const level = Number(tagName[1]) - 1;
    this.#facts.headingCounts[level] = (this.#facts.headingCounts[level] ?? 0) + 1;
    this.#outerHeadings.push(this.#heading);
    this.#heading = { level, text: '', alt: '' };
  }

  #say(text: string): void {
    if (!this.#isBody) return;
    if (this.#silent === null) {
      this.#text.say(text);
      if (this.#regions.position === 'Content') {
        this.#content.say(text);
        if (this.#regions.isMain) this.#main.say(text);
      }
    }
    if (this.#anchor !== null) this.#anchor.text += text;
    if (this.#heading !== null) this.#heading.text += text;
  }

  #leave(element: Element): void {
    const { tagName } = element;
    const isHtml = element.namespaceURI === elements.NS.HTML;
    if (tagName === 'a') this.#leaveAnchor();
    else if (isHtml && tagName === 'head') this.#isHead = false;
    else if (isHtml && this.#heading !== null && isHeading(tagName)) this.#leaveHeading(this.#heading);
    if (this.#silent?.element === element) {
      this.#anchor = this.#silent.anchor;
      this.#heading = this.#silent.heading;
      this.#silent = null;
      this.#say(' ');
    } else if (this.#silent === null) {
      if (this.#isBody) this.#regions.leave(element);
      if (!INLINE.has(tagName)) this.#say('\n');
    }
    // Elements that a broken page puts after its body count as part of it, so the body is never left.
  }

  #leaveAnchor(): void {
    const outer = this.#outerAnchors.pop() ?? null;
    const isWithin = outer !== null && outer !== this.#anchor && this.#outerAnchors.length < MOST_WITHIN;
    if (isWithin) outer.text += this.#anchor?.text ?? '';
    this.#anchor = outer;
  }

  #leaveHeading({ level, text, alt }: Heading): void {
    this.#facts.headings[level]?.push(collapsed(text) ?? collapsed(alt) ?? '');
    this.#heading = this.#outerHeadings.pop() ?? null;
    if (this.#heading === null || this.#outerHeadings.length >= MOST_WITHIN) return;
    this.#heading.text += text;
    this.#heading.alt += alt;
  }
}

/** In SVG, `xlink:href` counts if there is no `href` (SVG 2, §16.1.6). In MathML nothing is a link. */
function hrefOf({ namespaceURI, attrs }: Element): string | null {
  if (namespaceURI === elements.NS.MATHML) return null;
  const named = attrs.filter(({ name }) => name === 'href');
  return (named.find(({ prefix }) => prefix === undefined || prefix === '') ?? named[0])?.value ?? null;
}

function isHeading(tagName: string): boolean {
  return tagName.length === 2 && tagName[0] === 'h' && tagName >= 'h1' && tagName <= 'h6';
}
