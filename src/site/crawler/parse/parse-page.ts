import { absoluteUrl, ownUrl, webUrl } from '../../../core/net/web-url.ts';
import { isRedirect, leadsOn } from '../fetch/redirect-status.ts';
import {
  type Fetched,
  type LinkRecord,
  type PageRecord,
  type ParsedPage,
  type ParseRules,
  UNKNOWN_PAGE,
} from '../records/records.ts';
import { fetchDate } from '../records/request-record.ts';
import type { DocumentPlace } from '../render/rendered.ts';
import { alternates, type LinkSource } from './alternates.ts';
import { refusedBy } from './challenges.ts';
import { contentKind } from './content-kind.ts';
import { contentType, type Decoded, decodeAs, decodeBody, isXml, withQueryOf } from './decode-body.ts';
import { headerLinks, headerValues, locationOf } from './headers.ts';
import { pageImages } from './images.ts';
import { headerFields, markupFields } from './markup-facts.ts';
import { type Anchor, type DocumentFacts, readDocument } from './read-document.ts';
import { robotsDirectives } from './robots-directives.ts';
import { structuredData } from './structured-data/structured-data.ts';
import { ngramCounts } from './text/ngrams.ts';
import { simhash } from './text/simhash.ts';
import { characters, collapsed, distinct, measures, wordBlocks } from './text/text.ts';
import { TextSample } from './text/text-sample.ts';

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Codes that were checked, with whether they are a language. There are 26² codes. */
const known = new Map<string, boolean>();

/**
 * Returns the contents of a fetched resource: its page record, links and structured data.
 *
 * HTML is parsed for every status except redirects, so an error page also has a title. Links and structured data count
 * only on pages with a status of 200 to 299, because search engines ignore those of error pages.
 *
 * @param rendered the document after scripts ran, which replaces the body
 */
export function parsePage(
  fetched: Fetched,
  rules: ParseRules,
  rendered?: { readonly html: string; readonly place?: DocumentPlace },
): ParsedPage {
  const { type, charset } = contentType(fetched.headers);
  const { statusCode, body } = fetched;
  const status = statusCode === null ? 'unfetched_exception' : `fetched_${Math.floor(statusCode / 100)}xx`;
  const bare = { ...unfetchedPage(fetched.url, status), ...fetchFacts(fetched, type, rules) };
  // Browsers stay on the page.
  const isNoPage = statusCode === null || isRedirect(statusCode) || statusCode === 204 || statusCode === 205;
  const kind = isNoPage || body === null ? null : contentKind(fetched.headers, body);
  if (body === null || kind !== 'html')
    return { page: { ...withHeaders(bare, fetched, rules), content_kind: kind }, links: [], items: [] };
  const read = readBody(body, decodeBody(body, charset, isXml(type)), rendered?.html ?? null, isXml(type));
  const parsed = parseHtml(bare, { ...fetched, place: rendered?.place }, read, rules);
  return { ...parsed, page: { ...parsed.page, ...customFields(read.facts, read.html, rules) } };
}

interface ReadDocument {
  readonly html: string;
  readonly facts: DocumentFacts;
  readonly encoding: string;
}

/** Reads a body again if the document declares its encoding late (WHATWG HTML, "change the encoding"). */
function readBody(
  body: Uint8Array,
  decoded: Decoded,
  rendered: string | null,
  isXhtml: boolean,
): ReadDocument {
  const html = rendered ?? decoded.text;
  // The output of a browser is HTML.
  let facts: DocumentFacts | null = readDocument(html, rendered === null && isXhtml);
  const late = decoded.isTentative ? facts.encoding : null;
  if (late === null || late === decoded.encoding) return { html, facts, encoding: decoded.encoding };
  // The memory does not suffice for two large documents.
  facts = null;
  return readBody(body, decodeAs(body, late), rendered, isXhtml);
}

/** Returns the record of a page that was not requested, such as one that is blocked by robots.txt. */
export function unfetchedPage(url: string, status: string): PageRecord {
  const not = { fetched: false, parsed_html: false, is_truncated: false };
  return { ...UNKNOWN_PAGE, ...not, ...urlParts(url), fetch_status: status };
}

function isSuccess(statusCode: number | null): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

