import { expect, test } from 'vitest';
import { CrawlConfig, CrawlConfigInput } from '../../../src/client/resources/crawl-configs.ts';
import { keptRecord, withoutUserinfo } from '../../../src/client/resources/kept-record.ts';
import { parseJsonAsWritten, stringifyJson } from '../../../src/core/text/json.ts';

/** A configuration with something hidden in each place that can hold a secret, and what is to be left of it. */
const CONFIG = {
  id: 'k',
  name: 'n',
  start_url: 'https://hidden-user:hidden-word@example.org/a?b=c@d',
  user_agent: 'u',
  max_speed: 1,
  alternate_start_urls: ['https://hidden-token@example.org/'],
  sitemaps: ['https://hidden:hidden@example.org/sitemap.xml'],
  custom_fields: [
    {
      name: 'price',
      xpath: '//b',
      headers: { authorization: 'hidden-1' },
      cookies: 'hidden-2',
      '9': 'hidden',
    },
  ],
  dns: [{ host: 'example.org', ips: ['10.0.0.1'], tsig_key: 'hidden-3' }],
  robots_txt: [
    { host: 'example.org', content: 'Sitemap: https://hidden:hidden@example.org/s.xml\nDisallow:' },
  ],
  http_auth: { username: 'hidden-4', password: 'hidden-5' },
  extra_headers: { cookie: 'hidden-6' },
  analytics_a_params: { api_key: 'hidden-7' },
  analytics_b_params: { email: 'hidden-8' },
  search_console_params: { email: 'hidden-9' },
  backlinks_params: { access_token: 'hidden-10' },
  notifications: { custom_webhooks: [{ url: 'https://hidden-11', secret: 'hidden-12' }] },
  webhooks: ['https://hidden-13'],
  cookies: [{ value: 'hidden-14' }],
  proxy: 'http://hidden:hidden@proxy.example:8080',
  proxies: { http: 'http://hidden:hidden@proxy.example' },
  use_proxy: true,
  max_depth: { of: 'hidden-15' },
  user_input_files: ['f1', { token: 'hidden-16' }],
  tomorrow: 'hidden-17',
  watched_resources: ['*.js'],
};
const LEFT = {
  id: 'k',
  name: 'n',
  start_url: 'https://example.org/a?b=c@d',
  user_agent: 'u',
  max_speed: 1,
  alternate_start_urls: ['https://example.org/'],
  sitemaps: ['https://example.org/sitemap.xml'],
  custom_fields: [{ name: 'price', xpath: '//b' }],
  dns: [{ host: 'example.org', ips: ['10.0.0.1'] }],
  robots_txt: [{ host: 'example.org', content: 'Sitemap: https://example.org/s.xml\nDisallow:' }],
  use_proxy: true,
  user_input_files: ['f1'],
  watched_resources: ['*.js'],
};

test('a configuration keeps only listed keys, and no future key', () => {
  expect(keptRecord('crawl_configs', CONFIG)).toEqual(LEFT);
  expect(keptRecord('crawl_configs', CONFIG, ['http_auth', 'tomorrow', 'proxy'])).toEqual(LEFT);
});

test('a configuration is filtered the same way in crawls, projects, scheduled crawls and similarly named keys', () => {
  expect(keptRecord('crawls', { id: 'c', crawl_config: CONFIG })).toEqual({ id: 'c', crawl_config: LEFT });
  const project = {
    id: 'p',
    crawl_config_ids: ['k'],
    crawl_configs: [CONFIG, CONFIG],
    crawls: [{ id: 'c', status: 'done', crawl_config: CONFIG, secret: 'hidden' }],
    scheduled_crawls: [{ id: 's', config_id: 'k', crawl_config: CONFIG, token: 'hidden' }],
    configs: [CONFIG],
    configuration: CONFIG,
  };
  expect(keptRecord('projects', project)).toEqual({
    id: 'p',
    crawl_config_ids: ['k'],
    crawl_configs: [LEFT, LEFT],
    crawls: [{ id: 'c', status: 'done', crawl_config: LEFT }],
    scheduled_crawls: [{ id: 's', config_id: 'k', crawl_config: LEFT }],
    configs: [LEFT],
    configuration: LEFT,
  });
  for (const key of ['crawl_config', 'config', 'crawl_configuration'])
    expect(keptRecord('scheduled_crawls', { id: 's', [key]: CONFIG })).toEqual({ id: 's', [key]: LEFT });
});

