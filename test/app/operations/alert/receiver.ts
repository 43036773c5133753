import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Receiver {
  readonly url: string;
  /** The bodies that came. */
  readonly received: Record<string, unknown>[];
  /** What the next requests are answered; 204 where nothing is said. */
  readonly answers: (number | 'nothing')[];
}

/** A receiver of alerts. */
export async function receiver(): Promise<Receiver> {
  const received: Record<string, unknown>[] = [];
  const answers: (number | 'nothing')[] = [];
  const server = createServer(async (request, response) => {
    received.push(JSON.parse(await text(request)));
    const answer = answers.shift() ?? 204;
    if (answer !== 'nothing') response.writeHead(answer).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`, received, answers };
}
