import { hasAddress, isAddressChain, isOwnAddress } from '../client-address.ts';
import type { LogLine } from '../log-line.ts';
import { isHost } from '../request-parts.ts';

/** `host=` is the host that the client requested, `vhost=` the server that answered. */
const HOSTS = [/(?:^| )(?:http_)?host="?([^" ]+)/i, /(?:^| )v(?:irtual_?)?host="?([^" ]+)/i] as const;
const CHAIN =
  /(?:^|[ "=])((?:unknown|[\da-fA-F.:[\]]{3,50})(?:, ?(?:unknown|[\da-fA-F.:[\]]{3,50}))*)(?=[ "]|$)/g;
/** Searched characters: servers accept no longer headers. */
const LONGEST = 8192;
const HAS_ADDRESS = /\d\.\d+\.\d|:[\da-f]*:|for=/i;
/** Addresses with a port belong to upstream servers. */
const HAS_PORT = /\d\.\d+:\d+|\]:\d+/;

/**
 * Takes the host and the chain of addresses from fields that follow those of a format: by their keys, or by their
 * shape.
 *
 * @param tellsHost whether the format contains the host
 */
export function takeFurtherFields(more: string, line: LogLine, tellsHost: boolean): void {
  const rest = more.slice(0, LONGEST);
  if (!tellsHost && rest.includes('host=')) {
    const hosts = HOSTS.map((key) => key.exec(rest)?.[1] ?? '');
    line.host = hosts.find(isSiteHost) ?? '';
  }
  // A chain of private addresses only belongs to upstream servers.
  if (line.forwarded === '' || line.forwarded.split(',').every((one) => one === '' || isOwnAddress(one)))
    line.forwarded = chainIn(rest) || line.forwarded;
}

function chainIn(rest: string): string {
  if (!HAS_ADDRESS.test(rest)) return '';
  const rfc7239 = /"((?:[^"\\]|\\.)*\bfor=(?:[^"\\]|\\.)*)"/i.exec(rest)?.[1];
  if (rfc7239 !== undefined && isAddressChain(rfc7239)) return rfc7239;
  for (const [, chain = ''] of rest.matchAll(CHAIN))
    if (!HAS_PORT.test(chain) && isAddressChain(chain) && hasAddress(chain)) return chain;
  return '';
}

/** Returns whether a string is a host name of a site, and not the name of a machine or an address. */
export function isSiteHost(text: string): boolean {
  return /\.[a-z][a-z0-9-]+(?::\d+)?$/i.test(text) && isHost(text);
}
