import { expect, test } from 'vitest';
import { type Json, type Service, service, sharedService } from '../../support.ts';
import { BACK, browse, codeFor, consent } from './consent.ts';

const it = await sharedService({});

function exchange(on: Service, form: Json): Promise<{ status: number; json: Json; text: string }> {
  const { client_id, client_secret } = on.sandbox.ready.oauth;
  const body = { client_id, client_secret, grant_type: 'authorization_code', redirect_uri: BACK, ...form };
  return on.ask('/oauth/token', { token: null, body });
}

function refresh(on: Service, refresh_token: unknown): Promise<{ status: number; json: Json }> {
  return exchange(on, { grant_type: 'refresh_token', refresh_token });
}

test('a code is exchanged for tokens with the granted scopes, with OAuth2 names', async () => {
  const back = await consent(it, { scope: 'account:read project:read project:write' }, [
    'account:read',
    'projects:read',
  ]);
  const answer = await exchange(it, { code: back.searchParams.get('code') });
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    expires_in: 3600,
    token_type: 'Bearer',
    scope: 'account:read project:read',
  });
  const token = String(answer.json.access_token);
  const workspace = await it.workspace();
  expect((await it.api(`/workspaces/${workspace}/projects`, { token })).status).toBe(200);
  const refused = await it.api('/projects', { token, body: { project: {} } });
  expect(refused.json).toMatchObject({ type: 'forbidden', code: 'missing_scope' });
});

test('a form is accepted like JSON, and a repeated parameter is refused', async () => {
  const { client_id, client_secret } = it.sandbox.ready.oauth;
  const form: [string, string][] = [
    ['grant_type', 'authorization_code'],
    ['client_id', client_id],
    ['client_secret', client_secret],
    ['redirect_uri', BACK],
    ['code', await codeFor(it)],
  ];
  const url = `${it.sandbox.baseUrl}/oauth/token`;
  const twice = await browse(url, [...form, ['code', 'other']]);
  expect(twice.status).toBe(400);
  expect(JSON.parse(twice.text)).toMatchObject({
    type: 'invalid_request_parameters',
    fields: [{ name: 'code' }],
  });
  const answer = await browse(url, form);
  expect(answer.status).toBe(200);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(JSON.parse(answer.text)).toMatchObject({ token_type: 'Bearer' });
});

test('every parameter of the exchange is required', async () => {
  for (const name of ['client_id', 'client_secret', 'code', 'grant_type', 'redirect_uri']) {
    const answer = await exchange(it, { code: 'some', [name]: undefined });
    expect(answer.status, name).toBe(400);
    expect(answer.json).toMatchObject({ fields: [{ name, type: 'required' }], error: 'invalid_request' });
  }
  const other = await exchange(it, { code: 'some', grant_type: 'password' });
  expect(other.json).toMatchObject({ type: 'invalid_request', error: 'unsupported_grant_type' });
});

test('a wrong secret or an unknown application is unauthorized, and uses no code', async () => {
  const code = await codeFor(it);
  for (const wrong of [{ client_secret: 'wrong' }, { client_id: 'nobody' }]) {
    const answer = await exchange(it, { code, ...wrong });
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({
      type: 'unauthorized',
      code: 'invalid_client',
      error: 'invalid_client',
    });
  }
  expect((await exchange(it, { code })).status).toBe(200);
});

test('the redirect address must be the one that received the code', async () => {
  const code = await codeFor(it);
  const answer = await exchange(it, { code, redirect_uri: `${BACK}x` });
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ type: 'invalid_request', error: 'invalid_grant' });
});

test('a code works once; using it again revokes its tokens', async () => {
  const code = await codeFor(it);
  const first = await exchange(it, { code });
  const token = String(first.json.access_token);
  expect((await it.api('/workspaces', { token })).status).toBe(200);
  expect((await exchange(it, { code })).json).toMatchObject({ error: 'invalid_grant' });
  expect((await it.api('/workspaces', { token })).status).toBe(401);
  expect((await refresh(it, first.json.refresh_token)).json).toMatchObject({ error: 'invalid_grant' });
});

test('code and access token expire by the sandbox clock, the refresh token does not', async () => {
  const own = await service();
  const now = Date.now();
  const late = await codeFor(own);
  const tokens = (await exchange(own, { code: await codeFor(own) })).json;
  const ask = () => own.api('/workspaces', { token: String(tokens.access_token) });
  await own.ask('/_sandbox/clock', { body: { now: now + 120_000 } });
  expect((await exchange(own, { code: late })).json).toMatchObject({ error: 'invalid_grant' });
  expect((await ask()).status).toBe(200);
  await own.ask('/_sandbox/clock', { body: { now: now + 3_700_000 } });
  expect((await ask()).status).toBe(401);
  expect((await refresh(own, tokens.refresh_token)).status).toBe(200);
});

test('a refresh token can be reused only until one of the new tokens is used', async () => {
  const first = (await exchange(it, { code: await codeFor(it) })).json;
  const lost = await refresh(it, first.refresh_token);
  const second = await refresh(it, first.refresh_token);
  expect([lost.status, second.status]).toEqual([200, 200]);
  expect(second.json.refresh_token).not.toBe(first.refresh_token);
  expect((await it.api('/workspaces', { token: String(second.json.access_token) })).status).toBe(200);
  expect((await refresh(it, first.refresh_token)).json).toMatchObject({ error: 'invalid_grant' });
  const third = await refresh(it, second.json.refresh_token);
  expect(third.status).toBe(200);
  await refresh(it, third.json.refresh_token);
  expect((await refresh(it, second.json.refresh_token)).json).toMatchObject({ error: 'invalid_grant' });
});

test('a refusal repeats no secret', async () => {
  const answer = await exchange(it, { code: 'a-code-of-mine', client_secret: 'a-secret-of-mine' });
  expect(answer.text).not.toContain('of-mine');
});
