import { z } from 'zod';
import { CONFIG_DEFAULTS } from '../../client/resources/config-defaults.ts';
import { CrawlConfigInput } from '../../client/resources/crawl-configs.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { ownUrl } from '../../core/net/web-url.ts';
import { keepSecret } from '../../core/secrets/redact.ts';
import { type CustomField, readCustomFields } from './custom-fields/custom-field.ts';
import type { CrawlProxy } from './fetch/crawl-proxy.ts';
import type { Credentials } from './fetch/digest-auth.ts';
import type { NtlmCredentials } from './fetch/ntlm-auth.ts';
import type { HostRules } from './fetch/resolve-host.ts';
import { domainOf, isWithinDomain, type ScopeRules } from './frontier/scope.ts';
import { type HostKey, hostKeyOf } from './host-overrides.ts';
import { isWholeAgent, robotNameOf } from './robot-name.ts';

/**
 * Complete user agents in which only the name is replaced, because a site may treat browsers and crawlers differently.
 */
const AGENTS = {
  web: (name: string) => `Mozilla/5.0 (compatible; ${name})`,
  mobile: (name: string) =>
    `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36 (compatible; ${name})`,
} as const;

/** The default number of URLs outside the crawl that are requested at its end. */
export const DEFAULT_RECHECK = 10_000;
/** URLs per second that a site accepts from a stranger. */
const POLITE_SPEED = 5;

export interface SettingsOptions {
  /** The user owns the site: `max_speed` may be above `POLITE_SPEED`. */
  readonly iOwnThisSite?: boolean;
  /** Private, loopback and link-local addresses are fetched, regardless of the start URL. */
  readonly allowPrivate?: boolean;
  /** The proxy of configurations with `use_proxy`. */
  readonly proxy?: CrawlProxy | undefined;
  /** Additional start URLs, also of other domains: their hosts belong to the site. */
  readonly sites?: readonly string[] | undefined;
}

/** A crawl configuration (api-spec.md §2.8) as the crawler reads it. */
export type CrawlSettings = Readonly<ReturnType<typeof readCrawlSettings>>;

type Auth =
  | (Credentials & { readonly scheme: 'Basic' | 'Digest' })
  | (NtlmCredentials & { readonly scheme: 'NTLM' });

type Config = z.output<typeof CrawlConfigInput>;
type Given = { readonly [Name in keyof Config]: NonNullable<Config[Name]> };
type Complete = ReturnType<typeof withDefaults>;

/**
 * Reads a crawl configuration.
 *
 * @throws CrawlhouseError `bad_settings`, `missing_feature`
 */
export function readCrawlSettings(input: unknown, options: SettingsOptions = {}) {
  const { data, error } = CrawlConfigInput.safeParse(input);
  const issue = error?.issues[0];
  if (issue || data === undefined)
    throw badConfig(issue?.path.join('.') || 'the configuration', issue?.message ?? 'is missing');
  const config = withDefaults(data);
  const startUrl = ownUrl(config.start_url).href;
  const sites = (options.sites ?? []).map((url) => ownUrl(url).href);
  return {
    scope: {
      startUrl,
      alternateStartUrls: [...alternates(startUrl, config.alternate_start_urls), ...sites],
      crawlSubdomains: config.crawl_subdomains,
      allowQueryParams: config.allow_query_params,
      filterQueryParams: config.filter_query_params,
      queryParams: config.query_params_list
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
      isWhitelist: config.whitelist_params_mode,
      isAjax: config.ajax_crawling,
    } satisfies ScopeRules,
    sitemaps: config.sitemaps,
    /** Absent without any. */
    ...(sites.length === 0 ? {} : { sites }),
    strictSitemaps: config.strict_sitemaps,
    maxUrl: config.max_url,
    maxDepth: config.max_depth,
    /** URLs per second. */
    maxSpeed: config.max_speed,
    hosts: {
      dns: new Map(config.dns.map(({ host, ips }, index) => [hostOf(host, `dns[${index}]`).hostname, ips])),
      allowPrivate: options.allowPrivate ?? false,
    } satisfies HostRules,
    /** The content of robots.txt by host, with its port if it has one. */
    robots: new Map(
      config.robots_txt.map(({ host, content }, index) => [
        hostOf(host, `robots_txt[${index}]`).host,
        content,
      ]),
    ),
    headers: headersOf(config),
    auth: authOf(config),
    useCookies: config.use_cookies,
    useProxy: config.use_proxy,
    robotName: robotNameOf(config.user_agent),
    agentKind: config.agent_kind,
    ...renderingOf(config),
    customFields: customFieldsOf(config),
  };
}

