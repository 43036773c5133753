import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { LogLine } from './log-line.ts';

/** Private ranges, which contain proxies: a hop with such an address was written by the proxy after it. */
const OWN: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
  'unspecified',
  'deprecatedSiteLocal',
]);
/** Stands for a text that is neither an address nor a known substitute. */
export const UNKNOWN_ADDRESS = 'unknown';
/** A name of an address, as from Apache's look-ups. */
const NAME = /^(?=.{4,253}$)(?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{1,62}\.?$/i;
/**
 * Substitutes for an address: parts of it with the others hidden, a hash, a word, and the identifiers of RFC 7239
 * (https://www.rfc-editor.org/rfc/rfc7239#section-6).
 */
const HIDDEN =
  /^(?:(?:[\da-f]{1,4}|[x*]{1,4})(?:[.:]+(?:[\da-f]{1,4}|[x*]{1,4}))*[.:]+[x*]{1,4}|(?:[\da-f]{8}){1,16}|unknown|anonymous|redacted|masked|hidden|unix:.*|_[\w.-]+)$/i;
/** Hops that are remembered. */
const MOST = 50_000;

/** A hop of a chain: an address in its plain form, or null if it is not an address. */
interface Hop {
  readonly address: string;
  readonly isOwn: boolean;
}

const hops = new Map<string, Hop | null>();

/**
 * Returns the address of the client: the last public address in the chain of hops. The hops before it are the client's
 * own claim.
 *
 * @returns empty if the line has none or hides it; the host name if the line has that instead; `unknown` if the
 *   relevant hop is neither
 */
export function clientAddress(
  { address, forwarded }: Pick<LogLine, 'address' | 'forwarded'>,
  isForwarded: boolean,
): string {
  if (isForwarded && forwarded !== '') {
    const client = lastPublic(forwarded);
    if (client !== null) return client;
  }
  if (address === '') return '';
  return lastPublic(address) ?? plainHop(address.slice(address.lastIndexOf(',') + 1))?.address ?? '';
}

/** The member `for` of each element of RFC 7239, which may be quoted as the server escapes it. */
const FOR = /(?:^|[;,\s])for=(?:\\*"|\\x22)?([^;,"\\]*)/gi;

/** Converts a `Forwarded` header to the form of X-Forwarded-For. */
function plainChain(chain: string): string {
  if (!/\bfor=/i.test(chain)) return chain;
  return [...chain.matchAll(FOR)].map(([, hop]) => hop).join(',');
}

/** Returns null for a chain of private addresses only. */
function lastPublic(written: string): string | null {
  const chain = written.includes('=') ? plainChain(written) : written;
  for (let end = chain.length; end >= 0; ) {
    const comma = end === 0 ? -1 : chain.lastIndexOf(',', end - 1);
    const text = chain.slice(comma + 1, end).trim();
    end = comma;
    if (text === '') continue;
    const hop = plainHop(text);
    if (hop === null) return inPlaceOfAddress(text);
    if (!hop.isOwn) return hop.address;
  }
  return null;
}

function inPlaceOfAddress(text: string): string {
  if (HIDDEN.test(text)) return '';
  return NAME.test(text) ? text.toLowerCase().replace(/\.$/, '') : UNKNOWN_ADDRESS;
}

/** Returns whether each hop of a chain is an address or a placeholder: `-`, `unknown`. */
export function isAddressChain(chain: string): boolean {
  // Usually one address that was seen before.
  if (hops.get(chain)) return true;
  return plainChain(chain)
    .split(',')
    .every(
      (one) => /^[\s+]*(?:-(?::\d+)?)?\s*$/.test(one) || HIDDEN.test(one.trim()) || plainHop(one) !== null,
    );
}

/** Returns whether a hop of a chain is an address. */
export function hasAddress(chain: string): boolean {
  return chain.split(',').some((one) => plainHop(one) !== null);
}

/** Returns whether an address is private; false for a text that is not an address. */
export function isOwnAddress(address: string): boolean {
  return plainHop(address)?.isOwn ?? false;
}

function plainHop(text: string): Hop | null {
  const known = hops.get(text);
  if (known !== undefined) return known;
  if (hops.size >= MOST) hops.clear();
  const hop = readHop(text);
  hops.set(Buffer.from(text, 'latin1').toString('latin1'), hop);
  return hop;
}

/** Without the port, the brackets, the zone, and the `+` that IIS writes for a space. */
function readHop(text: string): Hop | null {
  const trimmed = text.replace(/^[\s+"]+|[\s+"]+$/g, '');
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.includes(':') ? bare.replace(/%[\w.-]+$/, '') : bare;
  // Only one of the two parsers knows zones.
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  return { address: parsed.toString(), isOwn: OWN.has(parsed.range()) };
}
