import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { errorOf } from '../../../../src/site/crawler/fetch/fetch-error.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { trustedIdentity, unknownIdentity } from '../../../support/tls-server.ts';
import { fetcherOf } from '../fetcher-of.ts';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** A certificate of localhost that an intermediate authority has signed, below one that is trusted until the test ends. */
async function chainOf() {
  const folder = await temporaryFolder();
  const at = (name: string): string => join(folder, name);
  const openssl = (...words: readonly string[]) => promisify(execFile)('openssl', words);
  await writeFile(at('ca.ext'), 'basicConstraints=critical,CA:TRUE\n');
  await writeFile(at('leaf.ext'), 'subjectAltName=DNS:localhost\n');
  await openssl(
    'req',
    '-x509',
    ...KEY,
    '-keyout',
    at('root.key'),
    '-out',
    at('root.pem'),
    '-subj',
    '/CN=root',
  );
  for (const [name, issuer, extensions] of [
    ['middle', 'root', 'ca.ext'],
    ['leaf', 'middle', 'leaf.ext'],
  ] as const) {
    await openssl(
      'req',
      ...KEY,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.csr`),
      '-subj',
      `/CN=${name}`,
    );
    await openssl(
      ...[
        'x509',
        '-req',
        '-in',
        at(`${name}.csr`),
        '-CA',
        at(`${issuer}.pem`),
        '-CAkey',
        at(`${issuer}.key`),
      ],
      ...['-CAcreateserial', '-days', '2', '-extfile', at(extensions), '-out', at(`${name}.pem`)],
    );
  }
  const text = (name: string) => readFile(at(name), 'utf8');
  return {
    key: await text('leaf.key'),
    root: await text('root.pem'),
    middle: await text('middle.pem'),
    leaf: await text('leaf.pem'),
  };
}

function trust(certificate: string): void {
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, certificate]);
  onTestFinished(() => setDefaultCACertificates(known));
}

async function serve(options: { key: string | Buffer; cert: string }): Promise<number> {
  const server = createServer(options, (_request, response) => response.end('x'));
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function fetchFrom(origin: string) {
  return (await fetcherOf(`${origin}/`, {}, true)).fetch(`${origin}/`);
}

test('a chain without its intermediate certificate is reported, and a complete one is accepted', async () => {
  const { key, root, middle, leaf } = await chainOf();
  trust(root);
  const whole = await serve({ key, cert: leaf + middle });
  expect(await fetchFrom(`https://localhost:${whole}`)).toMatchObject({ statusCode: 200 });
  const cut = await serve({ key, cert: leaf });
  expect(await fetchFrom(`https://localhost:${cut}`)).toMatchObject({ error: 'tls_incomplete_chain' });
});

test('a chain to an untrusted authority is reported', async () => {
  const { key, root, middle, leaf } = await chainOf();
  const port = await serve({ key, cert: leaf + middle + root });
  expect(await fetchFrom(`https://localhost:${port}`)).toMatchObject({ error: 'tls_untrusted' });
});

test('a certificate of another host, and a self-signed one, are reported', async () => {
  const trusted = await serve(await trustedIdentity());
  expect(await fetchFrom(`https://[::ffff:127.0.0.1]:${trusted}`)).toMatchObject({ error: 'tls_wrong_host' });
  const unknown = await serve(await unknownIdentity());
  expect(await fetchFrom(`https://localhost:${unknown}`)).toMatchObject({ error: 'tls_self_signed' });
});

test.each([
  ['CERT_HAS_EXPIRED', 'tls_expired'],
  ['CERT_NOT_YET_VALID', 'tls_not_yet_valid'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_wrong_host'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_incomplete_chain'],
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'tls_protocol'],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'tls'],
  ['CERT_REVOKED', 'tls'],
  ['EPROTO', 'tls'],
  ['ECONNRESET', 'connection'],
])('the error %s is %s', (code, name) => {
  expect(errorOf(Object.assign(new Error('x'), { code }))).toBe(name);
});

test('an HTTP/2-only host is reached by HTTP/2', async () => {
  const identity = await trustedIdentity();
  let connections = 0;
  const server = createSecureServer(identity);
  const sockets = new Set<Socket>();
  server.on('secureConnection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
  });
  server.on('stream', (stream, headers) => {
    const path = String(headers[':path']);
    if (path === '/cut') return void stream.respond({ ':status': 204 }, { endStream: true });
    stream.respond({
      ':status': 200,
      'content-type': 'text/html',
      'set-cookie': ['a=1', 'b=2'],
      link: '<x>; rel=next',
    });
    stream.end(`<p>${path} ${headers['user-agent']} ${headers.cookie ?? ''}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  const fetcher = await fetcherOf(`${origin}/`, { user_agent: 'testbot' });
  const first = await fetcher.fetch(`${origin}/a`);
  expect(first).toMatchObject({ statusCode: 200, error: null, httpVersion: '2', tlsVersion: 'TLSv1.3' });
  expect(first.headers).toEqual(
    expect.arrayContaining([
      ['content-type', 'text/html'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['link', '<x>; rel=next'],
    ]),
  );
  const more = await Promise.all(['/b', '/c', '/cut'].map((path) => fetcher.fetch(origin + path)));
  expect(more.map(({ statusCode, httpVersion }) => [statusCode, httpVersion])).toEqual([
    [200, '2'],
    [200, '2'],
    [204, '2'],
  ]);
  expect(Buffer.from(more[0]?.body ?? []).toString()).toBe(
    '<p>/b Mozilla/5.0 (compatible; testbot) a=1; b=2',
  );
  const big = await fetcher.fetch(`${origin}/d`, 5);
  expect(big).toMatchObject({ statusCode: 200, isTruncated: true });
  expect(big.body).toHaveLength(5);
  expect(connections).toBeLessThan(8);
});
