import { z } from 'zod';

/** A crawl configuration (api-spec.md §2.8). */
export const CrawlConfig = z.looseObject({
  id: z.string(),
  name: z.string(),
  start_url: z.string(),
  user_agent: z.string(),
  max_speed: z.number(),
  agent_kind: z.string().nullish(),
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
  extra_headers: z.record(z.string(), z.unknown()).nullish(),
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
});
export type CrawlConfig = z.infer<typeof CrawlConfig>;

/** Configurations are listed bare: no `meta`, no parameters (spec-notes.md 2). */
export const CrawlConfigList = z.looseObject({ crawl_configs: z.array(CrawlConfig) });
export const CrawlConfigResponse = z.looseObject({ crawl_config: CrawlConfig });

/** Keys of a configuration that are, or hold, secrets (spec-notes.md 33). */
export const SECRET_CONFIG_KEYS = [
  'http_auth',
  'analytics_a_params',
  'analytics_b_params',
  'search_console_params',
  'backlinks_params',
  'extra_headers',
  'notifications',
  'webhooks',
] as const;

/** The configuration without anything secret in it. */
export function withoutSecrets(config: CrawlConfig): CrawlConfig {
  const secret: ReadonlySet<string> = new Set(SECRET_CONFIG_KEYS);
  return Object.fromEntries(Object.entries(config).filter(([key]) => !secret.has(key))) as CrawlConfig;
}
