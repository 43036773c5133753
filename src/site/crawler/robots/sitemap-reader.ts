import { SaxesParser } from 'saxes';
import { firstColumn } from '../../../core/net/web-url.ts';
import { lookUp } from '../../../core/text/look-up.ts';

export type SitemapEntry = ReturnType<typeof draftOf>;

export interface SitemapHandler {
  entry(entry: Readonly<SitemapEntry>): void;
  /** Another sitemap, listed by an index. */
  sitemap(url: string): void;
}

/** Media elements of a URL, with any prefix of their namespace. */
const MEDIA = { image: 'images', news: 'news', video: 'videos' } as const;
/**
 * Errors and levels of XML after which the rest of a file is ignored. A sitemap has only four levels, and a million
 * errors, one per byte, took eight seconds to parse.
 */
const MOST_ERRORS = 10_000;
const MOST_LEVELS = 100;
/** Characters that are parsed before this is checked again. */
const SLICE = 16 * 1024;
/** Characters of the longest line of a text sitemap; a longer one is not a URL. */
const LONGEST_LINE = 64 * 1024;
/** A line of a text that is a path, or a host with one. */
const BARE_ADDRESS = /^(?:\/|[\w-]+(?:\.[\w-]+)+\/)/;
const LONGEST_ENTITY = 40;
const BARE_AMPERSAND = /&(?!(?:[a-z_][\w.-]{0,31}|#\d{1,8}|#x[\da-f]{1,7});)/gi;
/** A declaration of a document type; its values are text, and nothing in it is expanded. */
const ENTITY = /<!ENTITY\s+([A-Za-z_][\w.-]{0,31})\s+(?:"([^"]*)"|'([^']*)')\s*>/g;
const PREDEFINED: ReadonlySet<string> = new Set(['amp', 'apos', 'gt', 'lt', 'quot']);
const MOST_ENTITIES = 100;
const LONGEST_VALUE = 2_000;
/** Elements that list a URL: of a sitemap, of RSS and of Atom. */
const ENTRIES: ReadonlySet<string> = new Set(['url', 'item', 'entry']);
/** Outermost elements of a sitemap, an index, RSS (1.0 too) and Atom. */
const ROOTS: ReadonlySet<string> = new Set(['urlset', 'sitemapindex', 'rss', 'rdf', 'feed']);
/** Where the XML begins, after any output of the program that generates it, such as a PHP warning. */
const BEGIN = /<\?xml[\s?]|<!DOCTYPE\s+(?!html)|<(?:[\w-]+:)?(?:urlset|sitemapindex|rss|rdf|feed)[\s>]/i;
/** Comments and instructions. */
const MISC = /<!--.*?-->|<\?.*?\?>/gs;
/** Characters that are searched for the beginning of the XML. */
const LONGEST_HEAD = 16 * 1024;

/**
 * Reads a sitemap or an index of sitemaps (sitemaps.org, version 0.9) piece by piece. It continues after an error, as
 * search engines do. Plain text with one URL per line is also a sitemap, and so are RSS and Atom files, through the
 * links of their entries.
 */
export class SitemapReader {
  readonly #handler: SitemapHandler;
  readonly #parser = new SaxesParser();
  readonly #path: string[] = [];
  #isText: boolean | undefined;
  /** The content received before the kind of file is known. */
  #head = '';
  #hasTextBefore = false;
  #hasRelativeUrl = false;
  /** The address of an RSS item, if it has no other one. */
  #guid = '';
  #isPermaLink = true;
  #line = '';
  /** The rest of a line is skipped, because it is too long. */
  #passesOver = false;
  /** The end of a piece, from a `&` whose entity may continue in the next piece. */
  #rest = '';
  #text = '';
  #draft: SitemapEntry | null = null;
  errors = 0;
  /** URLs of a text. */
  #listed = 0;
  /** The outermost element. */
  #root = '';
  #isClosed = false;

  constructor(handler: SitemapHandler) {
    this.#handler = handler;
    this.#parser.on('error', () => {
      this.errors++;
    });
    this.#parser.on('doctype', (text) => this.#declare(text));
    this.#parser.on('opentag', ({ name, attributes }) => this.#open(name, attributes));
    this.#parser.on('text', (text) => {
      this.#text += text;
    });
    this.#parser.on('cdata', (text) => {
      this.#text += text.replaceAll('&amp;', '&');
    });
    this.#parser.on('closetag', ({ name }) => this.#close(name));
  }

  write(text: string): void {
    if (this.#isText === undefined) this.#begin(text, false);
    else if (this.#isText) this.#writeLines(text);
    else this.#writeXml(text);
  }

  /** Waits for the beginning of the XML. White space before the declaration is a frequent error. */
  #begin(text: string, isEnd: boolean): void {
    this.#head = (this.#head + text).trimStart();
    const at = BEGIN.exec(this.#head)?.index ?? -1;
    if (at < 0 && this.#head.length < LONGEST_HEAD && !isEnd) return;
    if (this.#head === '') return;
    const before = this.#head.slice(0, Math.max(at, 0));
    const isDeclared = /^<\?xml/i.test(this.#head.slice(before.length));
    // Comments may precede the first element, and nothing a declaration.
    this.#hasTextBefore = (isDeclared ? before : before.replaceAll(MISC, '')).trim() !== '';
    const head = this.#hasTextBefore ? this.#head.slice(before.length) : this.#head;
    this.#head = '';
    this.#isText = at < 0 && !head.startsWith('<');
    this.write(head);
  }

  /** @param isCut whether the file continues: the last line of a text may be incomplete */
  close(isCut = false): void {
    if (this.#isText === undefined) this.#begin('', true);
    if (this.#isText) this.#writeLines(isCut ? '' : '\n');
    else if (this.#isText === false && !this.#isGivenUp) {
      this.#parser.write(this.#rest.replace(BARE_AMPERSAND, '&amp;'));
      this.#parser.close();
    }
    this.#finish();
  }

  /** Why the file is not a complete sitemap; null if it is. */
  get problem(): 'not_a_sitemap' | 'broken' | null {
    if (this.#isText !== false) return this.#listed > 0 ? null : 'not_a_sitemap';
    if (!ROOTS.has(this.#root)) return 'not_a_sitemap';
    return this.#isClosed && !this.#isGivenUp ? null : 'broken';
  }

  /** The flaw of a file that is still read. */
  get flaw(): 'text_before_xml' | 'relative_url' | null {
    return this.#hasTextBefore ? 'text_before_xml' : this.#hasRelativeUrl ? 'relative_url' : null;
  }

  get #isGivenUp(): boolean {
    return this.errors > MOST_ERRORS || this.#path.length > MOST_LEVELS;
  }

  /** Escapes bare `&` in URLs, the most frequent error. Otherwise, the parser would read up to the next `;`. */
  #writeXml(text: string): void {
    const whole = this.#rest + text;
    const last = whole.lastIndexOf('&');
    const end = last >= 0 && whole.length - last < LONGEST_ENTITY ? last : whole.length;
    this.#rest = whole.slice(end);
    const xml = whole.slice(0, end).replace(BARE_AMPERSAND, '&amp;');
    for (let at = 0; at < xml.length && !this.#isGivenUp; at += SLICE)
      this.#parser.write(xml.slice(at, at + SLICE));
  }

  #writeLines(text: string): void {
    const lines = (this.#line + text).split(/\r\n?|\n/);
    this.#line = lines.pop() ?? '';
    if (this.#passesOver && lines.shift() !== undefined) this.#passesOver = false;
    if (this.#line.length > LONGEST_LINE) this.#passesOver = true;
    if (this.#passesOver) this.#line = '';
    for (const line of lines) {
      const [url = ''] = firstColumn(line.replace(/^\s*"([^"]*)".*$/, '$1')).split(/\s/, 1);
      this.#hasRelativeUrl ||= BARE_ADDRESS.test(url);
      if (!/^https?:\/\//i.test(url)) continue;
      this.#listed++;
      this.#handler.entry(draftOf(url));
    }
  }

  #open(tag: string, attributes: Readonly<Record<string, string>>): void {
    const name = tag.toLowerCase();
    this.#root ||= plain(name);
    const isEntry = ENTRIES.has(plain(name));
    if (isEntry && this.#draft !== null)
      this.#path.length = this.#path.findLastIndex((one) => ENTRIES.has(plain(one)));
    if (isEntry) this.#finish();
    this.#path.push(name);
    this.#text = '';
    if (isEntry) this.#draft = draftOf('');
    if (plain(name) === 'guid') this.#isPermaLink = attributes.isPermaLink?.trim().toLowerCase() !== 'false';
    if (this.#draft === null) return;
    const media = plain(this.#path.at(-2) ?? '') === 'url' ? lookUp(MEDIA, plain(name)) : undefined;
    if (media !== undefined) this.#draft[media]++;
    if (plain(name) !== 'link') return;
    if (plain(this.#path.at(-2) ?? '') === 'entry') this.#link(this.#draft, attributes);
    else this.#alternate(this.#draft, attributes);
  }

  #declare(doctype: string): void {
    for (const [, name = '', double, single] of [...doctype.matchAll(ENTITY)].slice(0, MOST_ENTITIES)) {
      const value = (double ?? single ?? '').replaceAll('&amp;', '&');
      if (value.length <= LONGEST_VALUE && !PREDEFINED.has(name)) this.#parser.ENTITIES[name] = value;
    }
  }

  /** The page of an entry of Atom (RFC 4287 §4.2.7). */
  #link(draft: SitemapEntry, { rel = 'alternate', href }: Readonly<Record<string, string>>): void {
    if (isAlternate(rel) && href && draft.url === '') draft.url = href.trim();
  }

  #alternate(draft: SitemapEntry, { rel = '', hreflang, href }: Readonly<Record<string, string>>): void {
    if (!isAlternate(rel) || !hreflang || !href) return;
    draft.alternates.push({ lang: hreflang.trim(), href: href.trim() });
  }

  #close(tag: string): void {
    const name = plain(tag.toLowerCase());
    this.#path.pop();
    if (this.#path.length === 0 && name === this.#root) this.#isClosed = true;
    const parent = plain(this.#path.at(-1) ?? '');
    const text = this.#text.trim();
    this.#text = '';
    if (name === 'loc' && /^(?:url|sitemap)$/.test(parent) && text !== '')
      this.#hasRelativeUrl ||= !/^https?:\/\//i.test(text);
    if (name === 'loc' && parent === 'sitemap' && text !== '') this.#handler.sitemap(text);
    if (this.#draft === null) return;
    // `image:loc` has another parent.
    if (name === 'loc' && parent === 'url') this.#draft.url ||= text;
    if (name === 'lastmod' && parent === 'url') this.#draft.lastmod = text;
    if (name === 'guid' && parent === 'item' && this.#isPermaLink && /^https?:/i.test(text))
      this.#guid = text;
    if (tag.toLowerCase() === 'link' && parent === 'item') this.#draft.url ||= text;
    if (ENTRIES.has(name)) this.#finish();
  }

  /** Ends an entry at its own end, at the beginning of the next one, or with the file. */
  #finish(): void {
    if (this.#draft !== null) this.#draft.url ||= this.#guid;
    if (this.#draft !== null && this.#draft.url !== '') this.#handler.entry(this.#draft);
    this.#draft = null;
    this.#guid = '';
  }
}

function draftOf(url: string) {
  return {
    url,
    /** As written. */
    lastmod: null as string | null,
    /** Language versions: `xhtml:link rel="alternate" hreflang`. */
    alternates: [] as { readonly lang: string; readonly href: string }[],
    images: 0,
    news: 0,
    videos: 0,
  };
}

function isAlternate(rel: string): boolean {
  return rel.toLowerCase().split(/\s+/).includes('alternate');
}

/** Returns the name without the prefix of its namespace. */
function plain(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
