import { expect, onTestFinished, test } from 'vitest';
import {
  authorizationUrl,
  exchangeCode,
  type OAuthTokens,
  refreshTokens,
} from '../../../src/client/http/oauth.ts';
import { type OAuthSourceOptions, OAuthTokenSource } from '../../../src/client/http/oauth-token-source.ts';
import { ServiceClient } from '../../../src/client/http/service-client.ts';
import { redact } from '../../../src/core/secrets/redact.ts';
import { applicationOf, BACK, browse, codeFor, keyOf } from '../../service/sandbox/oauth/consent.ts';
import { type Service, service } from '../../service/support.ts';
import { sendJson, testService } from '../test-service.ts';

const HOUR = 3_600_000;

async function tokensOf(it: Service): Promise<OAuthTokens> {
  return exchangeCode(applicationOf(it), await codeFor(it), BACK);
}

/** A client by OAuth2 on a sandbox, and all tokens that it was given. */
function clientOf(it: Service, tokens: OAuthTokens, more: Partial<OAuthSourceOptions> = {}) {
  const given: OAuthTokens[] = [];
  const source = new OAuthTokenSource({
    ...applicationOf(it),
    tokens,
    onTokens: (fresh) => void given.push(fresh),
    ...more,
  });
  const client = new ServiceClient({ baseUrl: it.sandbox.baseUrl, accessToken: source });
  onTestFinished(() => client[Symbol.asyncDispose]());
  return { client, given };
}

const setClock = (it: Service, now: number) => it.ask('/_sandbox/clock', { body: { now } });

