import { z } from 'zod';
import { HttpUrl, openEnum, resultOf, section } from '../endpoint.ts';

const AGENT_KINDS = ['web', 'mobile'] as const;
const HTTP_AUTH_SCHEMES = ['Basic', 'Digest', 'NTLM'] as const;
/** Maximum e-mail recipients, and maximum custom webhooks, of a configuration (api-spec.md §8). */
const MAX_NOTIFICATIONS = 10;
/** Characters of a webhook's secret (api-spec.md §6). */
const WEBHOOK_SECRET_LENGTH = { min: 8, max: 100 } as const;

const object = z.record(z.string(), z.unknown());

/** A line break would end a header and begin another one; of the control characters, RFC 9110 §5.5 allows only tab. */
const ONE_LINE = /^[^\p{Cc}\u2028\u2029]*$/u;
const HEADER_VALUE = /^(?:[^\p{Cc}\u2028\u2029]|\t)*$/u;
/** RFC 9110 §5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const NO_LINE_BREAK = 'must not hold line breaks or other control characters';

const headers = z.record(
  z.string().regex(HEADER_NAME, "must be a header's name: letters, digits and !#$%&'*+-.^_`|~"),
  z.string().regex(HEADER_VALUE, NO_LINE_BREAK),
);

/** A crawl configuration (api-spec.md §2.8). */
export const CrawlConfig = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    start_url: z.string(),
    user_agent: z.string(),
    max_speed: z.number(),
    agent_kind: openEnum(AGENT_KINDS).nullish(),
    ajax_crawling: z.boolean().nullish(),
    allow_query_params: z.boolean().nullish(),
    alternate_start_urls: z.array(z.string()).nullish(),
    analytics_a_params: z.unknown().optional(),
    analytics_b_params: z.unknown().optional(),
    search_console_params: z.unknown().optional(),
    backlinks_params: z.unknown().optional(),
    crawl_subdomains: z.boolean().nullish(),
    custom_fields: z.array(z.unknown()).nullish(),
    dns: z.array(z.unknown()).nullish(),
    extra_headers: object.nullish(),
    filter_query_params: z.boolean().nullish(),
    http_auth: z.unknown().optional(),
    js_rendering: z.boolean().nullish(),
    max_depth: z.int().nullish(),
    max_url: z.int().nullish(),
    notifications: z.unknown().optional(),
    query_params_list: z.string().nullish(),
    resource_checker: z.boolean().nullish(),
    robots_txt: z.array(z.unknown()).nullish(),
    sitemaps: z.array(z.string()).nullish(),
    strict_sitemaps: z.boolean().nullish(),
    trigger_coc: z.boolean().nullish(),
    use_cookies: z.boolean().nullish(),
    use_proxy: z.boolean().nullish(),
    user_input_files: z.array(z.string()).nullish(),
    watched_resources: z.array(z.unknown()).nullish(),
    whitelist_params_mode: z.boolean().nullish(),
  })
  .meta({ id: 'CrawlConfig' });
export type CrawlConfig = z.infer<typeof CrawlConfig>;

/** Deprecated fields that the service still sends (api-spec.md §9). */
export const DEPRECATED_CONFIG_FIELDS = [
  'reuse_cookies',
  'scheduling_period',
  'scheduling_start_date',
  'scheduling_timezone',
  'webhooks',
] as const;

const CustomWebhook = z.strictObject({
  url: HttpUrl,
  /** Null removes it; if absent, the secret of the equal `url` stays (spec-notes.md 19). */
  secret: z.string().min(WEBHOOK_SECRET_LENGTH.min).max(WEBHOOK_SECRET_LENGTH.max).nullish(),
  /** The service's placeholder for the secret. Sending it back has no effect. */
  secret_enabled: z.boolean().optional(),
});

/** The recipients of notifications when a crawl ends or fails to start (api-spec.md §6). */
const Notifications = z.strictObject({
  email_recipients: z.array(z.email()).max(MAX_NOTIFICATIONS).nullish(),
  custom_webhooks: z.array(CustomWebhook).max(MAX_NOTIFICATIONS).nullish(),
});

/** Adds a readable name, and what the key does in the next crawl (api-spec.md §2.8). Forms and editors show both. */
function key<Schema extends z.ZodType>(schema: Schema, title: string, description: string): Schema {
  return schema.meta({ title, description });
}

/** Like `key`, with an example of a structured value as YAML. */
function keyLike<Schema extends z.ZodType>(
  schema: Schema,
  title: string,
  description: string,
  example: string,
): Schema {
  return schema.meta({ title, description, 'x-example': example });
}

const HttpAuth = z.strictObject({
  username: key(z.string().min(1).regex(ONE_LINE, NO_LINE_BREAK), 'user name', 'The user name.'),
  password: z
    .string()
    .regex(ONE_LINE, NO_LINE_BREAK)
    .meta({ title: 'password', description: 'The password, which is never shown.', writeOnly: true }),
  scheme: key(z.enum(HTTP_AUTH_SCHEMES), 'scheme', 'The scheme that the server requests.'),
  realm: key(z.string().regex(ONE_LINE, NO_LINE_BREAK).nullish(), 'realm', 'For NTLM, the domain.'),
});

