import { spellOctets, webUrl } from '../../core/net/web-url.ts';
import { lookUp } from '../../core/text/look-up.ts';

/** Bytes that no URL contains unencoded, and that must not be passed on from a log. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds them
const UNSAFE = /[\x00-\x20"<>\\^`{}\x7f-\xff]/g;
const HAS_UNSAFE = new RegExp(UNSAFE.source);
/** Bytes that the URL parser would drop, replace, or read as characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds them
const RAW = /[\x00-\x20#\x7f-\xff]/g;
/** A path that the URL parser leaves unchanged, except for its octets. */
const PLAIN = /^\/(?!\/)[\w!$%&()*+,./:;=?@~-]*$/;
/** Segments that the URL parser resolves. */
const DOTS = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds them
const CONTROLS = /[\x00-\x20\x7f]/g;
const NO_ORIGIN = 'http://h';
/**
 * What servers write for an escaped byte. `apache`: `\x22`, `\t` and the like (`ap_escape_logitem`), also in lighttpd
 * and varnishncsa. `hex`: only `\x22`, in nginx and Amazon's load balancers. `haproxy`: `#22` (`lf_encode_chunk`).
 * `none`: Envoy.
 */
const ESCAPES = {
  apache: /\\(?:x([0-9a-fA-F]{2})|([abfnrtv"\\]))/g,
  hex: /\\x([0-9a-fA-F]{2})/g,
  haproxy: /#([0-9a-fA-F]{2})/g,
  none: null,
} as const;
export type Escaping = keyof typeof ESCAPES;
const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Undoes the escapes of a server, byte by byte; null: the server does not escape. */
export function unescapeBytes(text: string, escaping: Escaping | null): string {
  const escapes = escaping === null ? null : ESCAPES[escaping];
  if (escapes === null || !(text.includes('\\') || escaping === 'haproxy')) return text;
  return text.replaceAll(escapes, (_, digits?: string, letter?: string) =>
    digits === undefined
      ? (lookUp(SIMPLE, letter ?? '') ?? String(letter))
      : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Path and query in the spelling of a browser. */
export function cleanPath(path: string): string {
  if (PLAIN.test(path) && !DOTS.test(path)) return spellOctets(path);
  const raw = path.replaceAll(RAW, octet);
  // The path of `//a` would be a host.
  const url = webUrl(`${NO_ORIGIN}${raw}`);
  // The address has the mark of an empty query, which its parts do not show.
  return url === null ? raw.replaceAll(UNSAFE, octet) : spellOctets(url.href.slice(NO_ORIGIN.length));
}

/** Returns a URL that the client sent, such as a referrer, cleaned for a row. */
export function cleanText(text: string): string {
  return HAS_UNSAFE.test(text) ? text.replaceAll(UNSAFE, octet) : text;
}

function octet(one: string): string {
  return `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Decodes a text of one byte per character as UTF-8; invalid bytes become U+FFFD. */
export function decodedText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll(CONTROLS, ' ');
}

/** Returns a path without its query, or with only the parameters that are kept. */
export function withoutQuery(path: string, kept: 'keep' | 'drop' | readonly string[]): string {
  if (kept === 'keep') return path;
  const start = path.indexOf('?');
  if (start < 0) return path;
  const left =
    kept === 'drop'
      ? []
      : path
          .slice(start + 1)
          .split('&')
          .filter((one) => kept.includes(one.split('=', 1)[0] ?? ''));
  return left.length === 0 ? path.slice(0, start) : `${path.slice(0, start)}?${left.join('&')}`;
}