function fetchFacts(fetched: Fetched, type: string | null, rules: ParseRules): Partial<PageRecord> {
  const { statusCode, error, refusal, headers, bytes, isTruncated, loadTimeMs, fetchedAt } = fetched;
  const { httpVersion, tlsVersion, offersHttp2 } = fetched;
  const location = leadsOn(statusCode) ? locationOf(headers, fetched.url) : null;
  const isAnswer = statusCode !== null;
  return {
    fetched: isAnswer,
    fetch_error: refusal === null ? (error ?? refusedBy(fetched)) : `${error}: ${refusal}`,
    fetch_date: fetchDate(fetchedAt),
    status_code: statusCode,
    content_type: type,
    http_version: httpVersion,
    tls_version: tlsVersion,
    offers_http2: offersHttp2,
    load_time: isAnswer ? Math.round(loadTimeMs) : null,
    weight: isAnswer && bytes !== null ? Math.ceil(bytes / 1024) : null,
    redirect_location: location === null ? null : rules.normalize(location),
    is_truncated: isTruncated,
    content_problem: fetched.problem,
    ...(isAnswer ? headerFields(headers) : {}),
  };
}

/** Resolves addresses against a base; null if the result is not an http or https address. */
function resolver(base: string, rules: ParseRules): (href: string) => Resolved | null {
  return (href) => {
    const url = webUrl(href, base);
    return url === null ? null : { url: rules.normalize(url), isInternal: rules.isInternal(url) };
  };
}

/**
 * Returns the base of relative addresses (HTML, "document base URL"): that of `base`, unless it is invalid or
 * forbidden.
 */
function baseOf(href: string | null, url: string): string {
  const base = href === null ? null : absoluteUrl(href, url);
  return base === null || /^(?:data|javascript):/.test(base) ? url : base;
}

/** Adds the facts of the headers, which a page that is not HTML has too. */
function withHeaders(page: PageRecord, fetched: Fetched, rules: ParseRules): PageRecord {
  if (!isSuccess(fetched.statusCode)) return page;
  const resolve = resolver(fetched.url, rules);
  const robot = { robotName: rules.robotName, now: fetched.fetchedAt };
  return {
    ...page,
    ...robotsDirectives([], headerValues(fetched.headers, 'x-robots-tag'), robot),
    ...alternates([], headerLinks(fetched.headers, fetched.url), (href) => resolve(href)?.url ?? null),
    language: declaredLanguage(headerValues(fetched.headers, 'content-language')),
  };
}

