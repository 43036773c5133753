import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { ODDITIES } from './cases.ts';

const TARGET = '<!doctype html><title>The target</title><p>Words';

/** The site of oddities on this machine: its start page leads to each; every other path is a page too. */
export async function serveOddities(): Promise<{ readonly origin: string } & AsyncDisposable> {
  const answers = new Map(ODDITIES.map(({ path, answer }) => [path, answer]));
  const links = ODDITIES.map(({ path }) => `<a href="${path}">${path}</a>`).join('\n');
  answers.set('/', whole(`<!doctype html><title>Oddities</title>${links}`));
  answers.set('/robots.txt', whole('User-agent: *\nDisallow:', 'text/plain'));
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      const path = piece.toString('latin1').split(' ')[1] ?? '';
      socket.end(answers.get(path) ?? whole(TARGET));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

function whole(body: string, type = 'text/html; charset=utf-8'): Buffer {
  const lines = ['HTTP/1.1 200 OK', `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.from(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
}
