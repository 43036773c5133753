import type { z } from 'zod';
import { CONFIG_DEFAULTS } from '../../client/resources/config-defaults.ts';
import { type CrawlConfigUpdate, DEPRECATED_CONFIG_FIELDS } from '../../client/resources/crawl-configs.ts';
import { readCustomFields } from '../../site/crawler/custom-fields/custom-field.ts';
import { find, requireFeature } from '../resources/find.ts';
import { forbidden, invalidParameter, Refusal } from '../resources/refusal.ts';
import type { Resources, StoredResource } from '../resources/resources.ts';
import { hostOf } from '../resources/seed.ts';

export type ConfigInput = z.output<typeof CrawlConfigUpdate>;

/**
 * Settings that need a feature if they are present and not empty (api-spec.md §2.8; the features' names are not in the
 * specification).
 */
const GATES: readonly (readonly [field: keyof ConfigInput, feature: string])[] = [
  ['analytics_a_params', 'analytics_a'],
  ['analytics_b_params', 'analytics_b'],
  ['search_console_params', 'search_console'],
  ['backlinks_params', 'backlinks'],
  ['custom_fields', 'data_scraping'],
  ['js_rendering', 'crawl_js'],
  ['trigger_coc', 'crawl_over_crawl'],
  ['user_input_files', 'data_ingestion'],
];

/** The highest speed without proof of ownership of the site, in URLs per second (api-spec.md §8). */
const UNVERIFIED_SPEED = 1;

/**
 * Refuses a configuration that its project does not allow.
 *
 * @throws Refusal `forbidden`, `invalid_request`, `invalid_request_parameters` or `resource_not_found`
 */
export function checkConfig(resources: Resources, project: StoredResource, config: ConfigInput): void {
  for (const [field, feature] of GATES)
    if (isGiven(config[field])) requireFeature(resources, project, feature);
  checkSpeed(project, config.max_speed);
  if (isGiven(config.robots_txt)) requireOwnership(project, 'robots_txt');
  if (config.resource_checker === true && config.js_rendering !== true)
    throw new Refusal('invalid_request', 'resource_checker needs js_rendering');
  checkDomains(config);
  checkWebhooks(config);
  checkCustomFields(config);
  for (const id of config.user_input_files ?? []) find(resources, 'ingest_files', id, project.id);
}

function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false;
}

function checkSpeed(project: StoredResource, speed: number): void {
  const most = (project.limits as Record<string, unknown> | null)?.max_speed;
  if (typeof most === 'number' && speed > most)
    throw invalidParameter('max_speed', 'too_big', `the project allows ${most} URLs per second`);
  if (speed > UNVERIFIED_SPEED) requireOwnership(project, `max_speed above ${UNVERIFIED_SPEED}`);
}

function requireOwnership(project: StoredResource, what: string): void {
  if (project.is_verified_by !== null && project.is_verified_by !== undefined) return;
  throw forbidden(`${what} needs a project whose ownership is verified`, 'ownership_not_verified');
}

/** Other start URLs are on the start URL's domain, ignoring `www.`, or on its subdomains. */
function checkDomains({ start_url, alternate_start_urls = [] }: ConfigInput): void {
  const domain = hostOf(start_url).replace(/^www\./, '');
  for (const [index, url] of alternate_start_urls.entries()) {
    const host = hostOf(url);
    if (host === domain || host.endsWith(`.${domain}`)) continue;
    throw invalidParameter(
      `alternate_start_urls[${index}]`,
      'other_domain',
      `does not belong to the domain ${domain}`,
    );
  }
}

function checkCustomFields({ custom_fields = [], js_rendering = false }: ConfigInput): void {
  const read = readCustomFields(custom_fields, js_rendering);
  if ('problem' in read) throw invalidParameter(read.place, 'invalid', read.problem);
}

/** Refuses repeated addresses of webhooks, because a secret belongs to an address. */
function checkWebhooks({ notifications }: ConfigInput): void {
  const urls = (notifications?.custom_webhooks ?? []).map((webhook) => webhook.url);
  const again = urls.findIndex((url, index) => urls.indexOf(url) !== index);
  if (again < 0) return;
  const name = `notifications.custom_webhooks[${again}].url`;
  throw invalidParameter(name, 'duplicate', 'stands twice');
}

type Secrets = Readonly<Record<string, string>>;

/**
 * Returns a stored configuration, with defaults, and with secrets under keys that are not served. An update replaces
 * everything except the secrets that it does not name. Absent fields return to their defaults.
 */
export function storedConfig(id: string, input: ConfigInput, known?: StoredResource): StoredResource {
  const deprecated: ReadonlySet<string> = new Set([...DEPRECATED_CONFIG_FIELDS, 'id']);
  const given = Object.entries(input).filter(
    ([name, value]) => value !== undefined && value !== null && !deprecated.has(name),
  );
  const formerSecrets = (known?._webhook_secrets ?? {}) as Secrets;
  const secrets = webhookSecrets(input, formerSecrets);
  const password = passwordOf(input, known);
  const { password: _, ...httpAuth } = input.http_auth ?? {};
  return {
    id,
    ...CONFIG_DEFAULTS,
    ...Object.fromEntries(given),
    ...(input.http_auth ? { http_auth: { realm: null, ...httpAuth } } : {}),
    notifications: servedNotifications(input.notifications, secrets),
    ...(password === undefined ? {} : { _http_password: password }),
    _webhook_secrets: secrets,
  };
}

/** Returns the secrets by address: absent keeps the secret of the same address, null removes it (api-spec.md §6). */
function webhookSecrets({ notifications }: ConfigInput, former: Secrets): Secrets {
  const entries = (notifications?.custom_webhooks ?? []).flatMap(({ url, secret }) => {
    const kept = secret === undefined ? former[url] : secret;
    return kept === undefined || kept === null ? [] : [[url, kept] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns notifications as the API serves them, which shows only whether there is a secret. */
function servedNotifications(notifications: ConfigInput['notifications'], secrets: Secrets) {
  const recipients = notifications?.email_recipients;
  return {
    ...(recipients === undefined || recipients === null ? {} : { email_recipients: recipients }),
    custom_webhooks: (notifications?.custom_webhooks ?? []).map(({ url }) => ({
      url,
      secret_enabled: Object.hasOwn(secrets, url),
    })),
  };
}

/** Returns the password to store. Without a given password, the stored one of this user name stays. */
function passwordOf({ http_auth }: ConfigInput, known: StoredResource | undefined): string | undefined {
  if (http_auth === undefined || http_auth === null) return undefined;
  if (http_auth.password !== undefined) return http_auth.password;
  const former = known?.http_auth as { username?: string } | null | undefined;
  if (former?.username === http_auth.username) return known?._http_password as string | undefined;
  throw invalidParameter('http_auth.password', 'required', 'is needed for another user name');
}
