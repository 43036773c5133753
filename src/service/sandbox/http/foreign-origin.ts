import type { IncomingHttpHeaders } from 'node:http';

/** Whether an IP address is this machine's own. */
export function isLoopback(ip: string): boolean {
  return /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/.test(ip);
}

/**
 * Why a request is not one of a program on this machine; undefined for one that is. A web page in a browser here has this
 * machine's address too. It gives itself away by its origin, or, once its name was rebound to 127.0.0.1, by that name.
 *
 * @param listening the host that the sandbox was told to listen on
 */
export function foreignOrigin(headers: IncomingHttpHeaders, listening: string): string | undefined {
  const host = nameOf(`http://${headers.host ?? ''}`);
  if (host === undefined || !isOwn(host, listening))
    return `/_sandbox answers to this machine's own names only`;
  if (headers.origin !== undefined) {
    const origin = nameOf(headers.origin);
    if (origin === undefined || headers.origin.replace(/^https?:\/\//, '') !== headers.host)
      return '/_sandbox answers no page of another origin';
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return '/_sandbox answers no page of another site';
  return undefined;
}

function isOwn(name: string, listening: string): boolean {
  return name === 'localhost' || isLoopback(name) || name === listening.toLowerCase();
}

/** The host name of an address, without port and brackets. */
function nameOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '' || url.pathname !== '/') return undefined;
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
