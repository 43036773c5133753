import { expect, test } from 'vitest';
import { type ConfigInput, checkConfig, storedConfig } from '../../../src/service/configs/check-config.ts';
import { Resources, type StoredResource } from '../../../src/service/resources/resources.ts';
import { WORKSPACE_ID } from '../../../src/service/resources/seed.ts';

const HOOK = 'https://hook.example/';
const PROJECT = {
  id: 'p1',
  is_verified_by: 'dns',
  features: ['data_scraping', 'crawl_js', 'data_ingestion', 'analytics_a'],
  limits: { max_speed: 5 },
};

function check(config: object, project: object = {}): string {
  using resources = new Resources(':memory:');
  resources.put('ingest_files', 'p1', { id: 'f1' });
  resources.put('workspaces', '', { id: WORKSPACE_ID, subscription_features: [] });
  const input = { start_url: 'https://www.shop.example/', max_speed: 1, ...config } as ConfigInput;
  try {
    checkConfig(resources, { ...PROJECT, ...project } as StoredResource, input);
    return 'good';
  } catch (error) {
    return (error as Error).message;
  }
}

const field = (more: object = {}) => ({ name: 'price', type: 'string', ...more });

test.each([
  [{}, {}, 'good'],
  [{ js_rendering: true, analytics_a_params: {} }, {}, 'good'],
  [{ js_rendering: false, analytics_b_params: null, custom_fields: [] }, { features: ['none'] }, 'good'],
  [{ js_rendering: true }, { features: ['none'] }, /crawl_js/],
  [{ custom_fields: [field()] }, { features: ['none'] }, /data_scraping/],
  [{ analytics_b_params: {} }, {}, /analytics_b/],
  [{ max_speed: 5 }, {}, 'good'],
  [{ max_speed: 6 }, {}, 'max_speed: the project allows 5 URLs per second'],
  [{ max_speed: 6 }, { limits: null }, 'good'],
  [{ max_speed: 2 }, { is_verified_by: null }, /max_speed above 1 needs a project whose ownership/],
  [{ max_speed: 2 }, { is_verified_by: undefined }, /ownership/],
  [{ max_speed: 1 }, { is_verified_by: null }, 'good'],
  [{ robots_txt: 'User-agent: *' }, { is_verified_by: null }, /robots_txt needs/],
  [{ robots_txt: 'User-agent: *' }, {}, 'good'],
  [{ resource_checker: true }, {}, 'resource_checker needs js_rendering'],
  [{ resource_checker: true, js_rendering: true }, {}, 'good'],
  [{ alternate_start_urls: ['https://shop.example/a', 'https://m.shop.example/'] }, {}, 'good'],
  [
    { alternate_start_urls: ['https://shop.example/', 'https://myshop.example/'] },
    {},
    'alternate_start_urls[1]: does not belong to the domain shop.example',
  ],
  [{ notifications: { custom_webhooks: [{ url: HOOK }, { url: `${HOOK}2` }] } }, {}, 'good'],
  [
    { notifications: { custom_webhooks: [{ url: HOOK }, { url: HOOK }] } },
    {},
    'notifications.custom_webhooks[1].url: stands twice',
  ],
  [{ custom_fields: [field()] }, {}, /^custom_fields\[0\]/],
  [{ user_input_files: ['f1'] }, {}, 'good'],
  [{ user_input_files: ['f2'] }, {}, 'the ingest file f2 does not exist'],
])('%j of the project %j: %s', (config, project, expected) => {
  if (typeof expected === 'string') expect(check(config, project)).toBe(expected);
  else expect(check(config, project)).toMatch(expected);
});

const stored = (input: object, known?: object) =>
  storedConfig('c1', { start_url: 'https://a.example/', ...input } as ConfigInput, known as StoredResource);

test('an update keeps the secrets that it does not name, and null removes one', () => {
  const hooks = (...custom_webhooks: object[]) => ({ notifications: { custom_webhooks } });
  const first = stored(hooks({ url: HOOK, secret: 's1' }, { url: 'https://b.example/' }));
  expect(first).toMatchObject({ id: 'c1', _webhook_secrets: { [HOOK]: 's1' } });
  expect(first.notifications).toEqual({
    custom_webhooks: [
      { url: HOOK, secret_enabled: true },
      { url: 'https://b.example/', secret_enabled: false },
    ],
  });
  expect(stored(hooks({ url: HOOK }), first)._webhook_secrets).toEqual({ [HOOK]: 's1' });
  expect(stored(hooks({ url: HOOK, secret: null }), first)._webhook_secrets).toEqual({});
  expect(stored({ notifications: { email_recipients: ['a@b.example'] } }).notifications).toEqual({
    email_recipients: ['a@b.example'],
    custom_webhooks: [],
  });
  expect(stored({ notifications: { email_recipients: null } }).notifications).toEqual({
    custom_webhooks: [],
  });
});

test('a password is stored apart, and stays for the same user name', () => {
  const first = stored({ http_auth: { username: 'u', password: 'secret' } });
  expect(first).toMatchObject({ http_auth: { username: 'u', realm: null }, _http_password: 'secret' });
  expect(JSON.stringify(first.http_auth)).not.toContain('secret');
  expect(stored({ http_auth: { username: 'u' } }, first)._http_password).toBe('secret');
  expect(() => stored({ http_auth: { username: 'other' } }, first)).toThrow('http_auth.password');
  expect(() => stored({ http_auth: { username: 'u' } })).toThrow('http_auth.password');
  for (const http_auth of [undefined, null])
    expect(stored({ http_auth }, first)).not.toHaveProperty('_http_password');
});

test('null, absent and deprecated fields have their defaults', () => {
  const absent = stored({});
  expect(stored({ max_depth: null, max_urls: undefined })).toEqual(absent);
  expect(stored({ max_depth: 3 }).max_depth).toBe(3);
  expect(stored({ id: 'other' }).id).toBe('c1');
});
