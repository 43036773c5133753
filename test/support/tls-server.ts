import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary.ts';

interface Identity {
  readonly key: Buffer;
  readonly cert: string;
}

/** A certificate of localhost and the hosts of shop.example that this process trusts until the test ends. */
export async function trustedIdentity(): Promise<Identity> {
  const identity = await unknownIdentity();
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, identity.cert]);
  onTestFinished(() => setDefaultCACertificates(known));
  return identity;
}

/** A certificate of localhost and the hosts of shop.example that nobody trusts. */
export async function unknownIdentity(): Promise<Identity> {
  const folder = await temporaryFolder();
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  await promisify(execFile)('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    certificate,
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost,DNS:*.shop.example,IP:127.0.0.1',
  ]);
  return { key: await readFile(key), cert: await readFile(certificate, 'utf8') };
}

/**
 * A server on this machine for one test: by HTTP/2 for who asks for it, by HTTP/1.1 alone, or with nothing as new as
 * TLS 1.2. Returns its port. Whoever speaks no TLS to it is answered over http, at the same port.
 */
export async function serveTls(
  identity: Identity,
  kind: 'http2' | 'http1' | 'old_tls',
  answer: RequestListener,
  onConnection: () => void = () => {},
): Promise<number> {
  const secure =
    kind === 'http2'
      ? createSecureServer({ ...identity, allowHTTP1: true }, answer as never)
      : createServer({ ...identity, ...(kind === 'old_tls' ? OLD_TLS : {}) }, answer);
  const plain = createPlainServer(answer);
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    onConnection();
    socket.on('error', () => {});
    socket.once('data', (first) => {
      socket.pause();
      socket.unshift(first);
      (first[0] === HANDSHAKE ? (secure as Server) : plain).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const HANDSHAKE = 22;
/** OpenSSL has TLS 1.1 and older at its lowest level of security alone. */
const OLD_TLS = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