function parseHtml(
  page: PageRecord,
  fetched: Fetched & { readonly place: DocumentPlace | undefined },
  { facts, encoding }: ReadDocument,
  rules: ParseRules,
): ParsedPage {
  const { headers, url, place } = fetched;
  const isOk = isSuccess(fetched.statusCode);
  const base = place?.base ?? baseOf(facts.baseHref, url);
  const absolute = resolver(base, rules);
  const ofHeader = resolver(url, rules);
  // A position on the page itself, even if scripts have changed the URL of the document.
  const isOwnPlace = (href: string): boolean =>
    place !== undefined && /^\s*(?:#|$)/.test(href) && base.replace(/#.*/s, '') === place.url;
  const resolve = (href: string): Resolved | null =>
    isOwnPlace(href) ? ofHeader(href) : absolute(withQueryOf(encoding, href));
  const address = (href: string, source: LinkSource): string | null =>
    (source === 'html' ? resolve(href) : ofHeader(href))?.url ?? null;
  const named = (name: string): string[] =>
    facts.metas.filter((meta) => meta.name === name).map(({ content }) => content);

  const robot = { robotName: rules.robotName, now: fetched.fetchedAt };
  const robots = robotsDirectives(facts.metas, headerValues(headers, 'x-robots-tag'), robot);
  const items = isOk ? structuredData(url, facts, (href) => absoluteUrl(href, base)) : null;
  const links = isOk ? linkRecords(url, facts.anchors, robots.meta_robots_follow, resolve) : [];
  const title = facts.title || null;
  const description = collapsed(named('description')[0] ?? '');
  const language = declaredLanguage([
    facts.lang,
    ...named('content-language'),
    ...headerValues(headers, 'content-language'),
  ]);
  return {
    page: {
      ...page,
      parsed_html: true,
      content_kind: 'html',
      is_truncated: page.is_truncated || facts.isCut,
      encoding,
      ...robots,
      num_titles: facts.titles,
      num_descriptions: named('description').length,
      ...alternates(facts.links, headerLinks(headers, url), address),
      canonical_outside_head: facts.bodyCanonical === null ? null : address(facts.bodyCanonical, 'html'),
      title,
      title_length: title === null ? null : characters(title),
      meta_description: description,
      description_length: description === null ? null : characters(description),
      ...headingFields(facts),
      num_img: facts.images,
      num_img_alt: facts.imagesWithAlt,
      num_missing_alt: facts.imagesWithoutAlt,
      images: pageImages(facts.firstImages, base),
      language,
      ...textFields(facts),
      has_script: facts.hasScript,
      semantic_types: items?.types ?? null,
      semantic_item_count: items?.records.length ?? null,
      ...cards(facts.metas),
      ...markupFields(fetched, facts, { links, language }, address),
    },
    links,
    items: items?.records ?? [],
  };
}

function customFields(
  { root }: DocumentFacts,
  html: string,
  { extract }: ParseRules,
): Partial<Pick<PageRecord, 'custom' | 'custom_problems'>> {
  if (extract === null) return {};
  const { values, problems } = extract({ html, root });
  return { custom: values, custom_problems: distinct(problems) };
}

/** `h1` is the first one with a text; the lists of `h2` and `h3` leave out empty ones. */
function headingFields({ headings: [first, second, third], headingCounts }: DocumentFacts) {
  const said = (texts: readonly string[]): string[] | null => {
    const list = texts.filter((text) => text !== '');
    return list.length === 0 ? null : list;
  };
  // An empty one next to others is ignored.
  const full = first.filter((text) => text !== '').length;
  const counts = headingCounts.map((count, index) => [
    `num_h${index + 1}`,
    index === 0 ? full || Math.min(count, 1) : count,
  ]);
  return {
    h1: first.find((text) => text !== '') ?? null,
    h2: said(second),
    h3: said(third),
    ...(Object.fromEntries(counts) as Record<`num_h${1 | 2 | 3 | 4 | 5 | 6}`, number>),
  } satisfies Partial<PageRecord>;
}

/** Characters above which the words of a text are not cached for its readers. */
const LONG_TEXT = 500_000;
/** The sample arrays, shared by all pages of a thread, because separate arrays would burden the garbage collector. */
const SAMPLE = new TextSample();

/** `text_to_code`: characters of the text, white space collapsed, by those of the HTML. */
function textFields({ text, mainText, characters: all }: DocumentFacts) {
  const lazy = wordBlocks(mainText);
  const blocks = mainText.length > LONG_TEXT ? lazy : [...lazy];
  const fingerprint = simhash(blocks, SAMPLE.clear());
  const said = measures(text);
  return {
    word_count: said.words,
    text_to_code: all === 0 ? 0 : Math.round((said.length / all) * 10_000) / 10_000,
    ngrams: ngramCounts(blocks),
    simhash: fingerprint?.toString() ?? null,
    text_sample: fingerprint === null ? null : SAMPLE.encoded(),
  } satisfies Partial<PageRecord>;
}

/**
 * OpenGraph and Twitter cards: the `meta` elements whose property or name begins with `og:` (or one of its objects,
 * `article:`, `book:`, `profile:`, `product:`, `video:`, `music:`, `fb:`) and with `twitter:`. Keys are the whole
 * names. If several elements have the same name, the first one counts.
 *
 * Sources: https://ogp.me, https://developer.x.com/en/docs/x-for-websites/cards/overview/markup
 */
function cards(
  metas: readonly { readonly name: string; readonly content: string }[],
): Pick<PageRecord, 'ogp_title' | 'ogp_type' | 'ogp_card' | 'twc_card'> {
  const card = (names: RegExp): Readonly<Record<string, string>> | null => {
    // Without a prototype, whose names a page could use for its card.
    const said = Object.create(null) as Record<string, string>;
    for (const { name, content } of metas) {
      const value = names.test(name) ? collapsed(content) : null;
      if (value !== null) said[name] ??= value;
    }
    return Object.keys(said).length === 0 ? null : said;
  };
  const ogp = card(/^(?:og|article|book|profile|product|video|music|fb):./);
  return {
    ogp_title: ogp?.['og:title'] ?? null,
    ogp_type: ogp?.['og:type'] ?? null,
    ogp_card: ogp,
    twc_card: card(/^twitter:./),
  };
}

/**
 * Returns the language that a page declares, as an ISO 639 code of two letters: the primary subtag of the first
 * declaration that has one, of `html lang`, the meta tag and the `Content-Language` header, in this order. A
 * three-letter code counts if the language also has a two-letter code (`eng` is `en`). Null if there is no declaration,
 * because the language is not guessed from the text.
 *
 * Source: BCP 47; https://html.spec.whatwg.org/multipage/dom.html#the-lang-and-xml:lang-attributes
 */
function declaredLanguage(declarations: Iterable<string | null | undefined>): string | null {
  for (const declaration of declarations) {
    const subtag = /^\s*([a-z]{2,3})(?![a-z0-9])/i.exec(declaration ?? '')?.[1];
    const code = subtag === undefined ? null : languageCode(subtag);
    if (code !== null) return code;
  }
  return null;
}

/** Returns the code of two letters of a language's code, or null if there is no such language. */
function languageCode(subtag: string): string | null {
  const code = subtag.length === 2 ? subtag.toLowerCase() : Intl.getCanonicalLocales(subtag)[0];
  if (code?.length !== 2) return null;
  let isKnown = known.get(code);
  if (isKnown === undefined) {
    isKnown = names.of(code) !== undefined;
    known.set(code, isKnown);
  }
  return isKnown ? code : null;
}

/**
 * Returns the parts of a URL, named as in the service (api-spec.md §2.15).
 *
 * - `url_host`: host, with the port if it is not the scheme's own.
 * - `url_first_path`: first directory with both slashes, or `/`: the text after the last slash is a file.
 * - `url_ext`: extension of the file, in lowercase; up to eight letters and digits after its last dot.
 * - `querystring_key`: names of the parameters, joined by `&` (seen in real exports). `querystring_keyvalue`: the query
 *   string without its `?`.
 */
export function urlParts(url: string) {
  const { host, pathname, search } = ownUrl(url);
  const query = search.slice(1);
  const second = pathname.indexOf('/', 1);
  return {
    url,
    url_host: host,
    urlpath: pathname,
    url_first_path: second < 0 ? '/' : pathname.slice(0, second + 1),
    url_ext:
      /\.([a-z0-9]{1,8})$/i.exec(pathname.slice(pathname.lastIndexOf('/') + 1))?.[1]?.toLowerCase() ?? null,
    url_has_params: query !== '',
    querystring_key: query === '' ? null : query.replace(/=[^&]*/g, ''),
    querystring_keyvalue: query === '' ? null : query,
  } satisfies Partial<PageRecord>;
}

/**
 * Cloudflare's own addresses, which are not pages: `/cdn-cgi/l/email-protection` stands for a `mailto:` until a script
 * replaces it. Resized pictures are still pictures.
 */
const NO_PAGE = /^https?:\/\/[^/?#]+\/cdn-cgi\/(?!image(?:delivery)?\/)/;

const QUALIFIERS = ['nofollow', 'ugc', 'sponsored'];

/** An address of a page, resolved. */
interface Resolved {
  readonly url: string;
  readonly isInternal: boolean;
}

/**
 * The links of a page: each `a` or `area` with an `href` that leads to http or https, as often as it occurs, in the
 * order of the document. Links to a position on the page itself are links to the page. Cloudflare's own addresses are
 * not links.
 *
 * - `anchor`: the text, else the `alt` of the images in it, else the accessible name. `is_image`: images, but no text.
 * - `follow`: false when `rel` has nofollow, ugc or sponsored, or the page's robots directives have nofollow. Search
 *   engines take each of the three as a hint not to follow, and read commas between them too.
 *
 * Source: https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links
 */
export function linkRecords(
  origin: string,
  anchors: readonly Anchor[],
  isFollowed: boolean,
  resolve: (href: string) => Resolved | null,
): LinkRecord[] {
  const records: LinkRecord[] = [];
  for (const { href, rel, position, text, alt, name } of anchors) {
    const target = resolve(href);
    if (target === null || (target.url.includes('/cdn-cgi/') && NO_PAGE.test(target.url))) continue;
    const said = collapsed(text);
    const rels = rel.flatMap((one) => one.split(','));
    const qualified = QUALIFIERS.filter((name) => rels.includes(name));
    records.push({
      origin,
      target: target.url,
      anchor: said ?? (alt === null ? null : collapsed(alt)) ?? name,
      follow: isFollowed && qualified.length === 0,
      intern: target.isInternal,
      rel: qualified.length === 0 ? null : qualified,
      is_image: said === null && alt !== null,
      link_position: position,
    });
  }
  return records;
}
