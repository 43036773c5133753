import { expect, onTestFinished, test, vi } from 'vitest';
import { openConsoleDatabase } from '../../../../src/app/console/access/console-database.ts';
import { Links } from '../../../../src/app/console/access/links.ts';
import { Sessions } from '../../../../src/app/console/access/sessions.ts';
import { serveConsole } from '../../../../src/app/console/server/serve-console.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { openConsole, sharedConsole } from '../../../support/open-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { raw } from '../../../support/raw-request.ts';
import { runs } from '../../../support/runs.ts';
import { sharedFolder, temporaryFolder } from '../../../support/temporary.ts';

const folder = sharedFolder();
const opened = async (extra: Readonly<Record<string, string>> = {}) =>
  openConsole(await loadSettings(await rawProjectFolder(), extra));

/** For tests that leave it as it was. */
const shared = sharedConsole(async () => loadSettings(await rawProjectFolder(folder), {}));

/** The token of the forms of whoever is signed in. */
async function tokenOf(ask: Awaited<ReturnType<typeof opened>>['ask']): Promise<string> {
  return /name="csrf" value="([\w-]+)"/.exec(await (await ask('/')).text())?.[1] ?? '';
}

test('a foreign host name bound to this address is refused', async () => {
  const { url } = shared();
  const { host, port } = new URL(url);
  const headers = { 'content-security-policy': expect.stringContaining("default-src 'none'") };
  for (const name of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1.evil.example:${port}`])
    expect(await raw(`${url}/sign-in`, 'GET', { host: name }), name).toMatchObject({ status: 421, headers });
  for (const name of [host, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])
    expect((await raw(`${url}/sign-in`, 'GET', { host: name })).status, name).toBe(200);
});

test('a cross-site form is refused, whatever it contains', async () => {
  const { ask, url } = await opened();
  const body = new URLSearchParams({ csrf: await tokenOf(ask) });
  const post = async (headers: Readonly<Record<string, string>>) =>
    (await ask('/sign-out', { method: 'POST', body, headers })).status;
  expect(await post({ origin: 'https://evil.example' })).toBe(403);
  expect(await post({ origin: 'null' })).toBe(403);
  expect(await post({ origin: 'http://localhost:1' })).toBe(403);
  expect(await post({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await post({ 'sec-fetch-site': 'same-site', origin: url })).toBe(403);
  expect((await ask('/')).status).toBe(200);
  expect(await post({ 'sec-fetch-site': 'same-origin', origin: url })).toBe(303);
});

test('a form without the session token changes nothing; with it, sign-out ends the session', async () => {
  const { ask } = await opened();
  const csrf = await tokenOf(ask);
  for (const given of ['', 'x', `${csrf.slice(0, -1)}!`, `${csrf}x`]) {
    const body = new URLSearchParams({ csrf: given });
    expect((await ask('/sign-out', { method: 'POST', body })).status, given).toBe(403);
  }
  expect((await ask('/sign-out', { method: 'POST' })).status).toBe(403);
  expect((await ask('/')).status).toBe(200);
  const out = await ask('/sign-out', { method: 'POST', body: new URLSearchParams({ csrf }) });
  expect([out.status, out.headers.get('location')]).toEqual([303, '/sign-in']);
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await ask('/')).status).toBe(302);
  const stranger = await ask('/sign-out', { method: 'POST', cookie: '' });
  expect(stranger.status).toBe(401);
});

test('the session cookie is inaccessible to scripts and other sites', async () => {
  const { newLink, url } = shared();
  const cookie = (await fetch(newLink(), { redirect: 'manual' })).headers.get('set-cookie');
  const { port } = new URL(url);
  expect(cookie).toMatch(
    new RegExp(`^crawlhouse-session-${port}=[\\w-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax$`),
  );
});

test('over TLS, the cookie is limited to this host, and a plain HTTP cookie is not accepted', async () => {
  const { newLink, url } = await opened({ CRAWLHOUSE_CONSOLE_URL: 'https://console.example/' });
  const host = 'console.example';
  const signedIn = await raw(newLink(), 'GET', { host });
  const [cookie = ''] = (signedIn.headers as { 'set-cookie'?: string[] })['set-cookie'] ?? [];
  expect(cookie).toMatch(/^__Host-crawlhouse-session=[\w-]{43}; .*; SameSite=Lax; Secure$/);
  const [pair = ''] = cookie.split(';');
  const plain = pair.replace('__Host-crawlhouse-session', `crawlhouse-session-${new URL(url).port}`);
  expect((await raw(`${url}/`, 'GET', { host, cookie: pair })).status).toBe(200);
  expect((await raw(`${url}/`, 'GET', { host, cookie: plain })).status).toBe(302);
});

test('a sign-in link works once, for ten minutes, and each new link is different', async () => {
  const { newLink } = await opened();
  const status = async (link: string) => (await fetch(link, { redirect: 'manual' })).status;
  const link = newLink();
  expect(await status(link)).toBe(303);
  expect(await status(link)).toBe(401);
  const late = newLink();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  expect(await status(late)).toBe(401);
  expect(await status(newLink())).toBe(303);
});

test('another process of the project can create a link to the running console', async () => {
  const settings = await loadSettings(await rawProjectFolder(), {});
  const other = openConsoleDatabase(settings.state_dir);
  onTestFinished(() => other.close());
  const links = new Links(other, Date.now);
  expect(links.announced()).toBeNull();
  const served = await serveConsole(settings, '127.0.0.1:0', silentLogger, new AbortController().signal);
  expect(links.announced()).toEqual({ url: served.url, takesLinks: true });
  expect((await fetch(links.make(served.url), { redirect: 'manual' })).status).toBe(303);
  const second = await serveConsole(settings, '127.0.0.1:0', silentLogger, new AbortController().signal);
  expect(links.announced()?.url).toBe(second.url);
  await second[Symbol.asyncDispose]();
  expect(links.announced()?.url).toBe(served.url);
  await served[Symbol.asyncDispose]();
  expect(links.announced()).toBeNull();
});

test('a session ends after 12 hours', async () => {
  const { ask } = await opened();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12 * 3_600_000 - 30_000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  expect((await ask('/')).status).toBe(200);
  vi.setSystemTime(Date.now() + 60_000);
  expect((await ask('/')).status).toBe(302);
});

test('sessions with the roles of an older console end, and others stay', async () => {
  const state = await temporaryFolder();
  const database = openConsoleDatabase(state);
  onTestFinished(() => database.close());
  const sessions = new Sessions(database, Date.now);
  const kept = [sessions.begin('ops', 'operator'), sessions.begin('local', 'owner')];
  const ended = [sessions.begin('local', 'operator'), sessions.begin('grace', 'viewer')];
  database.exec("UPDATE sessions SET role = 'reader' WHERE subject = 'grace'");
  openConsoleDatabase(state).close();
  // An older console that still runs may write its role later.
  const later = sessions.begin('grace', 'viewer');
  database.exec("UPDATE sessions SET role = 'reader' WHERE subject = 'grace'");
  expect(sessions.find(later)).toBe(null);
  expect([...kept, ...ended].map((key) => sessions.find(key)?.role ?? null)).toEqual([
    'operator',
    'owner',
    null,
    null,
  ]);
});

test('neither session keys nor link keys are stored in the file', async () => {
  const settings = await loadSettings(await rawProjectFolder(), {});
  const { newLink, ask } = await openConsole(settings);
  const link = newLink();
  await ask('/');
  const database = openConsoleDatabase(settings.state_dir);
  onTestFinished(() => database.close());
  const all = JSON.stringify([
    database.prepare('SELECT * FROM links').all(),
    database.prepare('SELECT key_sha256 FROM sessions').all(),
  ]);
  expect(all).toMatch(/[0-9a-f]{64}.*[0-9a-f]{64}/);
  expect(all).not.toContain(new URL(link).searchParams.get('key'));
});

test('after sign-in, the browser returns to the requested page, and never to another site', async () => {
  const { ask, newLink } = shared();
  const away = await ask('/runs?page=2', { cookie: '' });
  expect([away.status, away.headers.get('location')]).toEqual([302, '/sign-in?to=%2Fruns%3Fpage%3D2']);
  const back = async (to: string) => {
    const body = new URLSearchParams({ key: newLink(), to });
    return (await ask('/sign-in', { method: 'POST', cookie: '', body })).headers.get('location');
  };
  expect(await back('/runs?page=2')).toBe('/runs?page=2');
  expect(await back('//evil.example/')).toBe('/');
  expect(await back('/.//evil.example/')).toBe('/');
});

test('the eleventh failed sign-in within a minute is delayed, a valid link never', async () => {
  const { url, newLink } = await opened();
  const status = async (link: string) => (await fetch(link, { redirect: 'manual' })).status;
  for (let n = 0; n < 10; n += 1) expect(await status(`${url}/sign-in?key=${n}`)).toBe(401);
  const late = await fetch(`${url}/sign-in?key=late`, { redirect: 'manual' });
  expect(late.status).toBe(429);
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await status(`${url}/sign-in`)).toBe(200);
  for (let n = 0; n < 12; n += 1) expect(await status(newLink())).toBe(303);
  for (let n = 0; n < runs(650); n += 50)
    await Promise.all(Array.from({ length: 50 }, () => status(`${url}/sign-in?key=flood`)));
  expect(await status(newLink())).toBe(303);
});

test('cross-site images and frames are refused before they count', async () => {
  const { url, newLink } = await opened();
  const get = async (link: string, headers: Record<string, string>) =>
    (await raw(link, 'GET', headers)).status;
  for (const dest of ['image', 'script', 'iframe', 'empty', 'style'])
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-dest': dest, 'sec-fetch-mode': 'no-cors' };
      for (const mode of dest === 'iframe' ? ['navigate'] : ['no-cors', 'cors'])
        for (let n = 0; n < 12; n += 1)
          expect(await get(`${url}/sign-in?key=${n}`, { ...headers, 'sec-fetch-mode': mode })).toBe(403);
      expect(await get(newLink(), headers)).toBe(403);
    }
  expect(await get(`${url}/sign-in?key=first`, {})).toBe(401);
  const clicked = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  expect(await get(newLink(), clicked)).toBe(303);
});

test('no page of another site can frame the console', async () => {
  const { ask } = shared();
  for (const path of [
    '/',
    '/sign-in',
    '/runs',
    '/index.json',
    '/nothing',
    '/assets/console.css',
    '/ask',
    '/do',
  ])
    for (const cookie of [undefined, '']) {
      const { headers } = await ask(path, cookie === undefined ? {} : { cookie });
      expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'");
      expect(headers.get('cross-origin-resource-policy'), path).toBe('same-origin');
    }
});

test('a person has 600 requests per minute over all sessions, independent of other people', async () => {
  const { ask, signIn } = await opened();
  const cookies = await Promise.all(Array.from({ length: 4 }, () => signIn('ada@example.com')));
  for (let n = 0; n < 600; n += 50)
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) =>
        (await ask('/nothing', { cookie: cookies[i % 4] ?? '' })).arrayBuffer(),
      ),
    );
  const late = await ask('/index.json', { cookie: cookies[0] ?? '' });
  expect([late.status, Number(late.headers.get('retry-after'))]).toEqual([429, expect.closeTo(30, -2)]);
  expect((await ask('/', { cookie: await signIn('bob@example.com') })).status).toBe(200);
});

test('a body that is too large or of another type is refused', async () => {
  const { ask, url } = shared();
  const csrf = await tokenOf(ask);
  const large = new URLSearchParams({ csrf, key: 'x'.repeat(1_000_001) });
  expect((await ask('/sign-out', { method: 'POST', body: large })).status).toBe(413);
  const headers = { 'content-type': 'application/json' };
  expect((await ask('/sign-out', { method: 'POST', headers, body: JSON.stringify({ csrf }) })).status).toBe(
    415,
  );
  const broken = await raw(`${url}/%zz`, 'GET', {});
  expect(broken).toMatchObject({ status: 400, headers: { 'x-content-type-options': 'nosniff' } });
  expect((await ask('/')).status).toBe(200);
});

test('a console that other machines reach needs OIDC, and OIDC needs its address', async () => {
  const listen = async (address: string, extra: Readonly<Record<string, string>>) => {
    const settings = await loadSettings(await rawProjectFolder(), extra);
    return serveConsole(settings, address, silentLogger, new AbortController().signal);
  };
  await expect(listen('0.0.0.0:0', {})).rejects.toMatchObject({
    code: 'bad_settings',
    hint: expect.stringContaining('console_oidc'),
  });
  const oidc = {
    CRAWLHOUSE_CONSOLE_OIDC_ISSUER: 'https://accounts.example',
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_ID: 'console',
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_SECRET: 'secret-of-the-console',
  };
  await expect(listen('0.0.0.0:0', oidc)).rejects.toMatchObject({
    code: 'bad_settings',
    hint: expect.stringContaining('console_url'),
  });
});
