import { CrawlhouseError } from '../errors/errors.ts';

/** A percent-encoded octet. */
const OCTET = /%[0-9a-f]{2}/gi;
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * Parses an http or https URL from untrusted text, such as a link, a header or a robots.txt line.
 * Follows the URL Standard. Returns null for any other text.
 */
export function webUrl(text: string, base?: string): URL | null {
  const url = URL.parse(text, base);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null;
}

/** Returns why a text is not an http or https URL, for a sentence that begins with the text. */
export function whyNoUrl(text: string, base?: string): string {
  const url = URL.parse(text, base);
  if (text.trim() === '') return 'is empty';
  if (url !== null && /\s/.test(text.trim())) return 'has a space, which a URL writes as %20';
  return url === null ? 'is not a URL' : `has the scheme ${url.protocol.slice(0, -1)}, not http or https`;
}

/** Returns the URL of a text that this program wrote, so that it is valid. */
export function ownUrl(text: string): URL {
  const url = webUrl(text);
  if (url === null) throw new CrawlhouseError('internal', `${text} ${whyNoUrl(text)}`);
  return url;
}

/**
 * Normalizes a URL: removes user name and fragment, and unifies equivalent percent-encodings (RFC 3986 §6.2.2), with
 * uppercase digits and decoded unreserved characters. The URL parser has done the rest.
 */
export function spellUrl(url: URL): string {
  let plain = url;
  if (url.username !== '' || url.password !== '') {
    plain = new URL(url);
    plain.username = '';
    plain.password = '';
  }
  const { href } = plain;
  const at = href.indexOf('#');
  return spellOctets(at < 0 ? href : href.slice(0, at));
}

/** Returns the path and query of a request. An empty query counts: servers may answer `/a?` and `/a` differently. */
export function requestPath({ href, pathname, search }: URL): string {
  const [whole = ''] = href.split('#', 1);
  return pathname + (whole.endsWith('?') && search === '' ? '?' : search);
}

/** Normalizes the percent-encodings of a path, a query or a whole URL. */
export function spellOctets(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(OCTET, (octet, at: number) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return UNRESERVED.test(character) && !endsInPercent(text, at) ? character : octet.toUpperCase();
  });
}

/** Returns whether a decoded digit would complete an octet after a lone `%`, as in `%%32e`. */
function endsInPercent(text: string, at: number): boolean {
  if (text[at - 1] === '%') return true;
  return text[at - 2] === '%' && /[0-9a-f]/i.test(text[at - 1] ?? '');
}

/**
 * Returns the first column of a line that begins with a URL. The column ends at a tab, or at a comma or semicolon
 * before a blank, a quote or another URL. A URL parser would remove the tab and join the columns.
 */
export function firstColumn(line: string): string {
  const text = line.trim();
  return text.slice(0, /\t|\s*[,;](?=\s|["']|https?:\/\/)/i.exec(text)?.index ?? text.length).trim();
}

/** Returns the absolute form of an address of any scheme, such as an item's name; null if it is invalid. */
export function absoluteUrl(text: string, base?: string): string | null {
  return URL.parse(text, base)?.href ?? null;
}