const deprecated = Object.fromEntries(
  DEPRECATED_CONFIG_FIELDS.map((name) => [name, z.unknown().optional().meta({ deprecated: true })]),
) as Record<(typeof DEPRECATED_CONFIG_FIELDS)[number], z.ZodOptional<z.ZodUnknown>>;

/**
 * A configuration to create (api-spec.md §2.8). The service checks rules that depend on the project (features,
 * ownership).
 */
export const CrawlConfigInput = z
  .strictObject({
    name: key(z.string().trim().min(1), 'Configuration', 'The name. Crawls with one name are compared.'),
    start_url: key(HttpUrl, 'Start URL', 'The first URL of the crawl. Its host defines the site.'),
    user_agent: key(
      z.string().regex(HEADER_VALUE, NO_LINE_BREAK).trim().min(1),
      'User agent',
      'The name of the crawler for servers and robots.txt. A complete User-Agent is sent unchanged.',
    ),
    max_speed: key(
      z
        .number()
        .refine(isMaxSpeed, 'must be 0.1, 0.2, 0.5, 1, 2, 5 or a multiple of 5, in URLs per second')
        .meta({
          wire: {
            type: 'number',
            description: 'URLs per second',
            anyOf: [{ enum: [0.1, 0.2, 0.5, 1, 2] }, { exclusiveMinimum: 0, multipleOf: 5 }],
          },
        }),
      'Speed',
      'URLs per second. A higher speed makes the crawl shorter and the load on the server higher.',
    ),
    agent_kind: key(
      z.enum(AGENT_KINDS).optional(),
      'Device',
      'Whether the crawler presents itself as a desktop (web) or a mobile browser.',
    ),
    ajax_crawling: key(
      z.boolean().optional(),
      'Escaped fragments',
      'Crawls a pre-rendered JavaScript website by its #! URLs.',
    ),
    allow_query_params: key(
      z.boolean().optional(),
      'URLs with parameters',
      'Follows URLs with query parameters. If no, the crawl leaves these pages out.',
    ),
    alternate_start_urls: key(
      z.array(HttpUrl).optional(),
      'More start URLs',
      'URLs of the same domain where the crawl also starts, at depth 1.',
    ),
    analytics_a_params: z
      .strictObject({ api_key: z.string(), site_id: z.union([z.string(), z.int()]) })
      .nullish(),
    analytics_b_params: z
      .strictObject({
        email: z.email(),
        account_id: z.string(),
        website_id: z.string(),
        profile_id: z.string(),
      })
      .nullish(),
    search_console_params: z
      .strictObject({
        email: z.email(),
        websites: z.array(HttpUrl),
        branded_keywords: z.array(z.string()).optional(),
      })
      .nullish(),
    backlinks_params: z.strictObject({ access_token: z.string() }).nullish(),
    crawl_subdomains: key(
      z.boolean().optional(),
      'Subdomains',
      'Follows links to all subdomains, whose pages then belong to the site.',
    ),
    custom_fields: keyLike(
      z.array(object).optional(),
      'Scraped fields',
      'Values to extract from each page. Each rule adds a field to the pages of the next crawl.',
      '- { name: price, css: .price, type: number }',
    ),
    dns: keyLike(
      z
        .array(
          z.strictObject({ host: z.string().min(1), ips: z.array(z.union([z.ipv4(), z.ipv6()])).min(1) }),
        )
        .optional(),
      'IP addresses of hosts',
      'IP addresses that replace DNS for a host, such as the address of a staging server.',
      '- { host: www.example.com, ips: [203.0.113.7] }',
    ),
    extra_headers: headers
      .optional()
      .meta({
        title: 'Request headers',
        description: 'Headers that are added to each request, one per line. Their values are never shown.',
        'x-example': 'X-Staging: yes',
        writeOnly: true,
      }),
    filter_query_params: key(
      z.boolean().optional(),
      'Remove parameters',
      'Removes query parameters from URLs, so the variants of a page become one page.',
    ),
    http_auth: key(HttpAuth.nullish(), 'HTTP authentication', 'Credentials of a protected website.'),
    js_rendering: key(
      z.boolean().optional(),
      'JavaScript rendering',
      'Renders each page in a browser, including content that scripts add. The crawl takes longer.',
    ),
    max_depth: key(
      z.int().positive().optional(),
      'Maximum depth',
      'Clicks from the start URL. The crawl does not follow the links of pages at this depth.',
    ),
    max_url: key(
      z.int().positive().optional(),
      'Maximum URLs',
      'The crawl ends after fetching this number of URLs.',
    ),
    notifications: Notifications.nullish(),
    query_params_list: key(
      z.string().optional(),
      'Listed parameters',
      'Names of query parameters, separated by commas. Only "Remove parameters" uses this list.',
    ),
    resource_checker: key(
      z.boolean().optional(),
      'Record resources',
      'Records the scripts, styles and images that pages request. Needs JavaScript rendering.',
    ),
    robots_txt: keyLike(
      z.array(z.strictObject({ host: z.string().min(1), content: z.string() })).optional(),
      'robots.txt override',
      'Replaces the robots.txt of a host for the crawl, such as to try new rules.',
      '- host: www.example.com\n  content: |\n    User-agent: *\n    Disallow: /search',
    ),
    sitemaps: key(
      z.array(HttpUrl).optional(),
      'Sitemaps',
      'The sitemaps to read, instead of the sitemaps in robots.txt.',
    ),
    strict_sitemaps: key(
      z.boolean().optional(),
      'Strict sitemaps',
      'Follows the sitemaps protocol strictly, so a sitemap lists only URLs of its own host and folder.',
    ),
    trigger_coc: z.boolean().optional(),
    use_cookies: key(z.boolean().optional(), 'Cookies', 'Keeps cookies between requests, as a browser does.'),
    use_proxy: key(z.boolean().optional(), 'Proxy', 'Sends all requests through the configured proxy.'),
    user_input_files: z.array(z.string()).optional(),
    watched_resources: key(
      z.array(z.string()).optional(),
      'Watched resources',
      'Patterns of the resources to record, if resources are recorded; * matches any characters.',
    ),
    whitelist_params_mode: key(
      z.boolean().optional(),
      'Keep listed parameters',
      'If yes, only the listed parameters stay in URLs. If no, the listed parameters are removed.',
    ),
    ...deprecated,
  })
  .meta({ id: 'CrawlConfigInput' });
