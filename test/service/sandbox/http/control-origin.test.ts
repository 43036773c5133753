import { expect, test } from 'vitest';
import { service, sharedService } from '../../support.ts';

const it = await sharedService({});
const port = new URL(it.sandbox.baseUrl).port;

async function statusWith(headers: Readonly<Record<string, string>>): Promise<number> {
  return (await it.ask('/_sandbox/requests', { headers, token: null })).status;
}

test('the test endpoints respond only to names of this machine', async () => {
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:9`, '[::1]:80', '127.1.2.3'])
    expect(await statusWith({ host }), host).toBe(200);
});

test('a web page with a rebound name cannot use the test endpoints', async () => {
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    '10.0.0.1',
    '0.0.0.0',
  ])
    expect(await statusWith({ host }), host).toBe(403);
  const minted = await it.ask('/_sandbox/tokens/minted', {
    method: 'PATCH',
    body: { scopes: ['account:read'] },
    headers: { host: 'evil.example' },
  });
  expect([minted.status, minted.json]).toMatchObject([403, { type: 'forbidden', code: 'foreign_origin' }]);
  expect((await it.api('/workspaces', { token: 'minted' })).status).toBe(401);
});

test('a page of another origin cannot use them either', async () => {
  for (const origin of ['https://evil.example', 'null', `http://localhost:${Number(port) + 1}`, 'file://'])
    expect(await statusWith({ origin }), origin).toBe(403);
  expect(await statusWith({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusWith({ 'sec-fetch-site': 'same-site' })).toBe(403);
  const own = `http://127.0.0.1:${port}`;
  expect(await statusWith({ origin: own, 'sec-fetch-site': 'same-origin' })).toBe(200);
  expect(await statusWith({ 'sec-fetch-site': 'none' })).toBe(200);
});

test('a fault whose pattern backtracks endlessly is removed, and the sandbox continues', async () => {
  const one = await service();
  await one.fault({ match: { path: '^([a-z0-9/]+)+$' }, kind: 'status', status: 418 });
  await one.fault({ match: { path: '/workspaces$' }, kind: 'status', status: 429 });
  const startedAt = performance.now();
  const slow = `/workspaces/${'a'.repeat(60)}!`;
  expect((await one.api(slow)).status).toBe(404);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  const second = performance.now();
  expect((await one.api(slow)).status).toBe(404);
  expect(performance.now() - second).toBeLessThan(900);
  expect((await one.api('/workspaces')).status).toBe(429);
});
