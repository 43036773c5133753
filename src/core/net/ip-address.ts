import { isIPv4, isIPv6 } from 'node:net';

/** Bits of the numbers below. */
export const ADDRESS_BITS = 128;
/** The range of IPv4 addresses within IPv6: ::ffff:0:0/96. */
const IPV4_MAPPED = 0xffffn << 32n;

/**
 * Returns an IP address as a 128-bit number. An IPv4 address and its IPv4-mapped IPv6 form are equal.
 *
 * @returns null for anything else, such as a name, a zone (`fe80::1%eth0`) or an address with a port
 */
export function addressNumber(address: string): bigint | null {
  if (isIPv4(address)) return IPV4_MAPPED | ipv4Number(address);
  if (!isIPv6(address) || address.includes('%')) return null;
  const [before = '', after] = withHexadecimalEnd(address).split('::');
  const [first, last] = [groupsOf(before), groupsOf(after)];
  const zeros = Array<bigint>(8 - first.length - last.length).fill(0n);
  return [...first, ...zeros, ...last].reduce((number, group) => (number << 16n) | group, 0n);
}

/** Returns the IPv4 address of an IPv4-mapped IPv6 address; any other address is unchanged. */
export function plainAddress(address: string): string {
  const number = addressNumber(address);
  if (number === null || number >> 32n !== IPV4_MAPPED >> 32n) return address;
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
}

function ipv4Number(address: string): bigint {
  return BigInt(address.split('.').reduce((number, part) => number * 256 + Number(part), 0));
}

/** `::ffff:1.2.3.4` as `::ffff:102:304`. */
function withHexadecimalEnd(address: string): string {
  const dotted = /[^:]*\.[^:]*$/.exec(address)?.[0];
  if (dotted === undefined) return address;
  const number = ipv4Number(dotted);
  const end = `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`;
  return address.slice(0, -dotted.length) + end;
}

function groupsOf(part: string | undefined): bigint[] {
  return part ? part.split(':').map((group) => BigInt(`0x${group}`)) : [];
}
