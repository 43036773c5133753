import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';

/** What the meddler may answer in the sandbox's place; `null` lets the sandbox answer. */
export type Meddling = (
  request: IncomingMessage,
  response: ServerResponse,
) => null | undefined | ((json: never) => unknown) | 'answered';

/**
 * The sandbox behind a server that meddles with some of its answers: it answers itself (`answered`), or changes the
 * JSON of the sandbox.
 */
export async function meddledSandbox(sandbox: Sandbox, meddle: Meddling): Promise<Sandbox> {
  const server = createServer((request, response) => {
    relay(sandbox, request, response, meddle).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...sandbox, baseUrl };
}

async function relay(
  sandbox: Sandbox,
  request: IncomingMessage,
  response: ServerResponse,
  meddle: Meddling,
): Promise<void> {
  const body = await buffer(request);
  const change = meddle(request, response);
  if (change === 'answered') return;
  const headers = new Headers();
  for (const name of ['authorization', 'accept', 'accept-encoding', 'content-type', 'user-agent']) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const answer = await fetch(`${sandbox.baseUrl}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
  });
  const type = answer.headers.get('content-type') ?? 'application/json';
  if (!change || !answer.ok) {
    response.writeHead(answer.status, { 'content-type': type });
    response.end(Buffer.from(await answer.arrayBuffer()));
    return;
  }
  const changed = change((await answer.json()) as never);
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(changed));
}
