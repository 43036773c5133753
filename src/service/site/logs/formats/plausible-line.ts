import { isIP } from 'node:net';
import { isAddressChain } from '../client-address.ts';
import type { LogLine } from '../log-line.ts';
import { isHost, isStatus } from '../request-parts.ts';
import { isSiteHost } from './further-fields.ts';

/** Lines of one host stand together. */
let lastHost = '';

/**
 * Whether what a format makes of a line looks like what it stands for: a line of another format may fit by chance.
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
  // Keys and columns name what they hold; a text without names is believed by its looks.
  if (escapes === null) return true;
  // The line is a cell of a table.
  if (address.startsWith('"') && !address.endsWith('"')) return false;
  // The referrer is the host, where the user agent is the referrer.
  const isShifted = referer !== '' && (agent === '' || agent.includes('://')) && isSiteHost(referer);
  if (isShifted && name.endsWith('combined_more')) return false;
  // It has the host where others have a name of the client.
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
