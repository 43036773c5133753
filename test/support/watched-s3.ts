import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server in front of an S3 server, for one test: what is asked through it. */
export interface WatchedS3 {
  readonly endpoint: string;
  /** `GET /bucket/key` */
  readonly requests: readonly string[];
}

/** The signature covers the name of the host that the client asked, so that goes on as it came. */
export async function watchedS3(upstream: string): Promise<WatchedS3> {
  const requests: string[] = [];
  const { hostname, port } = new URL(upstream);
  const server = createServer((asked, answer) => {
    const { method, url: path, headers } = asked;
    requests.push(decodeURIComponent(`${method} ${path?.replace(/\?.*/, '')}`));
    const passed = request({ hostname, port, method, path, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
