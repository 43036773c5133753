import { isIP } from 'node:net';
import { ownUrl, spellOctets, spellUrl, webUrl } from '../../../core/net/web-url.ts';
import { isHashBang, pageUrl } from '../ajax-crawling.ts';

/** The maximum length of a URL. Longer URLs result from loops of links, and servers refuse them. */
const LONGEST_URL = 8_192;

/**
 * The settings that decide which URLs belong to a crawl (api-spec.md §2.8). Plain data, so that threads can receive
 * them.
 */
export interface ScopeRules {
  readonly startUrl: string;
  readonly alternateStartUrls: readonly string[];
  /** Hosts of a list of URLs, with ports. */
  readonly listedHosts?: readonly string[];
  readonly crawlSubdomains: boolean;
  readonly allowQueryParams: boolean;
  readonly filterQueryParams: boolean;
  readonly queryParams: readonly string[];
  /** Whether a URL keeps a fragment that begins with `#!`, as a page of its own. */
  readonly isAjax?: boolean;
  /** True: only `queryParams` stay; false: `queryParams` go. */
  readonly isWhitelist: boolean;
}

/** Decides which URLs belong to a crawl, and how they are spelled. */
export class Scope {
  readonly #rules: ScopeRules;
  /** Host names with ports. */
  readonly #hosts: ReadonlySet<string>;
  /** Names of domains, with the port of their start URL. */
  readonly #domains: readonly (readonly [domain: string, port: string])[];
  readonly #params: ReadonlySet<string>;

  constructor(rules: ScopeRules) {
    const start = ownUrl(rules.startUrl);
    const others = rules.alternateStartUrls.map(ownUrl);
    this.#rules = rules;
    this.#hosts = new Set([...[start, ...others].map((url) => url.host), ...(rules.listedHosts ?? [])]);
    this.#domains = [start, ...others].map(({ hostname, port }) => [domainOf(hostname), port]);
    this.#params = new Set(rules.queryParams);
  }

  /** Whether pages are requested with the `_escaped_fragment_` scheme. */
  get isAjax(): boolean {
    return this.#rules.isAjax === true;
  }

  isInternal(url: URL): boolean {
    if (this.#hosts.has(url.host)) return true;
    if (!this.#rules.crawlSubdomains) return false;
    return this.#domains.some(([domain, port]) => url.port === port && isWithinDomain(url.hostname, domain));
  }

  /**
   * Returns the normalized spelling by which the crawl identifies a URL: `spellUrl`, without the parameters that the
   * crawl strips. A crawl that uses the `_escaped_fragment_` scheme keeps a `#!`, and identifies a snapshot by the URL
   * of its page.
   */
  spell(url: URL): string {
    if (!this.#rules.isAjax) return this.#filtered(spellUrl(url));
    const page = ownUrl(isHashBang(url.hash) ? url.href : pageUrl(spellUrl(url)));
    const fragment = isHashBang(page.hash) ? spellOctets(page.hash) : '';
    return this.#filtered(spellUrl(page)) + fragment;
  }

  #filtered(href: string): string {
    if (!this.#rules.filterQueryParams) return href;
    const at = href.indexOf('?');
    if (at < 0) return href;
    const kept = href
      .slice(at + 1)
      .split('&')
      .filter((pair) => this.#params.has(nameOf(pair)) === this.#rules.isWhitelist);
    return kept.length === 0 ? href.slice(0, at) : `${href.slice(0, at)}?${kept.join('&')}`;
  }

  /** Returns whether the crawl fetches an internal URL in its normalized spelling. */
  follows(url: string): boolean {
    return url.length <= LONGEST_URL && (this.#rules.allowQueryParams || !/^[^#]*\?/.test(url));
  }

  /** Any text as a URL that the crawl fetches; null if it is not one. */
  admit(text: string): string | null {
    const url = webUrl(text);
    return url !== null && this.isInternal(url) ? this.admitListed(text) : null;
  }

  /** Admits a URL of a list, regardless of its host. */
  admitListed(text: string): string | null {
    const url = webUrl(text);
    if (url === null) return null;
    const spelled = this.spell(url);
    return this.follows(spelled) ? spelled : null;
  }
}

/** Returns the domain of a host: its name without `www.`. */
export function domainOf(hostname: string): string {
  return hostname.replace(/^www\./, '');
}

/** Returns whether a host is the domain or a subdomain. An address has no subdomains. */
export function isWithinDomain(hostname: string, domain: string): boolean {
  if (hostname === domain) return true;
  return isIP(domain) === 0 && hostname.endsWith(`.${domain}`);
}

function nameOf(pair: string): string {
  const name = pair.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    // Not percent-encoded: the name unchanged.
    return name;
  }
}
