import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveConsole } from '../../../../src/app/console/server/serve-console.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { errorOf } from '../../../support/error-of.ts';
import { sharedConsole } from '../../../support/open-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { raw } from '../../../support/raw-request.ts';
import { sharedFolder } from '../../../support/temporary.ts';

const folder = sharedFolder();
const shared = sharedConsole(async () => loadSettings(await rawProjectFolder(folder), {}));

test('without a session, pages redirect to the sign-in, and JSON is refused', async () => {
  const { ask } = shared();
  const page = await ask('/', { cookie: '' });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/sign-in']);
  expect((await ask('/index.json', { cookie: '' })).status).toBe(401);
});

test('a sign-in link signs in once', async () => {
  const { ask, link } = shared();
  expect((await ask('/')).status).toBe(200);
  const again = await fetch(link, { redirect: 'manual' });
  expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null]);
});

test('every response forbids external content', async () => {
  const { ask } = shared();
  for (const path of ['/', '/index.json', '/nothing', '/assets/console.css', '/sign-in']) {
    const { headers } = await ask(path);
    expect(headers.get('content-security-policy'), path).toContain("default-src 'none'; script-src 'self'");
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
  }
});

test('an asset is compressed if the browser accepts it, and is not sent again', async () => {
  const { ask, url } = shared();
  const sent = await ask('/assets/console.css', { cookie: '' });
  const etag = sent.headers.get('etag') ?? '';
  const text = await sent.text();
  expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  expect([sent.headers.get('content-encoding'), sent.headers.get('vary')]).toEqual([
    'gzip',
    'accept-encoding',
  ]);
  const plain = await raw(`${url}/assets/console.css`, 'GET', {});
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect([plain.status, plain.text]).toEqual([200, text]);
  expect((await raw(`${url}/assets/console.css`, 'GET', { 'if-none-match': etag })).status).toBe(304);
  expect((await raw(`${url}/assets/console.css`, 'GET', { 'if-none-match': '"other"' })).status).toBe(200);
  for (const name of ['none.css', 'console.txt', '..%2Fassets%2Fconsole.css'])
    expect((await raw(`${url}/assets/${name}`, 'GET', {})).status, name).toBe(404);
});

test('the document of the interface needs a session, and an unknown page is not found', async () => {
  const { ask } = shared();
  expect(await (await ask('/openapi.json')).json()).toMatchObject({ paths: { '/index.json': {} } });
  const none = await ask('/nothing');
  expect([none.status, await none.text()]).toEqual([
    404,
    expect.stringContaining('This page does not exist.'),
  ]);
  expect(await (await ask('/nothing.json')).json()).toEqual({
    error: { code: 'usage', message: 'This page does not exist.', hint: null },
  });
});

test('before the first publication, pages with data say so', async () => {
  const { ask } = shared();
  for (const path of ['/ask/catalog.json', '/projects/p1/report'])
    expect((await ask(path)).status, path).toBe(404);
  // On a slow machine, its beginning is sent first, with the status 200.
  expect(await (await ask('/projects')).text()).toContain('This page shows data once a crawl is published');
});

test('a body that is not a form, and a request that is not HTTP, are refused', async () => {
  const { ask, url } = shared();
  const body = JSON.stringify({ key: 'x' });
  const sent = await ask('/sign-in', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  expect([sent.status, sent.headers.get('content-type')]).toEqual([415, 'text/html; charset=utf-8']);
  const odd = await raw(`${url}/%ff`, 'GET', {});
  expect([odd.status, odd.text]).toEqual([400, 'bad request\n']);
  expect(odd.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
});

test('an occupied address is an error with the command for a free port', async () => {
  const { url } = shared();
  const { host } = new URL(url);
  const settings = await loadSettings(await rawProjectFolder(), {});
  const serve = (listen?: string) =>
    errorOf(
      serveConsole(
        { ...settings, ...(listen !== undefined && { console_listen: listen }) },
        host,
        silentLogger,
        new AbortController().signal,
      ),
    );
  expect(await serve()).toMatchObject({
    code: 'bad_settings',
    hint: expect.stringMatching(/crawlhouse console --port \d+/),
  });
  expect(await serve(host)).toMatchObject({
    hint: expect.stringMatching(/CRAWLHOUSE_CONSOLE_LISTEN=\S+ crawlhouse console/),
  });
});

test('a new link is for this console, and the session of a link ends with its sign-out', async () => {
  const { newLink, url, ask, post, signIn } = shared();
  expect(newLink()).toMatch(new RegExp(`^${url}/sign-in\\?key=[\\w-]+$`));
  const cookie = await signIn();
  const out = await post('/sign-out', {}, cookie);
  expect([out.status, out.headers.get('location')]).toEqual([303, '/sign-in']);
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await ask('/', { cookie })).status).toBe(302);
  expect((await ask('/')).status).toBe(200);
  const refused = await ask('/sign-out', { method: 'POST', body: new URLSearchParams({ csrf: 'x' }) });
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('The form belongs to another session.'),
  ]);
});

test('at its start, the console removes uploaded files that nobody added for a day', async () => {
  const settings = await loadSettings(await rawProjectFolder(), {});
  const uploads = join(settings.state_dir, 'console', 'uploads');
  const [old, young] = ['0'.repeat(32), '1'.repeat(32)];
  for (const name of [old, young]) await mkdir(join(uploads, name), { recursive: true });
  const before = new Date(Date.now() - 25 * 3_600_000);
  await utimes(join(uploads, old), before, before);
  const served = await serveConsole(settings, '127.0.0.1:0', silentLogger, new AbortController().signal);
  await served[Symbol.asyncDispose]();
  expect(await readdir(uploads)).toEqual([young]);
});
