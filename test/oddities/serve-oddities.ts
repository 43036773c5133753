import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { ODDITIES } from './cases.ts';

const TARGET = '<!doctype html><title>The target</title><p>Words';

/** The site of oddities on this machine: its start page leads to each; every other path is a page too. */
export async function serveOddities(): Promise<{ readonly origin: string } & AsyncDisposable> {
  const answers = new Map<string, Buffer>(ODDITIES.map(({ path, answer }) => [path, answer]));
  const links = ODDITIES.map(({ path }) => `<a href="${path}">${path}</a>`).join('\n');
  answers.set('/', whole(`<!doctype html><title>Oddities</title>${links}`));
  answers.set('/robots.txt', whole('User-agent: *\nDisallow:', 'text/plain'));
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      const request = piece.toString('latin1');
      const path = request.split(' ')[1] ?? '';
      const cookies = cookiesOf(request, path);
      socket.end(cookies === '' ? (answers.get(path) ?? whole(TARGET)) : whole(cookiePage(cookies)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

/** The cookies of a request that a case of cookies has set: those with its path in their value. */
function cookiesOf(request: string, path: string): string {
  const sent = /^cookie:(.*)$/im.exec(request)?.[1] ?? '';
  return sent
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.endsWith(`${path}-`))
    .join('; ');
}

function cookiePage(cookies: string): string {
  return `<!doctype html><meta charset=utf-8><title>${cookies.replaceAll('<', '&lt;')}</title><p>Words`;
}

function whole(body: string, type = 'text/html; charset=utf-8'): Buffer {
  const lines = ['HTTP/1.1 200 OK', `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.from(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
}
