import { expect, test } from 'vitest';
import { service } from '../support.ts';

test('a request without a token, or with a wrong one, is unauthorized, also for unknown paths', async () => {
  const it = await service();
  for (const path of ['/workspaces', '/crawls/x', '/no/such/path']) {
    for (const token of [null, 'wrong']) {
      const answer = await it.api(path, { token });
      expect(answer.status).toBe(401);
      expect(answer.json).toMatchObject({ type: 'unauthorized' });
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  }
});

test('the error never repeats a wrong token', async () => {
  const it = await service();
  expect((await it.api('/workspaces', { token: 'wrong-token-123456' })).text).not.toContain('wrong-token');
});

test('workspaces need a token with account:read, everything else projects:read', async () => {
  const it = await service({ generate: ['pages=1'] });
  const crawl = await it.crawlId();
  const workspace = await it.workspace();
  await it.ask('/_sandbox/tokens/accounts', { method: 'PATCH', body: { scopes: ['account:read'] } });
  await it.ask('/_sandbox/tokens/projects', { method: 'PATCH', body: { scopes: ['projects:read'] } });
  await it.ask('/_sandbox/tokens/oauth', { method: 'PATCH', body: { scopes: ['project:read'] } });
  expect((await it.api(`/workspaces/${workspace}`, { token: 'accounts' })).status).toBe(200);
  expect((await it.api(`/crawls/${crawl}`, { token: 'projects' })).status).toBe(200);
  expect((await it.api(`/crawls/${crawl}`, { token: 'oauth' })).status).toBe(200);
  const refused = await it.api(`/crawls/${crawl}`, { token: 'accounts' });
  expect(refused.status).toBe(403);
  expect(refused.json).toMatchObject({ type: 'forbidden' });
  expect((await it.api('/workspaces', { token: 'projects' })).status).toBe(403);
});

test('the sandbox uses a given token, or creates one', async () => {
  const given = await service({ accessToken: 'a-token' });
  expect(given.sandbox.ready.access_token).toBe('a-token');
  expect((await given.api('/workspaces')).status).toBe(200);
  const made = await service();
  expect(made.sandbox.ready).toMatchObject({
    base_url: made.sandbox.baseUrl,
    access_token: made.sandbox.accessToken,
    pid: process.pid,
    oauth: { client_id: expect.stringMatching(/^[0-9a-f]{24}$/), client_secret: expect.any(String) },
  });
  expect(made.sandbox.accessToken).not.toBe('');
});

test('a token expires by the sandbox clock', async () => {
  const it = await service();
  const expires_at = Date.now() + 3_600_000;
  await it.ask('/_sandbox/tokens/short', { method: 'PATCH', body: { scopes: ['account:read'], expires_at } });
  expect((await it.api('/workspaces', { token: 'short' })).status).toBe(200);
  await it.ask('/_sandbox/clock', { body: { now: expires_at } });
  const refused = await it.api('/workspaces', { token: 'short' });
  expect(refused.status).toBe(401);
  expect(refused.json).toMatchObject({ type: 'unauthorized', code: 'expired_token' });
});

test('without an active subscription only workspaces can be read', async () => {
  const it = await service({ generate: ['pages=1'] });
  const [workspace, crawl] = [await it.workspace(), await it.crawlId()];
  const subscribe = (subscription_status: string) =>
    it.ask(`/_sandbox/workspaces/${workspace}`, { method: 'PATCH', body: { subscription_status } });
  await subscribe('inactive');
  for (const path of ['/workspaces', `/workspaces/${workspace}`]) {
    expect((await it.api(path)).status, path).toBe(200);
  }
  for (const path of [
    `/workspaces/${workspace}/projects`,
    `/workspaces/${workspace}/secrets`,
    `/crawls/${crawl}`,
    `/data/crawl/${crawl}/pages/fields`,
  ]) {
    const answer = await it.api(path);
    expect(answer.status, path).toBe(403);
    expect(answer.json).toMatchObject({ type: 'forbidden', code: 'no_active_subscription' });
  }
  await subscribe('active');
  expect((await it.api(`/crawls/${crawl}`)).status).toBe(200);
});
