import { z } from 'zod';
import { HttpUrl, openEnum, resultOf, section } from '../endpoint.ts';

const AGENT_KINDS = ['web', 'mobile'] as const;
const HTTP_AUTH_SCHEMES = ['Basic', 'Digest', 'NTLM'] as const;
/** E-mail recipients and custom webhooks of a configuration, each (api-spec.md §8). */
const MAX_NOTIFICATIONS = 10;
/** Characters of a webhook's secret (api-spec.md §6). */
const WEBHOOK_SECRET_LENGTH = { min: 8, max: 100 } as const;

const object = z.record(z.string(), z.unknown());

/** A line break would end a header and begin another one; RFC 9110 §5.5 allows a tab of the control characters. */
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
  /** Null removes it; absent keeps what the same `url` had (spec-notes.md 19). */
  secret: z.string().min(WEBHOOK_SECRET_LENGTH.min).max(WEBHOOK_SECRET_LENGTH.max).nullish(),
  /** The service's placeholder for the secret. It may be sent back without effect. */
  secret_enabled: z.boolean().optional(),
});

/** The recipients of notifications when a crawl ended or failed to start (api-spec.md §6). */
const Notifications = z.strictObject({
  email_recipients: z.array(z.email()).max(MAX_NOTIFICATIONS).nullish(),
  custom_webhooks: z.array(CustomWebhook).max(MAX_NOTIFICATIONS).nullish(),
});

const HttpAuth = z.strictObject({
  username: z.string().min(1).regex(ONE_LINE, NO_LINE_BREAK),
  password: z.string().regex(ONE_LINE, NO_LINE_BREAK),
  scheme: z.enum(HTTP_AUTH_SCHEMES),
  realm: z.string().regex(ONE_LINE, NO_LINE_BREAK).nullish(),
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
    name: z.string().trim().min(1),
    start_url: HttpUrl,
    user_agent: z.string().regex(HEADER_VALUE, NO_LINE_BREAK).trim().min(1),
    max_speed: z
      .number()
      .refine(isMaxSpeed, 'must be 0.1, 0.2, 0.5, 1, 2, 5 or a multiple of 5, in URLs per second')
      .meta({
        wire: {
          type: 'number',
          description: 'URLs per second',
          anyOf: [{ enum: [0.1, 0.2, 0.5, 1, 2] }, { exclusiveMinimum: 0, multipleOf: 5 }],
        },
      }),
    agent_kind: z.enum(AGENT_KINDS).optional(),
    ajax_crawling: z.boolean().optional(),
    allow_query_params: z.boolean().optional(),
    alternate_start_urls: z.array(HttpUrl).optional(),
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
    crawl_subdomains: z.boolean().optional(),
    custom_fields: z.array(object).optional(),
    dns: z
      .array(z.strictObject({ host: z.string().min(1), ips: z.array(z.union([z.ipv4(), z.ipv6()])).min(1) }))
      .optional(),
    extra_headers: headers.optional(),
    filter_query_params: z.boolean().optional(),
    http_auth: HttpAuth.nullish(),
    js_rendering: z.boolean().optional(),
    max_depth: z.int().positive().optional(),
    max_url: z.int().positive().optional(),
    notifications: Notifications.nullish(),
    query_params_list: z.string().optional(),
    resource_checker: z.boolean().optional(),
    robots_txt: z.array(z.strictObject({ host: z.string().min(1), content: z.string() })).optional(),
    sitemaps: z.array(HttpUrl).optional(),
    strict_sitemaps: z.boolean().optional(),
    trigger_coc: z.boolean().optional(),
    use_cookies: z.boolean().optional(),
    use_proxy: z.boolean().optional(),
    user_input_files: z.array(z.string()).optional(),
    watched_resources: z.array(z.string()).optional(),
    whitelist_params_mode: z.boolean().optional(),
    ...deprecated,
  })
  .meta({ id: 'CrawlConfigInput' });
export type CrawlConfigInput = z.input<typeof CrawlConfigInput>;

/** An update: the path names no configuration, so `id` does, or `name`, which never changes (spec-notes.md 17). */
export const CrawlConfigUpdate = CrawlConfigInput.extend({
  id: z.string().optional(),
  // Its password never comes back: an echo of what GET gave keeps it.
  http_auth: HttpAuth.partial({ password: true }).nullish(),
}).meta({ id: 'CrawlConfigUpdate' });
export type CrawlConfigUpdate = z.input<typeof CrawlConfigUpdate>;

/** Whether the service crawls at this speed, in URLs per second, whatever a project's own maximum (api-spec.md §8). */
function isMaxSpeed(speed: number): boolean {
  return [0.1, 0.2, 0.5, 1, 2].includes(speed) || (speed > 0 && speed % 5 === 0);
}

const { get, post, put, remove } = section('§4.7', 'projects');

/** Configurations are listed bare: no `meta`, no parameters (spec-notes.md 2). */
export const LIST_CRAWL_CONFIGS = get(
  '/projects/{project_id}/crawl_configs',
  'Crawl configurations of a project, all at once',
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

/** The body of the answer is not shown; the sandbox tells what the webhook answered (docs/sandbox.md). */
export const VALIDATE_CUSTOM_WEBHOOK = post(
  '/projects/{project_id}/crawl_configs/validate_custom_webhook',
  'Send a test request to a webhook',
  {
    body: WebhookTrial,
    response: z.looseObject({ success: z.boolean().optional(), status_code: z.int().nullish() }),
    repeatable: true,
  },
);
