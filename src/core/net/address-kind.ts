import { BlockList, isIP, isIPv6 } from 'node:net';
import { ADDRESS_BITS, addressNumber } from './ip-address.ts';

export type AddressKind = 'public' | 'loopback' | 'private' | 'link_local' | 'reserved';

/** Ranges outside of the public Internet (RFC 6890 and its registries). */
const RANGES: readonly (readonly [kind: AddressKind, ranges: readonly string[]])[] = [
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10']],
  // 168.63.129.16 is the host of a virtual machine in Azure. Other clouds' metadata services have private addresses.
  ['link_local', ['169.254.0.0/16', 'fe80::/10', '168.63.129.16/32']],
  [
    'reserved',
    [
      '0.0.0.0/8',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '224.0.0.0/4',
      '240.0.0.0/4',

      '::/128',
      '64:ff9b:1::/48',
      '100::/64',
      '2001::/23',
      '2001:db8::/32',
      '3fff::/20',
      '5f00::/16',
      'ff00::/8',
    ],
  ],
];

/** The first six groups of addresses whose last two are an IPv4 address. */
const CARRIERS: ReadonlySet<string> = new Set([
  `0:0:0:0:0:${0xffff}`,
  `0:0:0:0:${0xffff}:0`,
  `${0x64}:${0xff9b}:0:0:0:0`,
]);

const LISTS = RANGES.map(([kind, ranges]) => {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    list.addSubnet(net, Number(bits), isIPv6(net) ? 'ipv6' : 'ipv4');
  }
  return [kind, list] as const;
});

/** Returns the kind of an IP address. An IPv6 address that contains an IPv4 address has the kind of the latter. */
export function addressKind(address: string): AddressKind {
  const plain = carriedIpv4(address) ?? address;
  const family = isIPv6(plain) ? 'ipv6' : 'ipv4';
  return LISTS.find(([, list]) => list.check(plain, family))?.[0] ?? 'public';
}

/** Returns the address in a URL's host, without brackets; null for a name. */
export function addressOf(hostname: string): string | null {
  const plain = hostname.replace(/^\[|\]$/g, '');
  return isIP(plain) === 0 ? null : plain;
}

/** Returns whether the host of a URL is this machine by its spelling alone. */
export function isLoopbackHost(hostname: string): boolean {
  const address = addressOf(hostname);
  return address === null ? /^(?:.*\.)?localhost$/.test(hostname) : addressKind(address) === 'loopback';
}

/**
 * Returns the IPv4 address in `::ffff:a.b.c.d`, `::a.b.c.d`, translated `::ffff:0:a.b.c.d` (RFC 2765), NAT64
 * `64:ff9b::`, 6to4 `2002::` and ISATAP `…:5efe:a.b.c.d`.
 */
function carriedIpv4(address: string): string | null {
  if (!isIPv6(address)) return null;
  const groups = ipv6Groups(address);
  if (groups[0] === 0x2002) return dotted(groups[1] ?? 0, groups[2] ?? 0);
  const head = groups.slice(0, 6).join(':');
  const isIsatap = groups[5] === 0x5efe && [0, 0x200].includes(groups[4] ?? 1);
  const isCompatible = head === '0:0:0:0:0:0' && groups[6] !== 0;
  return CARRIERS.has(head) || isIsatap || isCompatible ? dotted(groups[6] ?? 0, groups[7] ?? 0) : null;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function ipv6Groups(address: string): number[] {
  const number = addressNumber(address.replace(/%.*$/, '')) ?? 0n;
  return Array.from({ length: 8 }, (_, at) =>
    Number((number >> BigInt(ADDRESS_BITS - 16 * (at + 1))) & 0xffffn),
  );
}