test('undeclared plain values stay; undeclared objects and secret-like names are removed', () => {
  const record = {
    id: 'p',
    new_count: 3,
    new_names: ['a', { password: 'hidden' }],
    new_object: { smtp: 'hidden' },
    webhook_secret: 'hidden',
    api_key: null,
    start_url: 'https://u:hidden@example.org/',
  };
  const left = { id: 'p', new_count: 3, new_names: ['a'], start_url: 'https://example.org/' };
  expect(keptRecord('projects', record)).toEqual(left);
  const declared = { ...record, new_object: { smtp: 'mail.example', password: 'hidden', config: CONFIG } };
  expect(keptRecord('projects', declared, ['new_object'])).toEqual({
    ...left,
    new_object: { smtp: 'mail.example', config: LEFT },
  });
});

test('data export credentials stay if they are a reference', () => {
  const target = (store_b_credentials: string) => ({
    id: 'e',
    target_parameters: { store_b_bucket: 'b', store_b_credentials, signed_url: 'https://x/?sig=hidden' },
  });
  expect(keptRecord('data_exports', target('secrets://w/name'))).toEqual({
    id: 'e',
    target_parameters: { store_b_bucket: 'b', store_b_credentials: 'secrets://w/name' },
  });
  expect(keptRecord('data_exports', target('hidden'))).toEqual({
    id: 'e',
    target_parameters: { store_b_bucket: 'b' },
  });
});

test('maps with user-chosen keys keep their keys, numbers their spelling', () => {
  const record = parseJsonAsWritten('{"id":"f","fields":{"token":"string","api_key":"natural"},"size":1e3}');
  expect(stringifyJson(keptRecord('ingest_files', record as Record<string, unknown>))).toBe(
    '{"id":"f","fields":{"token":"string","api_key":"natural"},"size":1e3}',
  );
});

test('each configuration key is either kept or listed as secret', () => {
  const secret = [
    'analytics_a_params',
    'analytics_b_params',
    'backlinks_params',
    'extra_headers',
    'http_auth',
    'notifications',
    'search_console_params',
    'webhooks',
  ];
  const keys = [...new Set([...Object.keys(CrawlConfig.shape), ...Object.keys(CrawlConfigInput.shape)])];
  const shapes: Record<string, unknown[]> = Object.fromEntries(
    ['alternate_start_urls', 'custom_fields', 'dns', 'robots_txt', 'sitemaps', 'user_input_files'].map(
      (key) => [key, []],
    ),
  );
  const whole = Object.fromEntries(
    keys.map((key) => [key, shapes[key] ?? (key === 'watched_resources' ? [] : 'x')]),
  );
  const left = Object.keys(keptRecord('crawl_configs', whole));
  expect(keys.filter((key) => !left.includes(key)).sort()).toEqual(secret);
});

test('user name and password are removed from addresses in every spelling, and nothing else', () => {
  for (const [text, left] of [
    ['https://u:p@h/x', 'https://h/x'],
    ['HTTPS://u@h', 'HTTPS://h'],
    ['https://u:p@p@h/x', 'https://h/x'],
    ['https:\\\\u:p@h/x', 'https:\\\\h/x'],
    ['https:u:p@h/x', 'https://h/x'],
    ['ftp://u:p@h and https://v:q@i', 'ftp://h and https://i'],
    ['https://h/@name?mail=a@b', 'https://h/@name?mail=a@b'],
    ['someone@example.org', 'someone@example.org'],
  ])
    expect(withoutUserinfo(text ?? '')).toBe(left);
});
