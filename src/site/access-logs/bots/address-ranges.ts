import { isIPv4 } from 'node:net';
import { ADDRESS_BITS, addressNumber } from '../../../core/net/ip-address.ts';

/** Bits before an IPv4 address in the numbers of addresses. */
const BEFORE_IPV4 = 96;

interface Interval {
  readonly first: bigint;
  readonly last: bigint;
}

/** Address ranges for frequent look-ups: sorted intervals without overlap, with a binary search. */
export class AddressRanges {
  readonly #intervals: readonly Interval[];

  /** @param prefixes as in `prefixInterval`; invalid ones are left out */
  constructor(prefixes: Iterable<string>) {
    this.#intervals = merged([...prefixes].flatMap((prefix) => prefixInterval(prefix) ?? []));
  }

  /** @param number of `addressNumber` */
  has(number: bigint): boolean {
    let [low, high] = [0, this.#intervals.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const { first, last } = this.#intervals[middle] as Interval;
      if (number < first) high = middle - 1;
      else if (number > last) low = middle + 1;
      else return true;
    }
    return false;
  }
}

/**
 * Returns the addresses of a prefix, such as `66.249.64.0/27` or `2001:4860:4801:10::/64`. A single address needs no
 * length.
 *
 * @returns null for a text that is not a prefix, and for a prefix with bits set after its length
 */
export function prefixInterval(prefix: string): Interval | null {
  const [address = '', length, ...more] = prefix.split('/');
  const first = addressNumber(address);
  if (first === null || more.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return null;
  const before = isIPv4(address) ? BEFORE_IPV4 : 0;
  const bits = length === undefined ? ADDRESS_BITS : before + Number(length);
  if (bits > ADDRESS_BITS) return null;
  const rest = (1n << BigInt(ADDRESS_BITS - bits)) - 1n;
  return (first & rest) === 0n ? { first, last: first | rest } : null;
}

function merged(intervals: readonly Interval[]): Interval[] {
  const sorted = [...intervals].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const found: { first: bigint; last: bigint }[] = [];
  for (const { first, last } of sorted) {
    const before = found.at(-1);
    if (before === undefined || first > before.last + 1n) found.push({ first, last });
    else if (last > before.last) before.last = last;
  }
  return found;
}
