import { isIPv6 } from 'node:net';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { ownUrl, webUrl } from '../../core/net/web-url.ts';
import type { HostRules } from './fetch/resolve-host.ts';
import { domainOf, isWithinDomain, type ScopeRules } from './frontier/scope.ts';

/** The settings of a crawl that decide which hosts it meets, and its overrides of hosts. */
interface MetHosts {
  readonly scope: ScopeRules;
  readonly sitemaps: readonly string[];
  readonly robots: ReadonlyMap<string, string>;
  readonly hosts: HostRules;
  readonly rendering?: object;
}

/** The spelling of a host in URLs, with its port if there is one. */
export type HostKey = Pick<URL, 'host' | 'hostname'>;

/**
 * Returns the host that the user names in any spelling: a name, also in Unicode, an address, each also with a port, or
 * a whole URL. Null if it is not a host.
 */
export function hostKeyOf(text: string): HostKey | null {
  const plain = text.trim().replace(/^\/\//, '');
  if (isIPv6(plain)) return hostKeyOf(`[${plain}]`);
  const url = webUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(plain) ? plain : `http://${plain}`);
  if (url === null || url.username !== '' || /[*\s]/.test(url.hostname)) return null;
  const hostname = url.hostname.replace(/\.$/, '');
  // The port of https can be omitted too.
  return { hostname, host: url.port === '' || url.port === '443' ? hostname : `${hostname}:${url.port}` };
}

/**
 * Refuses overrides of hosts that the crawl never meets, such as misspelled ones. A crawl that renders pages, measures
 * their web vitals or has a list of URLs may meet any host.
 *
 * @param others further URLs of the crawl
 * @throws CrawlhouseError `bad_settings`
 */
export function refuseUnmetHosts(
  { scope, sitemaps, robots, hosts, rendering }: MetHosts,
  {
    others = [],
    meetsAnyHost = false,
  }: { readonly others?: readonly string[]; readonly meetsAnyHost?: boolean } = {},
): void {
  if (meetsAnyHost || rendering !== undefined) return;
  const { startUrl, alternateStartUrls } = scope;
  const urls = [startUrl, ...alternateStartUrls, ...sitemaps, ...others].map(ownUrl);
  const domains = urls.map(({ hostname }) => domainOf(hostname));
  const overrides = [
    ...[...robots.keys()].map((host) => ['robots_txt', host] as const),
    ...[...hosts.dns.keys()].map((host) => ['dns', host] as const),
  ];
  for (const [key, host] of overrides) {
    const { hostname } = ownUrl(`http://${host}/`);
    if (domains.some((domain) => isWithinDomain(hostname, domain))) continue;
    throw new CrawlhouseError(
      'bad_settings',
      `crawl configuration: ${key}: ${host} is not a host of the crawl`,
      { hint: `name a host such as ${ownUrl(startUrl).host}` },
    );
  }
}
