import { expect, test } from 'vitest';
import type { CrawlConfigInput } from '../../../src/client/resources/crawl-configs.ts';
import { CONFIG, DAY, type Living, living, refusal, SECOND, START } from './living.ts';

const path = (life: Living): string => `/projects/${life.projectId}/crawl_configs`;

async function put(life: Living, crawl_config: unknown) {
  return life.service.api(path(life), { method: 'PUT', body: { crawl_config } });
}

async function refused(life: Living, input: Partial<CrawlConfigInput> & Record<string, unknown>) {
  const answer = await life.service.api(path(life), { body: { crawl_config: { ...CONFIG, ...input } } });
  if (answer.status === 200) throw new Error('it was not refused');
  return answer.json;
}

test('a new configuration gets defaults; deprecated fields are null and cannot be set', async () => {
  const life = await living();
  const { client, projectId } = life;
  const made = await client.call('createCrawlConfig', {
    project_id: projectId,
    body: { crawl_config: { ...CONFIG, max_url: 7, webhooks: ['x'], reuse_cookies: true } },
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
    life.configId,
  ]);
  expect(await refused(life, {})).toMatchObject({ type: 'duplicate_entry', fields: [{ name: 'name' }] });
  expect(await refused(life, { id: 'x' })).toMatchObject({ fields: [{ name: 'id', type: 'unknown' }] });
});

test('speed, ownership, features and files are checked against the project', async () => {
  const life = await living();
  const { projectId } = life;
  const unverified = { type: 'forbidden', code: 'ownership_not_verified' };
  expect(await refused(life, { max_speed: 2 })).toMatchObject(unverified);
  expect(await refused(life, { robots_txt: [{ host: 'x.example', content: '' }] })).toMatchObject(unverified);
  await life.patch('projects', projectId, { is_verified_by: 'admin', limits: { max_speed: 5 } });
  await life.config({ name: 'fast', max_speed: 5, robots_txt: [{ host: 'x.example', content: 'x' }] });
  expect(await refused(life, { max_speed: 10 })).toMatchObject({
    type: 'invalid_request_parameters',
    fields: [{ name: 'max_speed', type: 'too_big' }],
  });
  expect(await refused(life, { max_speed: 3 })).toMatchObject({ fields: [{ name: 'max_speed' }] });
  expect(await refused(life, { resource_checker: true })).toMatchObject({ type: 'invalid_request' });
  await life.config({ name: 'checking', resource_checker: true, js_rendering: true });
  expect(await refused(life, { user_input_files: ['none'] })).toMatchObject({ type: 'resource_not_found' });

  await life.patch('projects', projectId, { features: ['crawl'] });
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
    expect(await refused(life, input), JSON.stringify(input)).toMatchObject({
      type: 'forbidden',
      code: 'missing_feature',
    });
  }
  await life.config({ name: 'plain', js_rendering: false, custom_fields: [], backlinks_params: null });
});

test('further start URLs must be on the domain', async () => {
  const life = await living();
  const start_url = 'https://www.a.example/';
  await life.config({ start_url, alternate_start_urls: ['http://a.example/x', 'https://shop.a.example/'] });
  for (const url of ['https://b.example/', 'https://nota.example/', 'https://a.example.b.example/']) {
    expect(
      await refused(life, { name: 'x', start_url, alternate_start_urls: ['https://a.example/', url] }),
    ).toMatchObject({ type: 'invalid_request_parameters', fields: [{ name: 'alternate_start_urls[1]' }] });
  }
});

test('an update names its configuration by id or name, replaces it completely, and keeps its name', async () => {
  const life = await living();
  const { client, projectId } = life;
  const id = await life.config({ max_url: 7, extra_headers: { a: 'b' } });
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
  ).toMatchObject({ id, user_agent: 'Other', max_depth: 15 });
  expect((await put(life, { ...CONFIG, id, name: 'renamed' })).json).toMatchObject({
    fields: [{ name: 'name', type: 'immutable' }],
  });
  expect((await put(life, { ...CONFIG, name: 'unknown' })).status).toBe(404);
  expect((await put(life, { ...CONFIG, id: 'none' })).status).toBe(404);
  expect((await put(life, { name: CONFIG.name })).json).toMatchObject({
    fields: expect.arrayContaining([expect.objectContaining({ name: 'start_url', type: 'required' })]),
  });
});

