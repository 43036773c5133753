import type { Fetched } from '../records/records.ts';
import { headerValues } from './headers.ts';

type Headers = Fetched['headers'];

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Types that say nothing, which browsers sniff as they do without a type. */
const UNKNOWN: readonly string[] = ['*/*', 'unknown/unknown', 'application/unknown'];
/** The beginnings of HTML (https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type). */
const HTML =
  /^[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])/i;
const XHTML = /<(?:\w+:)?html\b[^>]*\bxmlns(?::\w+)?\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/;
const SNIFFED_BYTES = 1_445;

/**
 * The media type of an answer and its charset, of all its headers as one (https://fetch.spec.whatwg.org, "extract a MIME
 * type"): the last type that is one counts, and keeps the charset of the ones before it that are the same.
 */
export function contentType(headers: Headers): {
  readonly type: string | null;
  readonly charset: string | null;
} {
  let found: { readonly type: string | null; readonly charset: string | null } = {
    type: null,
    charset: null,
  };
  for (const value of headerValues(headers, 'content-type')
    .join()
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)) {
    const [essence = '', ...parameters] = value.split(';');
    const type = essence.trim().toLowerCase();
    if (!isType(type)) continue;
    const charset = parameters
      .map((text) => /^\s*charset\s*=\s*["']?([^"'\s]+)/i.exec(text)?.[1])
      .find((one) => one !== undefined);
    found = { type, charset: charset ?? (found.type === type ? found.charset : null) };
  }
  return found;
}

function isType(type: string): boolean {
  const [top = '', sub = '', ...more] = type.split('/');
  return more.length === 0 && TOKEN.test(top) && TOKEN.test(sub) && !UNKNOWN.includes(type);
}

/** Whether a type is one of XML (https://mimesniff.spec.whatwg.org/#xml-mime-type). */
export function isXml(type: string | null): boolean {
  return type !== null && (type === 'text/xml' || type === 'application/xml' || type.endsWith('+xml'));
}

/** Whether browsers read an answer as HTML: by its type; without one by how it begins, unless its headers forbid to look. */
export function isHtml(headers: Headers, body: Uint8Array): boolean {
  const { type } = contentType(headers);
  if (type === 'text/html' || type === 'application/xhtml+xml') return true;
  const start = Buffer.from(body.subarray(0, SNIFFED_BYTES)).toString('latin1');
  if (type !== null) return isXml(type) && XHTML.test(start);
  const isForbidden =
    headerValues(headers, 'x-content-type-options').join().split(',')[0]?.trim().toLowerCase() === 'nosniff';
  return !isForbidden && HTML.test(start);
}
