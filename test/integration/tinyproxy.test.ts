import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { crawlSite, pageWith, serveSite } from '../support/crawl-site.ts';
import { unpackedPackage } from '../support/debian-packages.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveTls, trustedIdentity } from '../support/tls-server.ts';
import { until } from '../support/until.ts';

/** Debian's tinyproxy, which knows one user, and opens tunnels to these ports alone. */
async function tinyproxy({ skip }: TestContext, ports: readonly number[]) {
  const unpacked = await unpackedPackage('tinyproxy-bin').catch((error: Error) => skip(error.message));
  const folder = await temporaryFolder();
  const port = await freePort();
  const [file, log] = [join(folder, 'tinyproxy.conf'), join(folder, 'log')];
  const lines = ['Listen 127.0.0.1', `Port ${port}`, 'BasicAuth me secret-of-tinyproxy', `LogFile "${log}"`];
  await writeFile(
    file,
    [...lines, 'LogLevel Connect', ...ports.map((one) => `ConnectPort ${one}`)].join('\n'),
  );
  const child = spawn(join(unpacked, 'usr/bin/tinyproxy'), ['-d', '-c', file], { stdio: 'ignore' });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  });
  await until(async () => {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => undefined,
    );
    socket.destroy();
    return isOpen;
  });
  const proxy = { url: `http://127.0.0.1:${port}`, username: 'me', password: 'secret-of-tinyproxy' };
  return { proxy, log: () => readFile(log, 'utf8') };
}

const PAGES = { '/': pageWith('/a', '/gone'), '/a': pageWith('/') };
const STATUSES = { '/': 200, '/a': 200, '/gone': 404 };

test('http uses tinyproxy tunnels where they are allowed, else forwarding', async (context) => {
  const site = await serveSite(PAGES);
  for (const ports of [[site.port], [443]]) {
    const { proxy, log } = await tinyproxy(context, ports);
    const crawled = await crawlSite(site, { use_proxy: true }, { proxy });
    expect(await crawled.field('status_code')).toEqual(STATUSES);
    expect(/GET http:\/\/127.0.0.1:\d+\/a/.test(await log())).toBe(ports[0] === 443);
  }
});

test('https uses tinyproxy, with the certificate of the site', async (context) => {
  const port = await serveTls(await trustedIdentity(), 'http2', (request, response) => {
    const page = request.url === '/' || request.url === '/a' ? PAGES[request.url] : undefined;
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(page ?? 'missing');
  });
  const { proxy, log } = await tinyproxy(context, [port]);
  const crawled = await crawlSite({ origin: `https://localhost:${port}` }, { use_proxy: true }, { proxy });
  expect(await crawled.field('status_code')).toEqual(STATUSES);
  expect(await crawled.field('offers_http2')).toMatchObject({ '/': true });
  expect(await log()).toContain(`CONNECT 127.0.0.1:${port}`);
});

test('tinyproxy refuses another password, and no site is requested', async (context) => {
  const site = await serveSite(PAGES);
  const { proxy } = await tinyproxy(context, [site.port]);
  const crawled = await crawlSite(site, { use_proxy: true }, { proxy: { ...proxy, password: 'another' } });
  expect(crawled).toMatchObject({ endReason: 'stopped_progressing', fetchedUrls: 0 });
  expect(site.requests).toEqual([]);
});
