import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Console, serveConsole } from '../../../../src/app/console/server/serve-console.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { createLogger } from '../../../../src/core/logs/logger.ts';
import { freePort } from '../../../support/free-port.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { sharedFolder } from '../../../support/temporary.ts';

const folder = sharedFolder();
const logged: string[] = [];
/** What the provider answers: the claims of a person, or a page that is not JSON. */
let claims: Readonly<Record<string, unknown>> | null = null;
let served: Console;

const provider = createServer((request, response) => {
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  response.setHeader('content-type', 'application/json');
  if (request.url === '/.well-known/openid-configuration')
    return response.end(
      JSON.stringify({
        ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
        ...{ response_types_supported: ['code'], id_token_signing_alg_values_supported: ['RS256'] },
      }),
    );
  if (claims === null) return response.setHeader('content-type', 'text/html').end('<p>maintenance');
  const now = Math.floor(Date.now() / 1000);
  const parts = [{ alg: 'RS256' }, { iss: issuer, aud: 'console', iat: now, exp: now + 60, ...claims }, {}];
  const id = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return response.end(JSON.stringify({ access_token: 'x', token_type: 'bearer', id_token: id }));
});

beforeAll(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const url = `http://127.0.0.1:${await freePort()}`;
  const settings = await loadSettings(await rawProjectFolder(folder), {
    CRAWLHOUSE_CONSOLE_URL: url,
    CRAWLHOUSE_CONSOLE_OIDC_ISSUER: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_ID: 'console',
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_SECRET: 'secret-of-the-console',
    CRAWLHOUSE_CONSOLE_OIDC_OPERATORS: 'ops@example.com',
    CRAWLHOUSE_CONSOLE_OIDC_READERS: 'reader@example.com',
  });
  const logger = createLogger('debug', (line) => void logged.push(line));
  served = await serveConsole(settings, new URL(url).host, logger, new AbortController().signal);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  provider.close();
});

const open = (path: string, headers: Readonly<Record<string, string>> = {}, init: RequestInit = {}) =>
  fetch(served.url + path, { redirect: 'manual', headers, ...init });

/** Begins a sign-in and returns from the provider, as a browser does. */
async function comeBack(given: Readonly<Record<string, unknown>> | null, to = '/runs', state?: string) {
  const begun = await open(`/sign-in/oidc?to=${encodeURIComponent(to)}`);
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
  const asked = new URL(begun.headers.get('location') ?? '').searchParams;
  claims = given && { nonce: asked.get('nonce'), ...given };
  const query = new URLSearchParams({ code: 'x', state: state ?? asked.get('state') ?? '' });
  return open(`/sign-in/callback?${query}`, { cookie });
}

const verified = (name: string) => ({ sub: name, email: `${name}@example.com`, email_verified: true });

test('the sign-in page leads to the provider and keeps the requested page', async () => {
  const page = await open('/sign-in?to=/runs');
  const text = await page.text();
  expect(text).toContain('href="/sign-in/oidc?to=%2Fruns"');
  expect(text).toContain('Sign in with 127.0.0.1:');
  const begun = await open('/sign-in/oidc?to=/runs');
  const cookie = begun.headers.get('set-cookie') ?? '';
  expect(begun.status).toBe(302);
  expect(cookie).toMatch(/Max-Age=600/);
  expect(cookie).toContain('HttpOnly');
  const asked = new URL(begun.headers.get('location') ?? '').searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({
    ...{ client_id: 'console', response_type: 'code', scope: 'openid email', code_challenge_method: 'S256' },
    redirect_uri: `${served.url}/sign-in/callback`,
  });
});

test('an operator and an analyst sign in with their role; a person without one has no access', async () => {
  for (const [name, path, status] of [
    ['ops', '/audit', 200],
    ['reader', '/audit', 403],
  ] as const) {
    const back = await comeBack(verified(name));
    expect([back.status, back.headers.get('location')], name).toEqual([303, '/runs']);
    const cookie = (back.headers.getSetCookie().at(-1) ?? '').split(';')[0] ?? '';
    expect((await open('/', { cookie })).status, name).toBe(200);
    expect((await open(path, { cookie })).status, name).toBe(status);
  }
  const stranger = await comeBack(verified('stranger'));
  expect([stranger.status, await stranger.text()]).toEqual([403, expect.stringContaining('No access')]);
  expect(logged.join('\n')).toMatch(/sign-in refused.*stranger/);
});

test('after the sign-in, no page of another site follows', async () => {
  for (const to of ['https://evil.example/', '//evil.example', '/.//evil.example', '/sign-out'])
    expect((await comeBack(verified('ops'), to)).headers.get('location'), to).toBe('/');
});

test('a sign-in that began elsewhere or belongs to another answer is refused', async () => {
  const other = await comeBack(verified('ops'), '/', 'another');
  expect([other.status, await other.text()]).toEqual([401, expect.stringContaining('Not signed in')]);
  expect(logged.at(-1)).toContain('this sign-in did not start in this browser');
  expect((await open('/sign-in/callback?code=x&state=y', { cookie: 'x=y' })).status).toBe(401);
  expect((await comeBack({ ...verified('ops'), nonce: 'another' })).status).toBe(401);
  expect((await comeBack({ ...verified('ops'), aud: 'another' })).status).toBe(401);
});

test('a provider that does not answer is reported to the person and in the log', async () => {
  const answer = await comeBack(null);
  expect([answer.status, await answer.text()]).toEqual([
    502,
    expect.stringContaining('Sign-in is not available now'),
  ]);
  expect(logged.at(-1)).toContain('the sign-in provider does not answer');
});

test('with a provider, links of this machine sign in too, also pasted; other links do not', async () => {
  const link = served.newLink();
  expect(link).not.toBeNull();
  const body = new URLSearchParams({ key: ` ${link} `, to: '/runs' });
  const pasted = await open('/sign-in', {}, { method: 'POST', body });
  expect([pasted.status, pasted.headers.get('location')]).toEqual([303, '/runs']);
  const again = await open('/sign-in', {}, { method: 'POST', body });
  expect([again.status, await again.text()]).toEqual([
    401,
    expect.stringContaining('This link was already used'),
  ]);
});

test('ten failed sign-ins within a minute are the most, with a state of the browser or without', async () => {
  const statuses = [];
  for (let index = 0; index < 12; index++) statuses.push((await open('/sign-in/callback?state=y')).status);
  expect(statuses.slice(-2)).toEqual([429, 429]);
  expect(statuses[0]).toBe(401);
  expect((await comeBack(verified('ops'))).status).toBe(303);
});
