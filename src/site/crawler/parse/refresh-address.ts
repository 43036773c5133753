import { trimmed } from './tree.ts';

/** Where a page redirects a browser by itself, and after how many seconds. */
export interface Refresh {
  readonly delay: number;
  /** As written; empty for the page itself. */
  readonly address: string;
}

/** The time, then the text after a separator. */
const REFRESH =
  /^[\t\n\f\r ]*(?:(\d+)[\d.]*|(?=\.)[\d.]+)(?:$|[\t\n\f\r ]*[;,][\t\n\f\r ]*|[\t\n\f\r ]+)(.*)$/s;
const NAME = /^u(?:r(?:l(?:[\t\n\f\r ]*(?:=[\t\n\f\r ]*(?<address>.*))?)?)?)?/is;

/**
 * Reads the content of a `meta refresh` or of a `Refresh` header; null if there is none
 * (https://html.spec.whatwg.org/multipage/document-lifecycle.html#shared-declarative-refresh-steps).
 */
export function readRefresh(content: string): Refresh | null {
  const [match, seconds = '0', rest = ''] = REFRESH.exec(content) ?? [];
  if (match === undefined) return null;
  const delay = Math.min(Number(seconds), Number.MAX_SAFE_INTEGER);
  if (/^[^u]/i.test(rest)) return { delay, address: unquoted(rest) };
  const { address } = NAME.exec(rest)?.groups ?? {};
  // Without the whole `url =`, the rest is the address.
  return { delay, address: address === undefined ? trimmed(rest) : unquoted(address) };
}

/** Returns the text without quotes. A quote ends the text that it begins, but the closing quote may be missing. */
function unquoted(text: string): string {
  const quote = text[0];
  return trimmed(quote === '"' || quote === "'" ? (text.slice(1).split(quote, 1)[0] ?? '') : text);
}
