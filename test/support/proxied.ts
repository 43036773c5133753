import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request on its way to the service. */
export interface Passing {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: string;
}

/** What becomes of a request: another body of it, an answer in the service's place, or nothing. */
export type Change =
  | { readonly body: string }
  | { readonly answer: (response: ServerResponse) => void }
  | null;

/** The address of a service in front of `upstream` that passes everything on but what `change` changes. */
export async function proxied(upstream: string, change: (passing: Passing) => Change): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const passing = { method: `${request.method}`, path: `${request.url}`, body };
    const changed = change(passing);
    if (changed && 'answer' in changed) {
      changed.answer(response);
      return;
    }
    const sent = changed?.body ?? body;
    const answer = await fetch(`${upstream}${passing.path}`, {
      method: passing.method,
      headers: {
        authorization: `${request.headers.authorization}`,
        ...(sent === '' ? {} : { 'content-type': 'application/json' }),
      },
      ...(sent === '' ? {} : { body: sent }),
    });
    const type = answer.headers.get('content-type');
    response.writeHead(answer.status, type === null ? {} : { 'content-type': type });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
