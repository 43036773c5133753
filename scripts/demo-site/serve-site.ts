import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Answer, buildSite, MISSING } from './build-site.ts';
import { readFaults } from './faults.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

export interface DemoSite extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Makes it the site that the next crawl meets. */
  change(): void;
}

/**
 * Serves the demo's site on this machine, at a free port.
 *
 * @param docs the folder of the documents that the site shows
 */
export async function serveDemoSite(docs: string = DOCS): Promise<DemoSite> {
  let answers = new Map<string, Answer>();
  const server = createServer(async (request, response) => {
    const { status, headers, body, delayMs, isHttp10 } = answers.get(request.url ?? '') ?? MISSING;
    await sleep(delayMs);
    const content = headers['content-encoding'] === 'gzip' ? gzipSync(body) : Buffer.from(body);
    if (!isHttp10) return void response.writeHead(status, headers).end(content);
    // Node answers by HTTP/1.1 alone.
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    request.socket.write(`HTTP/1.0 ${status} OK\r\n${lines.join('')}\r\n`);
    request.socket.end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { faults } = readFaults();
  const build = (crawl: number): void => {
    const present = faults.filter(({ since }) => since <= crawl);
    answers = buildSite(docs, present, origin);
  };
  let crawl = 1;
  build(crawl);
  return {
    origin,
    change: () => build(++crawl),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
