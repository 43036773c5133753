import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIPv6, type LookupFunction } from 'node:net';
import { type AddressKind, addressKind, addressOf } from '../../../core/net/address-kind.ts';
import { ownUrl } from '../../../core/net/web-url.ts';

/** The code of an error for an address that must not be connected to. */
export const REFUSED_ADDRESS = 'ERR_CRAWL_ADDRESS_REFUSED';

export interface HostRules {
  /** IP addresses by host name; they replace those of DNS. */
  readonly dns: ReadonlyMap<string, readonly string[]>;
  readonly allowPrivate: boolean;
}

/**
 * Resolves the hosts of a crawl, and refuses addresses outside the public Internet. Addresses of the start URL's own
 * kind are allowed. The check applies to the addresses that are actually connected to, so a name cannot pass the check
 * by changing its address.
 */
export class HostResolver {
  readonly #rules: HostRules;
  readonly #kinds: ReadonlySet<AddressKind>;
  /** Whether the start URL is on this machine. */
  readonly isLoopback: boolean;

  private constructor(rules: HostRules, kinds: readonly AddressKind[]) {
    this.#rules = rules;
    this.#kinds = new Set<AddressKind>(['public', ...kinds]);
    this.isLoopback = kinds.length > 0 && kinds.every((kind) => kind === 'loopback');
  }

  /**
   * Creates the resolver of a crawl. If the host of the start URL cannot be resolved, only public addresses are
   * allowed.
   *
   * @param publicOnly allows public addresses only, whatever the start URL
   */
  static async forStart(startUrl: string, rules: HostRules, publicOnly = false): Promise<HostResolver> {
    if (publicOnly) return HostResolver.forPublic(rules);
    const { hostname } = ownUrl(startUrl);
    const address = addressOf(hostname);
    // The first request reports the problem of the name.
    const addresses = address === null ? await resolve(hostname, rules, {}).catch(() => []) : [{ address }];
    return new HostResolver(
      rules,
      addresses.map((address) => addressKind(address.address)),
    );
  }

  /** Public addresses only, unless the rules allow private ones. */
  static forPublic(rules: HostRules): HostResolver {
    return new HostResolver(rules, []);
  }

  /** Refuses a host that is itself a forbidden address, because sockets connect to addresses without a look-up. */
  checkHost(hostname: string): void {
    const address = addressOf(hostname);
    if (address !== null && !this.#isAllowed(address)) throw refused(hostname, [{ address }]);
  }

  /** Returns the allowed addresses of a host, at least one; throws if it is refused or unknown. */
  async addresses(hostname: string): Promise<string[]> {
    const found = await this.#lookup(addressOf(hostname) ?? hostname, {});
    return found.map(({ address }) => address);
  }

  isGiven(hostname: string): boolean {
    return this.#rules.dns.has(hostname);
  }

  /** For `net.connect`. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#lookup(hostname, options).then(
      (found) => {
        const [first] = found;
        if (options.all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };

  async #lookup(hostname: string, options: LookupOptions): Promise<LookupAddress[]> {
    const found = await resolve(hostname, this.#rules, options);
    const allowed = found.filter(({ address }) => this.#isAllowed(address));
    if (allowed.length > 0) return allowed;
    throw refused(hostname, found);
  }

  #isAllowed(address: string): boolean {
    return this.#rules.allowPrivate || this.#kinds.has(addressKind(address));
  }
}

async function resolve(
  hostname: string,
  { dns }: HostRules,
  options: LookupOptions,
): Promise<LookupAddress[]> {
  const given = dns.get(hostname);
  if (given !== undefined) return given.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return lookup(hostname, { ...options, all: true });
}

function refused(hostname: string, found: readonly Pick<LookupAddress, 'address'>[]): NodeJS.ErrnoException {
  const addresses = found.map(({ address }) => address);
  const message = `${hostname} has the address ${addresses.join(', ')}, which is not on the public Internet`;
  return Object.assign(new Error(message), { code: REFUSED_ADDRESS });
}