test('a webhook secret is never returned: echoing keeps it, null or another address removes it', async () => {
  const life = await living();
  const { client, projectId } = life;
  const secret = 'very secret indeed';
  const hook = (more: object) => ({
    notifications: { custom_webhooks: [{ url: 'https://hook.example/a', ...more }] },
  });
  const id = await life.config(hook({ secret }));
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
    body: { crawl_config: { ...CONFIG, ...hook({ url: 'https://hook.example/b', secret_enabled: true }) } },
  });
  expect(await enabled()).toEqual([{ url: 'https://hook.example/b', secret_enabled: false }]);
  await client.call('updateCrawlConfig', {
    project_id: projectId,
    body: { crawl_config: { ...CONFIG, ...hook({}) } },
  });
  expect(await enabled()).toEqual([{ url: 'https://hook.example/a', secret_enabled: false }]);
  expect(
    await refused(life, {
      name: 'twice',
      notifications: { custom_webhooks: [{ url: 'https://h.example/' }, { url: 'https://h.example/' }] },
    }),
  ).toMatchObject({ fields: [{ name: 'notifications.custom_webhooks[1].url', type: 'duplicate' }] });
  for (const [length, name] of [
    [7, 'notifications.custom_webhooks[0].secret'],
    [101, 'notifications.custom_webhooks[0].secret'],
  ] as const) {
    expect(await refused(life, { name: 'x', ...hook({ secret: 'x'.repeat(length) }) })).toMatchObject({
      fields: [{ name }],
    });
  }
});

test('no secret of a configuration appears in any response', async () => {
  const life = await living();
  const { client, projectId } = life;
  const http_auth = { username: 'me', password: 'pass-4711', scheme: 'Basic' } as const;
  const config = await life.config({
    http_auth,
    notifications: { custom_webhooks: [{ url: 'http://127.0.0.1:1/', secret: 'hook-4711' }] },
  });
  expect(
    (await client.call('crawlConfig', { project_id: projectId, crawl_config_id: config })).http_auth,
  ).toEqual({ username: 'me', scheme: 'Basic', realm: null });
  const { id } = await client.call('launchCrawl', { project_id: projectId, query: { configId: config } });
  await life.clock(START + 70 * SECOND);
  const patched = await life.patch('crawl_configs', config, { max_url: 3 });
  const texts = [
    JSON.stringify(patched),
    JSON.stringify(await life.patch('crawls', id, { last_depth: 3 })),
    JSON.stringify(await life.list('webhook_calls')),
    ...(await Promise.all(
      [
        `/projects/${projectId}`,
        path(life),
        `${path(life)}/${config}`,
        `/crawls/${id}`,
        `/workspaces/${life.workspaceId}/crawls`,
      ].map(async (at) => (await life.service.api(at)).text),
    )),
  ];
  for (const text of texts) expect(text).not.toMatch(/4711|"_/);
});

test('echoing keeps the password of http_auth; another user name needs its own', async () => {
  const life = await living();
  const { client, projectId } = life;
  const id = await life.config({ http_auth: { username: 'me', password: 'p', scheme: 'NTLM', realm: 'd' } });
  const got = await client.call('crawlConfig', { project_id: projectId, crawl_config_id: id });
  expect(
    await client.call('updateCrawlConfig', { project_id: projectId, body: { crawl_config: got as never } }),
  ).toEqual(got);
  const other = await put(life, { ...CONFIG, http_auth: { username: 'you', scheme: 'Basic' } });
  expect(other.json).toMatchObject({ fields: [{ name: 'http_auth.password', type: 'required' }] });
  expect(
    (
      await client.call('updateCrawlConfig', {
        project_id: projectId,
        body: { crawl_config: { ...CONFIG, http_auth: null } },
      })
    ).http_auth,
  ).toBeNull();
  expect(
    await refused(life, { name: 'x', http_auth: { username: 'me', scheme: 'Basic' } as never }),
  ).toMatchObject({ fields: [{ name: 'http_auth.password', type: 'required' }] });
});

test('a configuration in use or scheduled cannot be deleted', async () => {
  const life = await living();
  const { client, projectId } = life;
  const id = await life.config();
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

test('control characters in header values are refused by name', async () => {
  const life = await living();
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
    expect(await refused(life, { name: 'lines', ...input }), name).toMatchObject({
      type: 'invalid_request_parameters',
      fields: [{ name }],
    });
  await expect(
    life.client.call('createCrawlConfig', {
      project_id: life.projectId,
      body: { crawl_config: { ...CONFIG, name: 'lines', user_agent: 'a\nb' } },
    }),
  ).rejects.toMatchObject({ code: 'invalid_request' });
  await life.config({ name: 'one line', extra_headers: { 'X-A': 'a\tb, "c"; ü' }, user_agent: 'Bot/1 (ü)' });
});