/**
 * Refuses a crawl speed that only the owner of a site may request.
 *
 * @throws CrawlhouseError `bad_settings`
 */
export function checkSpeed(speed: number, isLoopback: boolean, options: SettingsOptions): void {
  if (speed <= POLITE_SPEED || isLoopback || options.iOwnThisSite) return;
  throw badConfig(
    'max_speed',
    `${speed} URLs per second is more than ${POLITE_SPEED}`,
    'only the owner of a site may crawl it faster: confirm that you own it',
  );
}

function withDefaults(config: Config) {
  const given = Object.entries(config).filter(([, value]) => value !== null && value !== undefined);
  return { ...CONFIG_DEFAULTS, ...(Object.fromEntries(given) as Given) };
}

function alternates(startUrl: string, urls: readonly string[]): string[] {
  const domain = domainOf(ownUrl(startUrl).hostname);
  return urls.map((text, index) => {
    const url = ownUrl(text);
    if (isWithinDomain(url.hostname, domain)) return url.href;
    throw badConfig(`alternate_start_urls[${index}]`, `does not belong to the domain ${domain}`);
  });
}

function hostOf(text: string, place: string): HostKey {
  const key = hostKeyOf(text);
  if (key !== null) return key;
  throw badConfig(`${place}.host`, `${text} is not a host`, 'name one host, such as www.example.com');
}

/** Returns the headers of each request, in addition to cookies and credentials; names in lowercase. */
function headersOf(config: Complete): Record<string, string> {
  const extra = Object.entries(config.extra_headers);
  return {
    'user-agent': isWholeAgent(config.user_agent)
      ? config.user_agent
      : AGENTS[config.agent_kind](config.user_agent),
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    ...Object.fromEntries(extra.map(([name, value]) => [name.toLowerCase(), value])),
  };
}

/**
 * Returns the rendering settings; empty if pages are not rendered. `watched`: patterns of the resources that are
 * recorded with a page. No patterns means all resources; null means no list of resources.
 *
 * @throws CrawlhouseError `bad_settings` for watched resources without rendering
 */
function renderingOf(config: Complete): {
  readonly rendering?: { readonly watched: readonly string[] | null };
} {
  const { js_rendering, resource_checker, watched_resources } = config;
  if (resource_checker && !js_rendering) throw badConfig('resource_checker', 'needs js_rendering');
  if (!js_rendering) return {};
  return { rendering: { watched: resource_checker ? watched_resources : null } };
}

function authOf({ http_auth }: Complete): Auth | null {
  if (!http_auth) return null;
  const { username, password, scheme, realm } = http_auth;
  keepSecret(password);
  if (scheme !== 'NTLM') return { username, password, scheme };
  // The domain may precede the name, as in Windows.
  const [, domain, name] = /^([^\\]*)\\(.*)$/s.exec(username) ?? [];
  return { username: name ?? username, password, scheme, domain: realm ?? domain ?? '' };
}

function customFieldsOf({ custom_fields, js_rendering }: Complete): readonly CustomField[] {
  const read = readCustomFields(custom_fields, js_rendering);
  if ('fields' in read) return read.fields;
  throw badConfig(read.place, read.problem, 'docs/crawler.md describes the rules of data scraping');
}

function badConfig(
  place: string,
  problem: string,
  hint = 'docs/crawler.md describes each key of a configuration',
): CrawlhouseError {
  const cause: ConfigFault = { place, problem };
  return new CrawlhouseError('bad_settings', `crawl configuration: ${place}: ${problem}`, { hint, cause });
}

const ConfigFault = z.object({
  /** Such as `custom_fields[0].css`. */
  place: z.string(),
  problem: z.string(),
});
type ConfigFault = z.output<typeof ConfigFault>;

/** Returns the keys that an error of `readCrawlSettings` is about, and the problem; null for another error. */
export function configFault(error: unknown): { path: (string | number)[]; problem: string } | null {
  const { data } = ConfigFault.safeParse(error instanceof CrawlhouseError ? error.cause : null);
  if (data === undefined) return null;
  const keys = data.place.split(/[.[\]]+/).filter(Boolean);
  return { path: keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key)), problem: data.problem };
}
