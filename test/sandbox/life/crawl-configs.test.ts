import { expect, test } from 'vitest';
import type { CrawlConfigInput } from '../../../src/api/crawl-configs.ts';
import { CONFIG, DAY, type Living, living, refusal, SECOND, START } from './living.ts';

const path = (house: Living): string => `/projects/${house.projectId}/crawl_configs`;

async function put(house: Living, crawl_config: unknown) {
  return house.service.api(path(house), { method: 'PUT', body: { crawl_config } });
}

async function refused(house: Living, input: Partial<CrawlConfigInput> & Record<string, unknown>) {
  const answer = await house.service.api(path(house), { body: { crawl_config: { ...CONFIG, ...input } } });
  if (answer.status === 200) throw new Error('it was not refused');
  return answer.json;
}

test('a configuration is made with defaults, with deprecated fields served as null and never taken', async () => {
  const house = await living();
  const { client, projectId } = house;
  const made = await client.call('createCrawlConfig', {
    project_id: projectId,
    body: {
      crawl_config: {
        ...CONFIG,
        max_url: 7,
        webhooks: ['x'],
        reuse_cookies: true,
      },
    },
  });
  expect(made).toMatchObject({
    ...CONFIG,
    max_url: 7,
    agent_kind: 'web',
    max_depth: 15,
    js_rendering: false,
  });
  expect(made).toMatchObject({ webhooks: null, reuse_cookies: null, scheduling_period: null });
  expect(await client.call('crawlConfig', { project_id: projectId, crawl_config_id: made.id })).toEqual(made);
  expect((await client.call('crawlConfigs', { project_id: projectId })).map(({ id }) => id)).toEqual([
    made.id,
    house.configId,
  ]);
  expect(await refused(house, {})).toMatchObject({
    type: 'duplicate_entry',
    fields: [{ name: 'name' }],
  });
  expect(await refused(house, { id: 'x' })).toMatchObject({
    fields: [{ name: 'id', type: 'unknown' }],
  });
});

test('what depends on the project is checked: speed, ownership, features, files', async () => {
  const house = await living();
  const { projectId } = house;
  const unverified = { type: 'forbidden', code: 'ownership_not_verified' };
  expect(await refused(house, { max_speed: 2 })).toMatchObject(unverified);
  expect(await refused(house, { robots_txt: [{ host: 'x.example', content: '' }] })).toMatchObject(
    unverified,
  );
  await house.patch('projects', projectId, { is_verified_by: 'admin', limits: { max_speed: 5 } });
  await house.config({ name: 'fast', max_speed: 5, robots_txt: [{ host: 'x.example', content: 'x' }] });
  expect(await refused(house, { max_speed: 10 })).toMatchObject({
    type: 'invalid_request_parameters',
    fields: [{ name: 'max_speed', type: 'too_big' }],
  });
  expect(await refused(house, { max_speed: 3 })).toMatchObject({
    fields: [{ name: 'max_speed' }],
  });
  expect(await refused(house, { resource_checker: true })).toMatchObject({ type: 'invalid_request' });
  await house.config({ name: 'checking', resource_checker: true, js_rendering: true });
  expect(await refused(house, { user_input_files: ['none'] })).toMatchObject({ type: 'resource_not_found' });

  await house.patch('projects', projectId, { features: ['crawl'] });
  const gated: readonly Partial<CrawlConfigInput>[] = [
    { analytics_a_params: { api_key: 'k', site_id: 's' } },
    { analytics_b_params: { email: 'a@b.example', account_id: 'a', website_id: 'w', profile_id: 'p' } },
    { search_console_params: { email: 'a@b.example', websites: ['https://a.example/'] } },
    { backlinks_params: { access_token: 't' } },
    { custom_fields: [{ name: 'price' }] },
    { js_rendering: true },
    { trigger_coc: true },
    { user_input_files: ['none'] },
  ];
  for (const input of gated) {
    expect(await refused(house, input), JSON.stringify(input)).toMatchObject({
      type: 'forbidden',
      code: 'missing_feature',
    });
  }
  await house.config({ name: 'plain', js_rendering: false, custom_fields: [], backlinks_params: null });
});

test('other start URLs stay on the domain', async () => {
  const house = await living();
  const start_url = 'https://www.a.example/';
  await house.config({ start_url, alternate_start_urls: ['http://a.example/x', 'https://shop.a.example/'] });
  for (const url of ['https://b.example/', 'https://nota.example/', 'https://a.example.b.example/']) {
    expect(
      await refused(house, { name: 'x', start_url, alternate_start_urls: ['https://a.example/', url] }),
    ).toMatchObject({
      type: 'invalid_request_parameters',
      fields: [{ name: 'alternate_start_urls[1]' }],
    });
  }
});

