import type { Reach } from './reach.ts';

/** Of a request, what tells where it comes from. */
export interface Sender {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site */
  readonly site: string | undefined;
}

export interface RefusedRequest {
  readonly status: 403 | 421;
  readonly message: string;
}

/**
 * Why a request is refused, or null. A page of another site that has bound its name to this address sends its own name
 * as Host. One that posts a form here is another origin.
 */
export function refusalOf({ method, host, origin, site }: Sender, reach: Reach): RefusedRequest | null {
  if (host === undefined || !reach.hosts.has(host.toLowerCase()))
    return { status: 421, message: 'This console is not called by this name.' };
  if (isRead(method)) return null;
  const isOurs = origin === undefined || reach.origins.has(origin);
  if (isOurs && (site === undefined || site === 'same-origin')) return null;
  return { status: 403, message: 'The request comes from another site.' };
}

/** Whether a request changes nothing. */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
