import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadSettings } from '../../../../../src/app/settings/load-settings.ts';
import { ConsoleOidcSettings } from '../../../../../src/etl/project/settings/console-settings.ts';
import { pageWith, serveSite } from '../../../../support/crawl-site.ts';
import { freePort } from '../../../../support/free-port.ts';
import { openConsole } from '../../../../support/open-console.ts';
import { rawProjectFolder } from '../../../../support/project.ts';
import { until } from '../../../../support/until.ts';

const emptyProject = async () => loadSettings(await rawProjectFolder(), {});
const started = (url: string, type = ''): string => `/start${type}?${new URLSearchParams({ url })}`;

test('an empty project offers a crawl and an account, and checks a website before crawling it', async () => {
  const site = await serveSite({ '/': { status: 302, headers: { location: '/home' } }, '/home': pageWith() });
  const { ask } = await openConsole(await emptyProject());
  const overview = await (await ask('/')).text();
  expect(overview).toContain('action="/start"');
  expect(overview).toContain('action="/connect"');
  const checked = await (await ask(started(site.origin, '.json'))).json();
  expect(checked).toEqual({
    url: site.origin,
    checks: [
      { check: 'DNS', status: 'passed', result: '127.0.0.1' },
      { check: 'Connection, TLS', status: 'passed', result: 'not encrypted' },
      { check: 'robots.txt', status: 'passed', result: 'none: everything is allowed' },
      { check: 'Redirects', status: 'passed', result: `to ${site.origin}/home` },
      { check: 'Answer', status: 'passed', result: 'status 200' },
    ],
    start_url: `${site.origin}/`,
    problem: null,
    account: null,
    is_crawling: false,
  });
  const page = await (await ask(started(site.origin))).text();
  expect(page).toContain('<form method="post" action="/start">');
  expect(page).toContain(`<input type="hidden" name="url" value="${site.origin}/">`);
});

test('a failed check shows the reason, skips later checks, and offers no crawl', async () => {
  const site = await serveSite({ '/robots.txt': 'User-agent: *\nDisallow: /', '/': pageWith() });
  const { ask } = await openConsole(await emptyProject());
  const silent = `http://127.0.0.1:${await freePort()}/`;
  for (const [url, failing, message] of [
    [silent, 'Connection, TLS', `${silent}: the connection failed`],
    [site.origin, 'robots.txt', `${site.origin}/: robots.txt blocks it for crawlhouse`],
    [
      'http://no-such-host.invalid/',
      'DNS',
      'http://no-such-host.invalid/: the host name does not exist (DNS)',
    ],
    ['two words', undefined, 'URL: the address of a website is expected, such as https://www.example.com/'],
    [
      'https://me:secret@example.com/',
      undefined,
      'URL: an address without user name and password is expected',
    ],
  ] as const) {
    const checked = await (await ask(started(url, '.json'))).json();
    const { checks } = checked as { checks: { check: string; status: string }[] };
    expect(checks.find(({ status }) => status === 'failed')?.check, url).toBe(failing);
    expect(checked, url).toMatchObject({ start_url: null, problem: { message } });
    const page = await (await ask(started(url))).text();
    expect(page, url).toContain(`name="url" value="${url}"`);
    expect(page, url).not.toContain('method="post" action="/start"');
  }
});

test('websites are checked one at a time', async () => {
  let [active, most] = [0, 0];
  const site = await serveSite({
    '/': async (_request, response) => {
      most = Math.max(most, ++active);
      await sleep(200);
      active--;
      response.end('x');
    },
  });
  const { ask } = await openConsole(await emptyProject());
  await Promise.all([1, 2, 3].map(() => ask(started(site.origin, '.json'))));
  expect([site.hits.length, most]).toEqual([3, 1]);
});

test('a website check ends when the client disconnects', async () => {
  const site = await serveSite({ '/': () => {} });
  const { ask } = await openConsole(await emptyProject());
  const leaving = new AbortController();
  ask(started(site.origin), { signal: leaving.signal }).catch(() => {});
  await until(async () => (site.hits.length > 0 ? true : undefined));
  leaving.abort();
  await until(async () => (site.requests.at(-1)?.socket.destroyed ? true : undefined), 3000);
});

test('a website check ends at its time limit', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const limited = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 60));
  onTestFinished(() => limited.mockRestore());
  const site = await serveSite({ '/': () => {} });
  const { ask } = await openConsole(await emptyProject());
  expect(await (await ask(started(site.origin, '.json'))).json()).toMatchObject({
    checks: [{}, {}, {}, { check: 'Redirects', status: 'failed' }, { status: 'not reached' }],
    problem: { message: `${site.origin}: no complete response within 30 s` },
  });
});

test('only operators check websites, and no other site can start a check', async () => {
  const site = await serveSite({ '/': pageWith() });
  const { ask, signIn } = await openConsole(await emptyProject());
  const reader = await signIn('reader', 'analyst');
  for (const path of [started(site.origin), '/connect'])
    expect((await ask(path, { cookie: reader })).status, path).toBe(403);
  const headers = { accept: 'text/html', referer: 'https://other.example/' };
  const foreign = await ask(started(site.origin), { headers });
  expect([foreign.status, await foreign.text()]).toEqual([200, expect.stringContaining(site.origin)]);
  expect(site.requests).toEqual([]);
});

test('website checks reach private addresses only if the operators own the machine', async () => {
  const site = await serveSite({ '/': pageWith() });
  const { ask, post } = await openConsole({
    ...(await emptyProject()),
    console_actions: true,
    console_url: 'https://console.example',
    console_oidc: ConsoleOidcSettings.parse({
      issuer: 'https://accounts.example',
      client_id: 'console',
      client_secret: 'secret',
    }),
  });
  expect(await (await ask('/')).text()).not.toContain('action="/connect"');
  const checked = await (await ask(started(site.origin, '.json'))).json();
  expect(checked).toMatchObject({
    checks: [{ check: 'DNS', status: 'failed' }, {}, {}, {}, {}],
    problem: { message: `${site.origin}/: its address is not on the public Internet` },
  });
  const crawled = await post('/start', { url: site.origin });
  expect([crawled.status, await crawled.text()]).toEqual([
    400,
    expect.stringContaining('its address is not on the public Internet'),
  ]);
  const account = await post('/connect', { base_url: site.origin, token: 'a-token' });
  expect([account.status, await account.text()]).toEqual([
    403,
    expect.stringContaining('only the owner of this machine can do this'),
  ]);
  expect(site.requests).toEqual([]);
});
