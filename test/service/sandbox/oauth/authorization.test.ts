import { expect, test } from 'vitest';
import { sharedService } from '../../support.ts';
import { BACK, browse, consent, keyOf, pageUrl } from './consent.ts';

const it = await sharedService({});

test('the page lists the scopes by name, escaped, and can be neither framed nor cached', async () => {
  const { client_id } = it.sandbox.ready.oauth;
  await it.ask(`/_sandbox/oauth_clients/${client_id}`, {
    method: 'PATCH',
    body: { name: '<script>alert("x")</script> & sons' },
  });
  const query = { scope: 'project:read account:read', redirect_uri: 'http://127.0.0.1:9/?q="><b>' };
  const page = await browse(pageUrl(it, query));
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['cache-control']).toBe('no-store');
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(page.text).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; sons');
  expect(page.text).not.toContain('<script>');
  expect(page.text).not.toContain('"><b>');
  const offered = [...page.text.matchAll(/name="scope" value="([^"]+)"/g)].map((match) => match[1]);
  expect(offered).toEqual(['account:read', 'projects:read']);
});

test('consent redirects with a code and the state, next to the existing parameters', async () => {
  const back = await consent(it, { state: 'a&b=c' });
  expect(`${back.origin}${back.pathname}`).toBe('http://127.0.0.1:9/callback');
  expect([...back.searchParams.keys()]).toEqual(['from', 'code', 'state']);
  expect(back.searchParams.get('state')).toBe('a&b=c');
});

test('a refusal, or consent to nothing, redirects with access_denied', async () => {
  for (const answer of [
    [
      ['decision', 'deny'],
      ['scope', 'projects:read'],
    ],
    [['decision', 'allow']],
    [
      ['decision', 'allow'],
      ['scope', 'projects:write'],
    ],
  ] as const) {
    const key = keyOf((await browse(pageUrl(it, { state: 's', scope: 'project:read' }))).text);
    const { status, back } = await browse(`${it.sandbox.baseUrl}/oauth/authorize`, [
      ['request', key],
      ...answer,
    ]);
    expect(status).toBe(303);
    expect(back?.searchParams.get('error')).toBe('access_denied');
    expect(back?.searchParams.get('state')).toBe('s');
    expect(back?.searchParams.has('code')).toBe(false);
  }
});

test('a form without a page key, or with a used one, redirects nowhere', async () => {
  const url = `${it.sandbox.baseUrl}/oauth/authorize`;
  const key = keyOf((await browse(pageUrl(it))).text);
  const answer = [
    ['request', key],
    ['decision', 'deny'],
  ] as const;
  expect((await browse(url, answer)).status).toBe(303);
  for (const form of [answer, [['decision', 'allow']], [['request', 'made up']]] as const) {
    const { status, back } = await browse(url, form);
    expect(status).toBe(400);
    expect(back).toBeUndefined();
  }
});

test('the browser is not redirected to an untrusted address', async () => {
  const { client_id } = it.sandbox.ready.oauth;
  for (const query of [
    { client_id: 'unknown' },
    { client_id: '' },
    { redirect_uri: 'javascript:alert(1)' },
    { redirect_uri: '/relative' },
    { redirect_uri: 'https://app.example/back#fragment' },
  ]) {
    const { status, back, text } = await browse(pageUrl(it, query));
    expect(status, JSON.stringify(query)).toBe(400);
    expect(back).toBeUndefined();
    expect(text).toContain('can’t be authorized');
  }
  const twice = await browse(`${pageUrl(it)}&redirect_uri=https://other.example/`);
  expect(twice.status).toBe(400);
  await it.ask(`/_sandbox/oauth_clients/${client_id}`, { method: 'PATCH', body: { redirect_uris: [BACK] } });
  expect((await browse(pageUrl(it, { redirect_uri: `${BACK}2` }))).status).toBe(400);
  expect((await browse(pageUrl(it))).status).toBe(200);
  // With a registered address the client_id alone will do (api-spec.md §5, step 1).
  const page = await browse(`${it.sandbox.baseUrl}/oauth/authorize?client_id=${client_id}`);
  expect(page.status).toBe(200);
  await it.ask(`/_sandbox/oauth_clients/${client_id}`, { method: 'PATCH', body: { redirect_uris: null } });
});

test('another response type, or an unknown scope, redirects with its error', async () => {
  for (const [query, error] of [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'project:read admin' }, 'invalid_scope'],
  ] as const) {
    const { status, back } = await browse(pageUrl(it, { ...query, state: 's' }));
    expect(status).toBe(302);
    expect(back?.searchParams.get('error')).toBe(error);
    expect(back?.searchParams.get('state')).toBe('s');
  }
});

test('the secret of the application is never returned', async () => {
  const { client_id, client_secret } = it.sandbox.ready.oauth;
  const patched = await it.ask(`/_sandbox/oauth_clients/${client_id}`, { method: 'PATCH', body: {} });
  expect(patched.status).toBe(200);
  expect(patched.text).not.toContain(client_secret);
});