export type CrawlConfigInput = z.input<typeof CrawlConfigInput>;

/**
 * An update. The path names no configuration, so the body does by `id`, or by `name`, which never changes
 * (spec-notes.md 17).
 */
export const CrawlConfigUpdate = CrawlConfigInput.extend({
  id: z.string().optional(),
  // GET never returns the password: sending the result back keeps it.
  http_auth: HttpAuth.partial({ password: true }).nullish(),
}).meta({ id: 'CrawlConfigUpdate' });
export type CrawlConfigUpdate = z.input<typeof CrawlConfigUpdate>;

/**
 * Returns whether the service supports this speed, in URLs per second, whatever a project's own maximum (api-spec.md
 * §8).
 */
function isMaxSpeed(speed: number): boolean {
  return [0.1, 0.2, 0.5, 1, 2].includes(speed) || (speed > 0 && speed % 5 === 0);
}

const { get, post, put, remove } = section('§4.7', 'projects');

/** Configurations are listed without `meta` and parameters (spec-notes.md 2). */
export const LIST_CRAWL_CONFIGS = get(
  '/projects/{project_id}/crawl_configs',
  'All crawl configurations of a project',
  resultOf('crawl_configs', z.array(CrawlConfig)),
);

export const GET_CRAWL_CONFIG = get(
  '/projects/{project_id}/crawl_configs/{crawl_config_id}',
  'One crawl configuration',
  resultOf('crawl_config', CrawlConfig),
);

export const CREATE_CRAWL_CONFIG = post(
  '/projects/{project_id}/crawl_configs',
  'Create a crawl configuration',
  {
    body: z.strictObject({ crawl_config: CrawlConfigInput }),
    errors: ['invalid_request', 'invalid_request_parameters', 'duplicate_entry', 'resource_not_found'],
    ...resultOf('crawl_config', CrawlConfig),
  },
);

export const UPDATE_CRAWL_CONFIG = put(
  '/projects/{project_id}/crawl_configs',
  'Change a crawl configuration; its name stays',
  { body: z.strictObject({ crawl_config: CrawlConfigUpdate }), ...resultOf('crawl_config', CrawlConfig) },
);

export const DELETE_CRAWL_CONFIG = remove(
  '/projects/{project_id}/crawl_configs/{crawl_config_id}',
  'Delete a crawl configuration',
  { errors: ['invalid_request_parameters', 'resource_not_found', 'invalid_state_for_request'] },
);

/** A webhook to try (api-spec.md §4.7). */
const WebhookTrial = z
  .strictObject({
    url: HttpUrl,
    secret: z.string().min(WEBHOOK_SECRET_LENGTH.min).max(WEBHOOK_SECRET_LENGTH.max).nullish(),
  })
  .meta({ id: 'WebhookTrial' });

/**
 * The specified response does not contain the webhook's body; the sandbox returns the webhook's response
 * (docs/sandbox.md).
 */
export const VALIDATE_CUSTOM_WEBHOOK = post(
  '/projects/{project_id}/crawl_configs/validate_custom_webhook',
  'Send a test request to a webhook',
  {
    body: WebhookTrial,
    response: z.looseObject({ success: z.boolean().optional(), status_code: z.int().nullish() }),
    repeatable: true,
  },
);
