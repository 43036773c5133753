import { CrawlhouseError } from '../errors/errors.ts';

/** A percent-encoded octet. */
const OCTET = /%[0-9a-f]{2}/gi;
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * A URL of http or https from a text that a stranger wrote, such as a link, a header or a line of robots.txt, as the URL
 * Standard reads it; null for what is none.
 */
export function webUrl(text: string, base?: string): URL | null {
  const url = URL.parse(text, base);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null;
}

/** Why a text is no URL of http or https, for a sentence that begins with the text. */
export function whyNoUrl(text: string, base?: string): string {
  const url = URL.parse(text, base);
  if (text.trim() === '') return 'is empty';
  if (url !== null && /\s/.test(text.trim())) return 'has a space, which a URL writes as %20';
  return url === null ? 'is no URL' : `has the scheme ${url.protocol.slice(0, -1)}, not http or https`;
}

/** The URL of a text that a part of this program spelled, so that it is one. */
export function ownUrl(text: string): URL {
  const url = webUrl(text);
  if (url === null) throw new CrawlhouseError('internal', `${text} ${whyNoUrl(text)}`);
  return url;
}

/**
 * The one spelling of a URL: without user name and fragment, and with equivalent percent-encodings alike (RFC 3986
 * §6.2.2): their digits in upper case, and unreserved characters as they are. What the URL parser makes alike is so already.
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

/** The path and query that a request asks for. An empty query is one: servers may answer `/a?` and `/a` differently. */
export function requestPath({ href, pathname, search }: URL): string {
  const [whole = ''] = href.split('#', 1);
  return pathname + (whole.endsWith('?') && search === '' ? '?' : search);
}

/** The percent-encodings of a path, a query or a whole URL in their one spelling. */
export function spellOctets(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(OCTET, (octet, at: number) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return UNRESERVED.test(character) && !endsInPercent(text, at) ? character : octet.toUpperCase();
  });
}

/** Whether a decoded digit would make an octet of a `%` that is none, as in `%%32e`. */
function endsInPercent(text: string, at: number): boolean {
  if (text[at - 1] === '%') return true;
  return text[at - 2] === '%' && /[0-9a-f]/i.test(text[at - 1] ?? '');
}

/**
 * The first column of a line that begins with a URL, which a tab ends, or a comma or semicolon before a blank, a quote or
 * another URL. A parser of URLs would drop the tab and join the columns.
 */
export function firstColumn(line: string): string {
  const text = line.trim();
  return text.slice(0, /\t|\s*[,;](?=\s|["']|https?:\/\/)/i.exec(text)?.index ?? text.length).trim();
}

/** The absolute form of an address of any scheme, such as the name of an item; null for what is none. */
export function absoluteUrl(text: string, base?: string): string | null {
  return URL.parse(text, base)?.href ?? null;
}