test('the whole sign-in works: page, consent, code, tokens, request', async () => {
  const it = await service({ generate: ['pages=1'] });
  const url = authorizationUrl(applicationOf(it), {
    redirectUri: BACK,
    scopes: ['account:read', 'projects:read'],
    state: 'of this test',
  });
  expect(new URL(url).searchParams.get('scope')).toBe('account:read project:read');
  const page = await browse(url);
  const { back } = await browse(`${it.sandbox.baseUrl}/oauth/authorize`, [
    ['request', keyOf(page.text)],
    ['decision', 'allow'],
    ['scope', 'account:read'],
  ]);
  expect(back?.searchParams.get('state')).toBe('of this test');
  const tokens = await exchangeCode(applicationOf(it), String(back?.searchParams.get('code')), BACK);
  // Not what was asked for: what was granted.
  expect(tokens.scopes).toEqual(['account:read']);
  const { client } = clientOf(it, tokens);
  expect((await Array.fromAsync(client.list('workspaces', {}))).length).toBe(1);
  await expect(client.call('crawl', { crawl_id: await it.crawlId() })).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test('a refresh token alone suffices, and the new one is handed over before the first request', async () => {
  const it = await service();
  const first = await tokensOf(it);
  const { client, given } = clientOf(it, { refreshToken: first.refreshToken });
  await Array.fromAsync(client.list('workspaces', {}));
  expect(given).toHaveLength(1);
  expect(given[0]?.refreshToken).not.toBe(first.refreshToken);
  expect(given[0]?.usableUntil).toBeGreaterThan(Date.now() + HOUR * 0.9);
  expect(given[0]?.usableUntil).toBeLessThanOrEqual(Date.now() + HOUR - 60_000);
});

test('a token is refreshed before it expires', async () => {
  const it = await service();
  let now = Date.now();
  const { client, given } = clientOf(it, await tokensOf(it), { now: () => now });
  await Array.fromAsync(client.list('workspaces', {}));
  expect(given).toHaveLength(0);
  now += HOUR - 30_000;
  await Array.fromAsync(client.list('workspaces', {}));
  expect(given).toHaveLength(1);
  const log = JSON.parse((await it.ask('/_sandbox/requests')).text) as { status: number }[];
  expect(log.map(({ status }) => status)).toEqual([200, 200]);
});

test('many requests with an expired token cause one refresh, and all are answered', async () => {
  const it = await service({ generate: ['pages=1'] });
  const crawl = await it.crawlId();
  const { client, given } = clientOf(it, await tokensOf(it));
  await setClock(it, Date.now() + 2 * HOUR);
  const crawls = await Promise.all(
    Array.from({ length: 25 }, () => client.call('crawl', { crawl_id: crawl })),
  );
  expect(crawls.every(({ id }) => id === crawl)).toBe(true);
  expect(given).toHaveLength(1);
});

test('a non-repeatable request is sent again after a 401, because the service did nothing', async () => {
  const seen: string[] = [];
  const it = await testService((request, response) => {
    seen.push(`${request.path} ${request.headers.authorization ?? ''}`.trim());
    if (request.path === '/oauth/token')
      return sendJson(response, 200, { access_token: 'second', expires_in: 3600, token_type: 'Bearer' });
    if (request.headers.authorization !== 'Bearer second')
      return sendJson(response, 401, { type: 'unauthorized' });
    return sendJson(response, 200, { project: { id: 'p', name: 'n', start_url: 'https://n.example/' } });
  });
  const application = { baseUrl: it.baseUrl, clientId: 'c', clientSecret: 'secret' };
  const tokens = { accessToken: 'first', refreshToken: 'the-refresh' };
  await using client = new ServiceClient({
    baseUrl: it.baseUrl,
    accessToken: new OAuthTokenSource({ ...application, tokens }),
  });
  await client.call('createProject', { body: { project: { name: 'n', start_url: 'https://n.example/' } } });
  expect(seen).toEqual(['/api/v2/projects Bearer first', '/oauth/token', '/api/v2/projects Bearer second']);
});

test('a 401 after the refresh is final', async () => {
  let refreshes = 0;
  const it = await testService((request, response) => {
    if (request.path !== '/oauth/token') return sendJson(response, 401, { type: 'unauthorized' });
    refreshes += 1;
    sendJson(response, 200, { access_token: `token-${refreshes}`, expires_in: 3600 });
  });
  const application = { baseUrl: it.baseUrl, clientId: 'c', clientSecret: 'secret' };
  await using client = new ServiceClient({
    baseUrl: it.baseUrl,
    accessToken: new OAuthTokenSource({ ...application, tokens: { refreshToken: 'the-refresh' } }),
  });
  await expect(client.call('crawl', { crawl_id: 'x' })).rejects.toMatchObject({ code: 'unauthorized' });
  expect(refreshes).toBe(2);
});

test('a refused refresh token ends as unauthorized with a hint, without secrets', async () => {
  const it = await service();
  const { client } = clientOf(it, { refreshToken: 'a-refresh-token-made-up' });
  const error = await Array.fromAsync(client.list('workspaces', {})).then(
    () => undefined,
    (thrown: unknown) => thrown as Error & { code: string; hint: string },
  );
  expect(error).toMatchObject({ code: 'unauthorized', hint: expect.stringContaining('new authorization') });
  expect(`${error?.message} ${error?.hint}`).not.toContain('made-up');
  expect(redact('a-refresh-token-made-up')).toBe('[redacted]');
});

test('a temporarily failing token endpoint is retried', async () => {
  const it = await testService((_request, response, count) => {
    if (count === 1) return void response.socket?.destroy();
    if (count === 2) return sendJson(response, 503, {}, { 'retry-after': '0' });
    sendJson(response, 200, { access_token: 'token', refresh_token: 'next', expires_in: 10 });
  });
  const application = { baseUrl: it.baseUrl, clientId: 'c', clientSecret: 'secret' };
  const retry = { attempts: 3, baseMs: 1, maxMs: 5 };
  const before = Date.now();
  const tokens = await refreshTokens({ ...application, retry }, 'the-refresh');
  expect(tokens).toMatchObject({ accessToken: 'token', refreshToken: 'next' });
  // A tenth of a short life is left.
  expect(tokens.usableUntil).toBeGreaterThanOrEqual(before + 9000);
  expect(tokens.usableUntil).toBeLessThanOrEqual(Date.now() + 9000);
  expect(it.seen[2]?.body).toBe(
    'grant_type=refresh_token&refresh_token=the-refresh&client_id=c&client_secret=secret',
  );
});

test('a code is sent only once', async () => {
  const it = await testService((_request, response) => sendJson(response, 503, {}));
  const application = { baseUrl: it.baseUrl, clientId: 'c', clientSecret: 'secret' };
  await expect(exchangeCode(application, 'the-code', BACK)).rejects.toMatchObject({
    code: 'service_unavailable',
  });
  expect(it.seen).toHaveLength(1);
});

test('newer tokens stored by another process are used, spent tokens dropped', async () => {
  const it = await service();
  let stored: OAuthTokens | undefined;
  const first = await tokensOf(it);
  const share = {
    storedTokens: async () => stored,
    onTokens: (fresh: OAuthTokens) => {
      stored = fresh;
    },
  };
  const one = clientOf(it, { refreshToken: first.refreshToken }, share);
  const other = clientOf(it, { refreshToken: first.refreshToken }, share);
  await Array.fromAsync(one.client.list('workspaces', {}));
  const after = stored;
  // Its refresh token is spent; what the first client stored is used, without a refresh.
  await Array.fromAsync(other.client.list('workspaces', {}));
  expect(stored).toBe(after);
});

test('tokens stored by another process are read before a refresh', async () => {
  const it = await testService((_request, response) => sendJson(response, 500, {}));
  const stored = { accessToken: 'from-the-other', refreshToken: 'next-refresh' };
  const source = new OAuthTokenSource({
    baseUrl: it.baseUrl,
    clientId: 'c',
    clientSecret: 'secret',
    tokens: { refreshToken: 'the-refresh' },
    storedTokens: async () => stored,
  });
  expect(await source.token()).toBe('from-the-other');
  expect(it.seen).toEqual([]);
});

test('tokens that cannot be written are used, reported, and written as soon as possible', async () => {
  const it = await service();
  let now = Date.now();
  let isFull = true;
  const first = { refreshToken: (await tokensOf(it)).refreshToken };
  // The disk has the spent ones of before.
  let stored: OAuthTokens = first;
  const told: string[] = [];
  const { client } = clientOf(it, first, {
    now: () => now,
    storedTokens: async () => stored,
    onTokens: (fresh) => {
      if (isFull)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      stored = fresh;
    },
    onUnwritten: ({ message }) => told.push(message),
  });
  await Array.fromAsync(client.list('workspaces', {}));
  now += 2 * HOUR;
  await Array.fromAsync(client.list('workspaces', {}));
  expect(told).toEqual([
    expect.stringContaining('cannot be written: ENOSPC: no space left on device, write'),
  ]);
  expect(await client.keepTokens()).toMatchObject({
    code: 'disk',
    hint: expect.stringContaining('sign in again'),
  });
  isFull = false;
  expect(await client.keepTokens()).toBeNull();
  // Another process goes on with what is on the disk by then.
  const next = clientOf(it, stored, { now: () => now + 2 * HOUR });
  await expect(Array.fromAsync(next.client.list('workspaces', {}))).resolves.toHaveLength(1);
});

test('a caller that stops waiting for a refresh does not end it for other callers', async () => {
  const it = await service();
  const source = new OAuthTokenSource({
    ...applicationOf(it),
    tokens: { refreshToken: (await tokensOf(it)).refreshToken },
  });
  const aborted = new AbortController();
  const gone = source.token(aborted.signal);
  const waiting = source.token();
  aborted.abort();
  await expect(gone).rejects.toThrow('aborted');
  await expect(waiting).resolves.toMatch(/^sandbox-access-/);
});

test('an HTML page from the token endpoint is reported, without its text', async () => {
  const it = await testService((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<html>'),
  );
  const application = { baseUrl: it.baseUrl, clientId: 'c', clientSecret: 'secret' };
  await expect(refreshTokens(application, 'the-refresh')).rejects.toMatchObject({
    code: 'contract_broken',
    message: expect.stringContaining('endpoint answered text/html outside its contract'),
    hint: expect.stringContaining('check base_url'),
  });
});

test('an endless response of the token endpoint is not read to its end', async () => {
  let taken = 0;
  const it = await testService((_request, response) => {
    const piece = Buffer.alloc(64_000, ' ');
    const push = (): void => {
      while (taken < 300e6) {
        taken += piece.length;
        if (!response.write(piece)) return void response.once('drain', push);
      }
      response.end();
    };
    push();
  });
  const retry = { attempts: 1, baseMs: 1, maxMs: 1 };
  const application = { baseUrl: it.baseUrl, clientId: 'c', clientSecret: 'secret', retry };
  await expect(refreshTokens(application, 'the-refresh')).rejects.toMatchObject({
    code: 'connection',
    // Other tests have kept the word `token` as a secret.
    message: expect.stringMatching(/^the \S+ endpoint's answer is larger than 1048576 bytes$/),
  });
  expect(taken).toBeLessThan(50e6);
});
