import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** A request as the client sent it and as it was answered. */
export interface Recorded {
  readonly method: string;
  /** Below `/api/v2`, with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly status: number;
  readonly answer: Buffer;
  readonly answerType: string;
}

export interface Recorder {
  readonly baseUrl: string;
  /** Everything recorded so far, which is forgotten by this. */
  take(): Recorded[];
}

/** A server before a sandbox that hands every request on as it came, and keeps it. */
export async function recorderBefore(baseUrl: string): Promise<Recorder> {
  const recorded: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const body = await bytesOf(request);
    const onward = send(`${baseUrl}${request.url}`, { method: request.method, headers: request.headers });
    onward.end(body);
    const [answer] = await once(onward, 'response');
    const answered = await bytesOf(answer);
    recorded.push({
      method: String(request.method),
      path: String(request.url).replace(/^\/api\/v2/, ''),
      headers: request.headers,
      body,
      status: answer.statusCode,
      answer: answered,
      answerType: String(answer.headers['content-type'] ?? '').split(';')[0] ?? '',
    });
    response.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
    response.end(answered);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, take: () => recorded.splice(0) };
}

async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
