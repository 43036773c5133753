import { parse } from 'parse5';
import { ownUrl } from '../../core/net/web-url.ts';
import { htmlBody } from './parse/content-kind.ts';
import { contentType, decodeBody } from './parse/decode-body.ts';
import { attribute, isElement, walk } from './parse/tree.ts';

const NAME = '_escaped_fragment_';
/** Number of bytes of a page that are searched for its head. */
const LONGEST_HEAD = 65_536;
/**
 * Characters that the scheme escapes in addition to those of the URL parser: `%`, `#`, `&` and `+`. A `%` of an octet
 * that the parser would have written itself stays, because both spellings are the same URL.
 */
const ESCAPED = /[#&+]|%(?!(?:[01][0-9a-f]|20|22|3c|3e|60|7f|[89a-f][0-9a-f]))/gi;

/**
 * Returns the URL of the HTML snapshot of a page that scripts build, by the scheme that Google deprecated in 2015:
 * `/a#!b=c` becomes `/a?_escaped_fragment_=b=c`, and a page that declares `<meta name="fragment" content="!">` has an
 * empty parameter.
 *
 * Source: https://developers.google.com/search/docs/ajax-crawling/docs/specification
 */
export function snapshotUrl(text: string): string {
  const { origin, pathname, search, hash } = ownUrl(text);
  const fragment = isHashBang(hash) ? hash.slice(2).replaceAll(ESCAPED, encodeURIComponent) : '';
  return `${origin}${pathname}${search}${search === '' ? '?' : '&'}${NAME}=${fragment}`;
}

/**
 * Returns the URL to request for a page: that of its snapshot if the page's URL has a `#!`. Only a crawl with this scheme
 * keeps the `#!`.
 */
export function askedUrl(text: string): string {
  return text.includes('#') ? snapshotUrl(text) : text;
}

/** Returns the URL of the page that a snapshot's URL belongs to; the URL itself if it is not a snapshot. */
export function pageUrl(href: string): string {
  const [, before, mark, fragment = ''] =
    /^([^?#]*(?:\?[^#]*?)?)([?&])_escaped_fragment_=([^#]*)$/.exec(href) ?? [];
  if (before === undefined) return href;
  const [value = '', ...others] = fragment.split('&');
  const rest = others.length === 0 ? '' : `${mark}${others.join('&')}`;
  return `${before}${rest}${value === '' ? '' : `#!${decoded(value)}`}`;
}

export function isHashBang(hash: string): boolean {
  return hash.startsWith('#!');
}

/** Returns whether a page declares in its head that it has a snapshot. */
export function declaresSnapshot(answer: Parameters<typeof htmlBody>[0]): boolean {
  const plain = htmlBody(answer, LONGEST_HEAD);
  if (plain === null) return false;
  const { text } = decodeBody(plain.subarray(0, LONGEST_HEAD), contentType(answer.headers).charset);
  if (!/<meta\b[^>]*fragment/i.test(text)) return false;
  let isDeclared = false;
  walk(parse(text, { scriptingEnabled: true }), (node) => {
    if (!isElement(node)) return false;
    const has = (name: string, value: string): boolean =>
      attribute(node, name)?.trim().toLowerCase() === value;
    if (node.tagName === 'meta' && has('name', 'fragment') && has('content', '!')) isDeclared = true;
    return node.tagName === 'html' || node.tagName === 'head';
  });
  return isDeclared;
}

/** Removes the escapes of the scheme, and that of `'`, which the URL parser only makes in a query. */
function decoded(text: string): string {
  return text.replaceAll(/%(?:23|25|26|27|2b)/gi, decodeURIComponent);
}
