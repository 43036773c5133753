import { expect, onTestFinished, test } from 'vitest';
import { serveConsole } from '../../src/app/console/server/serve-console.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { freePort } from '../support/free-port.ts';
import { consoleWithOidc } from '../support/oidc-console.ts';
import { rawProjectFolder } from '../support/project.ts';

/** A browser: it keeps cookies by host, and follows redirects only when told to. */
class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  async open(url: string, body?: URLSearchParams): Promise<Response> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const method = body === undefined ? 'GET' : 'POST';
    const answer = await fetch(url, { method, body: body ?? null, redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return answer;
  }

  /** Where a page sends the browser. */
  async next(url: string, body?: URLSearchParams): Promise<string> {
    const answer = await this.open(url, body);
    const location = answer.headers.get('location');
    if (location === null)
      throw new Error(`${url} does not redirect: ${answer.status} ${await answer.text()}`);
    return new URL(location, url).href;
  }
}

/** Signs in at the provider, up to the address that it sends the person back to. */
async function callbackFor(browser: Browser, url: string, name: string, to = '/'): Promise<string> {
  const provider = await browser.next(`${url}/sign-in/oidc?to=${encodeURIComponent(to)}`);
  const login = await browser.next(provider);
  const resumed = await browser.next(
    login,
    new URLSearchParams({ prompt: 'login', login: name, password: 'x' }),
  );
  const consent = await browser.next(resumed);
  return await browser.next(await browser.next(consent, new URLSearchParams({ prompt: 'consent' })));
}

test('an operator and a viewer sign in, and return to the requested page', async () => {
  const { url } = await consoleWithOidc();
  const [operator, viewer] = [new Browser(), new Browser()];
  const page = await operator.open(`${url}/sign-in?to=/openapi.json`);
  expect(await page.text()).toContain('href="/sign-in/oidc?to=%2Fopenapi.json"');
  const back = await operator.next(await callbackFor(operator, url, 'ops', '/openapi.json'));
  expect(back).toBe(`${url}/openapi.json`);
  const shown = await (await operator.open(`${url}/`)).text();
  expect(shown).toContain('<span class="subject">ops@example.com</span>');
  expect(shown).toContain('href="/do"');
  await viewer.next(await callbackFor(viewer, url, 'reader'));
  const read = await (await viewer.open(`${url}/`)).text();
  expect(read).toContain('<span class="subject">reader@example.com</span>');
  expect(read).not.toContain('href="/do"');
});

test('a person without a role or with an unverified email cannot sign in', async () => {
  const { url } = await consoleWithOidc();
  for (const name of ['other', 'liar']) {
    const browser = new Browser();
    expect((await browser.open(await callbackFor(browser, url, name))).status, name).toBe(403);
    expect((await browser.open(`${url}/`)).status, name).toBe(302);
  }
});

test('a callback works once, only in its browser, and only with its state', async () => {
  const { url } = await consoleWithOidc();
  const [victim, attacker] = [new Browser(), new Browser()];
  const stolen = await callbackFor(attacker, url, 'ops');
  expect((await victim.open(stolen)).status).toBe(401);
  await victim.open(`${url}/sign-in/oidc`);
  expect((await victim.open(stolen)).status).toBe(401);
  const owner = new Browser();
  const own = await callbackFor(owner, url, 'ops');
  const changed = new URL(own);
  changed.searchParams.set('state', 'another');
  expect((await owner.open(changed.href)).status).toBe(401);
  const first = new Browser();
  const again = await callbackFor(first, url, 'ops');
  expect(await first.next(again)).toBe(`${url}/`);
  expect((await first.open(again)).status).toBe(401);
});

test('a refused consent and an unavailable provider are reported', async () => {
  const { url, issuer } = await consoleWithOidc();
  const browser = new Browser();
  const state = new URL(await browser.next(`${url}/sign-in/oidc`)).searchParams.get('state');
  const refused = `${url}/sign-in/callback?error=access_denied&state=${state}&iss=${encodeURIComponent(issuer)}`;
  expect((await browser.open(refused)).status).toBe(401);
  const settings = await loadSettings(await rawProjectFolder(), {
    CRAWLHOUSE_CONSOLE_URL: 'http://127.0.0.1:1',
    CRAWLHOUSE_CONSOLE_OIDC_ISSUER: `http://127.0.0.1:${await freePort()}`,
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_ID: 'console',
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_SECRET: 'secret-of-the-console',
  });
  const served = await serveConsole(settings, '127.0.0.1:0', silentLogger, new AbortController().signal);
  onTestFinished(() => served[Symbol.asyncDispose]());
  expect((await browser.open(`${served.url}/sign-in/oidc`)).status).toBe(502);
});

test('a provider that fails during sign-in is named as the reason', async () => {
  const { url, stopProvider } = await consoleWithOidc();
  const browser = new Browser();
  const callback = await callbackFor(browser, url, 'ops');
  stopProvider();
  const answer = await browser.open(callback);
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('does not respond')]);
});
