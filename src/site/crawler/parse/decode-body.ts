import { isAscii, isUtf8 } from 'node:buffer';
import sniffEncoding from 'html-encoding-sniffer';
import {
  bytesAsCharacters,
  decodeBytes,
  encodingName,
  percentEncoded,
} from '../../../core/text/encodings.ts';
import type { Fetched } from '../records/records.ts';
import { headerValues } from './headers.ts';

export type Decoded = ReturnType<typeof decodeAs>;

/**
 * Returns the text of an HTML body. The encoding is that of the byte order mark, else of the `Content-Type` header,
 * else of a `meta` element in the first 1,024 bytes (WHATWG HTML, "encoding sniffing algorithm"), or of the XML
 * declaration. Without any of these it is tentative: UTF-8 if the bytes are valid UTF-8 beyond ASCII, or the document
 * is XML, else windows-1252, as browsers guess for pages in western languages.
 *
 * As in browsers, a declared encoding applies even if it is wrong. Invalid bytes become U+FFFD.
 */
export function decodeBody(body: Uint8Array, charset: string | null, xml = false): Decoded {
  const label = charset === null ? {} : { transportLayerEncodingLabel: charset };
  const sniffed = sniffEncoding(body, { ...label, xml, defaultEncoding: '' });
  if (sniffed !== '') return decodeAs(body, sniffed);
  const isGuessedUtf8 = xml || (isUtf8(body) && !isAscii(body));
  return { ...decodeAs(body, isGuessedUtf8 ? 'UTF-8' : 'windows-1252'), isTentative: !xml };
}

/** @param name of an encoding in the Encoding Standard, such as `windows-1252` */
export function decodeAs(body: Uint8Array, name: string) {
  const encoding = name === 'x-user-defined' ? 'windows-1252' : name;
  // Browsers show nothing of a page in an unsafe encoding (https://encoding.spec.whatwg.org/#replacement).
  if (encoding === 'replacement') return { text: '\uFFFD', encoding, isTentative: false };
  // Tentative: neither its beginning nor its headers declare the encoding. A `meta` element that the parser meets later
  // may.
  return { text: decodeBytes(body, encoding), encoding, isTentative: false };
}

/**
 * Returns the encoding that a `meta` element declares (WHATWG HTML, "extracting a character encoding from a meta
 * element"), or null.
 */
export function metaEncoding(charset: string | null, content: string | null): string | null {
  const [, double, single, plain] =
    /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(content ?? '') ?? [];
  const name = encodingName(charset ?? double ?? single ?? plain ?? '');
  return name?.startsWith('UTF-16') ? 'UTF-8' : name;
}

/**
 * Returns a URL whose query is encoded like its document (https://url.spec.whatwg.org, "query state").
 */
export function withQueryOf(encoding: string, href: string): string {
  if (!href.includes('?')) return href;
  const [, before, query, after] = /^([^?#]*\?)([^#]*)(.*)$/s.exec(href) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is the same in each encoding
  if (query === undefined || /^[\x00-\x7f]*$/.test(query) || /^(?:utf-|replacement)/i.test(encoding))
    return href;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  const encoded = query.replaceAll(/[^\x00-\x7f]+/g, (text) => percentEncoded(text, encoding));
  return before + encoded + after;
}

type Headers = Fetched['headers'];

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Types without information, which browsers sniff as they do without a type. */
const UNKNOWN: readonly string[] = ['*/*', 'unknown/unknown', 'application/unknown'];
/**
 * The beginnings of HTML (https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type); the
 * name of a tag may also end with a line or a slash, as in Chromium.
 */
const HTML =
  /^[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\t\n\f\r />])/i;
const XHTML = /<(?:\w+:)?html\b[^>]*\bxmlns(?::\w+)?\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/;
/**
 * Parameters of a media type: a quoted text need not end, and an unquoted one ends at the next semicolon (MIME Sniffing
 * §4.4).
 */
const PARAMETER = /;\s*([^;=]*)(?:=(?:"((?:[^"\\]|\\.)*)[^;]*|([^;]*)))?/gs;
const SNIFFED_BYTES = 1_445;

/**
 * Returns the media type and the charset of a response, from all its headers together
 * (https://fetch.spec.whatwg.org, "extract a MIME type"): the last valid type counts, and keeps the charset of earlier
 * equal types.
 */
export function contentType(headers: Headers): MediaType {
  const value = headerValues(headers, 'content-type').join();
  // Most pages of a site have the same value, and several readers of a page need it.
  if (lastType.value !== value) lastType = { value, found: readType(value) };
  return lastType.found;
}

interface MediaType {
  readonly type: string | null;
  readonly charset: string | null;
}

let lastType: { readonly value: string; readonly found: MediaType } = {
  value: '',
  found: { type: null, charset: null },
};

function readType(values: string): MediaType {
  let found: MediaType = { type: null, charset: null };
  for (const value of values.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)) {
    const [essence = ''] = value.split(';', 1);
    const type = essence.trim().toLowerCase();
    if (!isType(type)) continue;
    const charset = [...value.slice(essence.length).matchAll(PARAMETER)]
      .filter(([, name]) => name?.toLowerCase() === 'charset')
      .map(([, , quoted, plain = '']) => quoted?.replaceAll(/\\(.)/gs, '$1') ?? (plain.trim() || undefined))
      .find((one) => one !== undefined);
    found = { type, charset: charset ?? (found.type === type ? found.charset : null) };
  }
  return found;
}

function isType(type: string): boolean {
  const [top = '', sub = '', ...more] = type.split('/');
  return more.length === 0 && TOKEN.test(top) && TOKEN.test(sub) && !UNKNOWN.includes(type);
}

/** Returns whether a type is one of XML (https://mimesniff.spec.whatwg.org/#xml-mime-type). */
export function isXml(type: string | null): boolean {
  return type !== null && (type === 'text/xml' || type === 'application/xml' || type.endsWith('+xml'));
}

/**
 * Returns whether browsers read a response as HTML: by its type; without one by its first bytes, unless its headers
 * forbid sniffing.
 */
export function isHtml(headers: Headers, body: Uint8Array): boolean {
  const { type } = contentType(headers);
  if (type === 'text/html' || type === 'application/xhtml+xml') return true;
  const start = bytesAsCharacters(body.subarray(0, SNIFFED_BYTES));
  if (type !== null) return isXml(type) && XHTML.test(start);
  const isForbidden =
    headerValues(headers, 'x-content-type-options').join().split(',')[0]?.trim().toLowerCase() === 'nosniff';
  return !isForbidden && HTML.test(start);
}
