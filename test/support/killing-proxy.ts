import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';

export interface KillingProxy extends AsyncDisposable {
  readonly url: string;
  /** Whether it has killed. */
  readonly hasKilled: () => boolean;
}

/**
 * Stands before Trino and kills its client at a statement: before Trino gets it, or once Trino has done it and before the
 * client hears of that.
 */
export async function startKillingProxy(
  target: string,
  { at, when, kill }: { readonly at: RegExp; readonly when: 'before' | 'after'; readonly kill: () => void },
): Promise<KillingProxy> {
  let killed = false;
  let watched: string | undefined;
  const end = (): void => {
    killed = true;
    kill();
  };
  const answer = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(asked);
    const isHit = asked.method === 'POST' && at.test(body.toString());
    if (isHit && when === 'before') return end();
    // With the proxy's own name as its host, Trino's answers lead back here.
    const { status, text } = await forward(target, asked, body);
    const { id, nextUri } = JSON.parse(text || '{}') as { id?: string; nextUri?: string };
    if (isHit) watched = id;
    if (watched !== undefined && id === watched && nextUri === undefined) return end();
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  };
  const server = createServer((asked, response) => {
    answer(asked, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    hasKilled: () => killed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function forward(
  target: string,
  { method = 'GET', url = '/', headers }: IncomingMessage,
  body: Buffer,
): Promise<{ readonly status: number; readonly text: string }> {
  const { connection: _, 'content-length': __, 'transfer-encoding': ___, ...rest } = headers;
  const answer = await request(new URL(url, target), {
    method: method as 'GET',
    headers: rest as Record<string, string>,
    ...(body.length > 0 ? { body } : {}),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}
