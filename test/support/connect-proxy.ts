import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

interface ProxyRules {
  /** What `proxy-authorization` has to be. */
  readonly authorization?: string;
  /** The status of CONNECT to a target; 200 opens the tunnel. */
  readonly status?: (target: string) => number;
  /** The answer to what is not CONNECT is as of a proxy that forwards; else 405. */
  readonly forwards?: boolean;
}

interface TestProxy {
  readonly url: string;
  /** Each tunnel that was asked for, and each URL that was to be forwarded. */
  readonly asked: string[];
}

/** A proxy of HTTP on this machine for one test. */
export async function serveProxy(rules: ProxyRules = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
  };
  const isKnown = (given: string | undefined): boolean =>
    rules.authorization === undefined || given === rules.authorization;
  const server = createServer((incoming, response): void => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const { 'proxy-authorization': given, ...headers } = incoming.headers;
    if (!isKnown(given)) return void response.writeHead(407).end('no');
    if (!rules.forwards) return void response.writeHead(405).end('no');
    const passed = request(`${incoming.url}`, { headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    passed.on('error', () => response.writeHead(502).end());
    incoming.pipe(passed);
  });
  server.on('connection', keep);
  server.on('connect', (incoming, stream): void => {
    const socket = stream as Socket;
    const target = `${incoming.url}`;
    asked.push(`CONNECT ${target}`);
    const status = isKnown(incoming.headers['proxy-authorization']) ? (rules.status?.(target) ?? 200) : 407;
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) }, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    keep(upstream);
    upstream.once('error', () => socket.end('HTTP/1.1 502 No\r\n\r\n'));
    socket.once('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