test('an update names its configuration by id or by name, replaces it whole, and leaves its name', async () => {
  const house = await living();
  const { client, projectId } = house;
  const id = await house.config({ max_url: 7, extra_headers: { a: 'b' } });
  const updated = await client.call('updateCrawlConfig', {
    project_id: projectId,
    body: { crawl_config: { ...CONFIG, max_depth: 3 } },
  });
  expect(updated).toMatchObject({ id, max_depth: 3, max_url: 1_000_000, extra_headers: {} });
  expect(
    await client.call('updateCrawlConfig', {
      project_id: projectId,
      body: { crawl_config: { ...CONFIG, id, user_agent: 'Other' } },
    }),
  ).toMatchObject({
    id,
    user_agent: 'Other',
    max_depth: 15,
  });
  expect((await put(house, { ...CONFIG, id, name: 'renamed' })).json).toMatchObject({
    fields: [{ name: 'name', type: 'immutable' }],
  });
  expect((await put(house, { ...CONFIG, name: 'unknown' })).status).toBe(404);
  expect((await put(house, { ...CONFIG, id: 'none' })).status).toBe(404);
  expect((await put(house, { name: CONFIG.name })).json).toMatchObject({
    fields: expect.arrayContaining([expect.objectContaining({ name: 'start_url', type: 'required' })]),
  });
});

test('a webhook’s secret is never served: an echo keeps it, null or another address removes it', async () => {
  const house = await living();
  const { client, projectId } = house;
  const secret = 'very secret indeed';
  const hook = (more: object) => ({
    notifications: { custom_webhooks: [{ url: 'https://hook.example/a', ...more }] },
  });
  const id = await house.config(hook({ secret }));
  const enabled = async (): Promise<unknown> => {
    const { notifications } = await client.call('crawlConfig', {
      project_id: projectId,
      crawl_config_id: id,
    });
    return (notifications as { custom_webhooks: unknown[] }).custom_webhooks;
  };
  const served = [{ url: 'https://hook.example/a', secret_enabled: true }];
  expect(await enabled()).toEqual(served);
  const got = await client.call('crawlConfig', { project_id: projectId, crawl_config_id: id });
  expect(
    await client.call('updateCrawlConfig', { project_id: projectId, body: { crawl_config: got as never } }),
  ).toEqual(got);
  expect(await enabled()).toEqual(served);
  await client.call('updateCrawlConfig', {
    project_id: projectId,
    body: { crawl_config: { ...CONFIG, ...hook({ secret: null }) } },
  });
  expect(await enabled()).toEqual([{ url: 'https://hook.example/a', secret_enabled: false }]);
  await client.call('updateCrawlConfig', {
    project_id: projectId,
    body: { crawl_config: { ...CONFIG, ...hook({ secret }) } },
  });
  await client.call('updateCrawlConfig', {
    project_id: projectId,
    body: {
      crawl_config: {
        ...CONFIG,
        ...hook({ url: 'https://hook.example/b', secret_enabled: true }),
      },
    },
  });
  expect(await enabled()).toEqual([{ url: 'https://hook.example/b', secret_enabled: false }]);
  await client.call('updateCrawlConfig', {
    project_id: projectId,
    body: { crawl_config: { ...CONFIG, ...hook({}) } },
  });
  expect(await enabled()).toEqual([{ url: 'https://hook.example/a', secret_enabled: false }]);
  expect(
    await refused(house, {
      name: 'twice',
      notifications: { custom_webhooks: [{ url: 'https://h.example/' }, { url: 'https://h.example/' }] },
    }),
  ).toMatchObject({
    fields: [{ name: 'notifications.custom_webhooks[1].url', type: 'duplicate' }],
  });
  for (const [length, name] of [
    [7, 'notifications.custom_webhooks[0].secret'],
    [101, 'notifications.custom_webhooks[0].secret'],
  ] as const) {
    expect(await refused(house, { name: 'x', ...hook({ secret: 'x'.repeat(length) }) })).toMatchObject({
      fields: [{ name }],
    });
  }
});

