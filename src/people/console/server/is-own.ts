import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request comes from a page of this console, from the person's own hand (a bookmark), or from a program.
 * Browsers say it in `Sec-Fetch-Site`, except over plain HTTP on another machine; there the referrer says it.
 */
export function isOwn(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (!headers.accept?.includes('text/html')) return true;
  return URL.parse(headers.referer ?? '')?.host === headers.host;
}
