import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { readCrawlSettings } from '../../../../src/site/crawler/crawl-settings.ts';
import { serveProxy } from '../../../support/connect-proxy.ts';
import { crawlSite, pageWith, serveSite } from '../../../support/crawl-site.ts';
import { fetcherOf } from '../fetcher-of.ts';

const AUTH = { http_auth: { username: 'me', password: 'secret-of-ntlm', scheme: 'NTLM', realm: 'CORP' } };
const CHALLENGE = Buffer.alloc(48);
CHALLENGE.write('NTLMSSP\0', 'latin1');
CHALLENGE.writeUInt32LE(2, 8);

/** Answers requests on connections that are signed in by three messages; `test/integration/ntlm.test.ts` has a real server. */
function guarded(page: string, headers: Readonly<Record<string, string>> = {}) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const state = states.get(request.socket) ?? 0;
    const kind = Buffer.from(request.headers.authorization?.replace(/^NTLM /, '') ?? '', 'base64').at(8) ?? 0;
    if (state === 1 && kind !== 3) states.set(request.socket, -1);
    else if (kind > 0) states.set(request.socket, kind);
    if (states.get(request.socket) === 3) {
      response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(page);
      return;
    }
    const offer = kind === 1 ? `NTLM ${CHALLENGE.toString('base64')}` : 'Negotiate, NTLM';
    response.writeHead(401, { 'www-authenticate': offer }).end('who?');
  };
}
const states = new WeakMap<Socket, number>();

test('concurrent requests authenticate one after another, on one connection', async () => {
  const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
  const close = { connection: 'close' };
  const site = await serveSite({
    '/': guarded(pageWith(...paths)),
    ...Object.fromEntries(paths.map((path) => [path, guarded(path, path === '/7' ? close : {})])),
  });
  const crawled = await crawlSite(site, AUTH);
  expect(new Set(Object.values(await crawled.field('status_code')))).toEqual(new Set([200]));
  const signIns = site.requests.filter(({ headers }) => headers.authorization !== undefined);
  expect(signIns).toHaveLength(4);
});

test('other origins and servers without NTLM get no credentials', async () => {
  const inside = await serveSite({ '/': guarded('secret') });
  const site = await serveSite({ '/': { status: 401, headers: { 'www-authenticate': 'Basic' } } });
  const fetcher = await fetcherOf(`${site.origin}/`, AUTH, true);
  expect(await fetcher.fetch(`http://inside.example:${inside.port}/`)).toMatchObject({ statusCode: 401 });
  expect(await fetcher.fetch(`${site.origin}/`)).toMatchObject({ statusCode: 401 });
  for (const { headers } of [...inside.requests, ...site.requests])
    expect(headers.authorization).toBeUndefined();
});

test('NTLM needs proxy tunnels, also to an http port', async () => {
  const site = await serveSite({ '/': guarded('x') });
  const config = { ...AUTH, use_proxy: true };
  const open = await crawlSite(site, config, { proxy: await serveProxy({}) });
  expect(await open.field('status_code')).toEqual({ '/': 200 });
  const closed = await serveProxy({ forwards: true, status: () => 403 });
  const refused = await crawlSite(site, config, { proxy: closed });
  expect(await refused.field('fetch_error')).toEqual({
    '/': `proxy: the proxy opens no connection to 127.0.0.1:${site.port} (status 403)`,
  });
  expect(closed.asked.filter((one) => !one.startsWith('CONNECT'))).toEqual([]);
});

test.each([
  [{ username: 'me', realm: 'CORP' }, 'me', 'CORP'],
  [{ username: 'CORP\\me' }, 'me', 'CORP'],
  [{ username: 'OLD\\me', realm: 'CORP' }, 'me', 'CORP'],
  [{ username: 'me@corp.example' }, 'me@corp.example', ''],
])('the domain is the realm, or precedes the name: %j', (given, username, domain) => {
  const http_auth = { password: 'secret-of-ntlm', scheme: 'NTLM', ...given };
  const config = { name: 'x', start_url: 'https://site.example/', user_agent: 'x', max_speed: 1, http_auth };
  expect(readCrawlSettings(config).auth).toMatchObject({ username, domain });
});