test('no secret of a configuration comes out anywhere', async () => {
  const house = await living();
  const { client, projectId } = house;
  const http_auth = { username: 'me', password: 'pass-4711', scheme: 'Basic' } as const;
  const config = await house.config({
    http_auth,
    notifications: { custom_webhooks: [{ url: 'http://127.0.0.1:1/', secret: 'hook-4711' }] },
  });
  expect(
    (await client.call('crawlConfig', { project_id: projectId, crawl_config_id: config })).http_auth,
  ).toEqual({
    username: 'me',
    scheme: 'Basic',
    realm: null,
  });
  const { id } = await client.call('launchCrawl', { project_id: projectId, query: { configId: config } });
  await house.clock(START + 70 * SECOND);
  const patched = await house.patch('crawl_configs', config, { max_url: 3 });
  const texts = [
    JSON.stringify(patched),
    JSON.stringify(await house.patch('crawls', id, { last_depth: 3 })),
    JSON.stringify(await house.list('webhook_calls')),
    ...(await Promise.all(
      [
        `/projects/${projectId}`,
        path(house),
        `${path(house)}/${config}`,
        `/crawls/${id}`,
        `/workspaces/${house.workspaceId}/crawls`,
      ].map(async (at) => (await house.service.api(at)).text),
    )),
  ];
  for (const text of texts) expect(text).not.toMatch(/4711|"_/);
});

test('an echo keeps the password of http_auth; another user name needs its own', async () => {
  const house = await living();
  const { client, projectId } = house;
  const id = await house.config({ http_auth: { username: 'me', password: 'p', scheme: 'NTLM', realm: 'd' } });
  const got = await client.call('crawlConfig', { project_id: projectId, crawl_config_id: id });
  expect(
    await client.call('updateCrawlConfig', { project_id: projectId, body: { crawl_config: got as never } }),
  ).toEqual(got);
  const other = await put(house, { ...CONFIG, http_auth: { username: 'you', scheme: 'Basic' } });
  expect(other.json).toMatchObject({
    fields: [{ name: 'http_auth.password', type: 'required' }],
  });
  expect(
    (
      await client.call('updateCrawlConfig', {
        project_id: projectId,
        body: { crawl_config: { ...CONFIG, http_auth: null } },
      })
    ).http_auth,
  ).toBeNull();
  expect(
    await refused(house, { name: 'x', http_auth: { username: 'me', scheme: 'Basic' } as never }),
  ).toMatchObject({
    fields: [{ name: 'http_auth.password', type: 'required' }],
  });
});

test('a configuration that is crawled with, or will be, is not deleted', async () => {
  const house = await living();
  const { client, projectId } = house;
  const id = await house.config();
  const crawl = await client.call('launchCrawl', { project_id: projectId, query: { configId: id } });
  expect(
    await refusal(client.call('deleteCrawlConfig', { project_id: projectId, crawl_config_id: id })),
  ).toMatchObject({ code: 'wrong_state' });
  await client.call('pilotCrawl', { crawl_id: crawl.id, body: { command: 'cancel' } });
  const scheduled = await client.call('createScheduledCrawl', {
    project_id: projectId,
    body: { scheduled_crawl: { config_id: id, start_date: START + DAY } },
  });
  expect(
    await refusal(client.call('deleteCrawlConfig', { project_id: projectId, crawl_config_id: id })),
  ).toMatchObject({ code: 'wrong_state' });
  await client.call('deleteScheduledCrawl', { project_id: projectId, scheduled_crawl_id: scheduled.id });
  await client.call('deleteCrawlConfig', { project_id: projectId, crawl_config_id: id });
  expect(
    await refusal(client.call('crawlConfig', { project_id: projectId, crawl_config_id: id })),
  ).toMatchObject({ code: 'not_found' });
  expect((await client.call('crawl', { crawl_id: crawl.id })).crawl_config?.id).toBe(id);
});

test('line breaks and other control characters in what becomes a header are refused by name', async () => {
  const house = await living();
  const auth = { username: 'u', password: 'p', scheme: 'Basic' } as const;
  for (const [input, name] of [
    [{ user_agent: 'bot\r\nX-Injected: 1' }, 'user_agent'],
    [{ user_agent: 'bot\n' }, 'user_agent'],
    [{ user_agent: 'bot\0' }, 'user_agent'],
    [{ extra_headers: { 'X-A': 'a\r\nX-B: b' } }, 'extra_headers.X-A'],
    [{ extra_headers: { 'X-A': 'a\u0085' } }, 'extra_headers.X-A'],
    [{ extra_headers: { 'X A': 'a' } }, 'extra_headers.X A'],
    [{ extra_headers: { 'X-A: 1\r\nX-B': 'b' } }, 'extra_headers.X-A: 1\r\nX-B'],
    [{ http_auth: { ...auth, username: 'u\nv' } }, 'http_auth.username'],
    [{ http_auth: { ...auth, realm: 'u\nv' } }, 'http_auth.realm'],
  ] as const)
    expect(await refused(house, { name: 'lines', ...input }), name).toMatchObject({
      type: 'invalid_request_parameters',
      fields: [{ name }],
    });
  await expect(
    house.client.call('createCrawlConfig', {
      project_id: house.projectId,
      body: { crawl_config: { ...CONFIG, name: 'lines', user_agent: 'a\nb' } },
    }),
  ).rejects.toMatchObject({ code: 'invalid_request' });
  await house.config({ name: 'one line', extra_headers: { 'X-A': 'a\tb, "c"; ü' }, user_agent: 'Bot/1 (ü)' });
});
