import { isIP } from 'node:net';
import { isAddressChain } from '../client-address.ts';
import type { LogLine } from '../log-line.ts';
import { isHost, isStatus } from '../request-parts.ts';
import { isSiteHost } from './further-fields.ts';

/** Caches the last result, because lines of one host are adjacent. */
let lastHost = '';

/**
 * Returns whether the values that a format finds in a line look plausible. A line of another format may match by
 * chance.
 *
 * @param name of the format
 */
export function isPlausible(
  { address, forwarded, host, port, status, bytes, escapes, referer, agent }: LogLine,
  name: string,
): boolean {
  if (status !== '' && !isStatus(status)) return false;
  if (bytes !== '' && !/^\d+$/.test(bytes)) return false;
  if (port !== '' && !/^\d{1,5}$/.test(port)) return false;
  if (forwarded !== '' && !isAddressChain(forwarded)) return false;
  // Keys and columns have names; a text without names is judged by its shape.
  if (escapes === null) return true;
  // The line is a cell of a table.
  if (address.startsWith('"') && !address.endsWith('"')) return false;
  // If the referrer is the host, the user agent is the referrer.
  const isShifted = referer !== '' && (agent === '' || agent.includes('://')) && isSiteHost(referer);
  if (isShifted && name.endsWith('combined_more')) return false;
  // It has the host where others have the name of the client.
  if (name.endsWith('lighttpd') && !host.includes('.')) return false;
  if (host !== '' && host !== lastHost) {
    if (!isHost(host)) return false;
    lastHost = host;
  }
  // Apache may log the name of an address. A name before it would be the host.
  if (host === '' && isName(address)) return true;
  return address === '' ? host === '' || port !== '' : isAddressChain(address);
}

export function isName(address: string): boolean {
  return isIP(address) === 0 && /^(?:[a-z0-9-]+\.)+[a-z]{2,}$|^localhost$/i.test(address);
}
