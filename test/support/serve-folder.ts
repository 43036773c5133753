import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { onTestFinished } from 'vitest';

/** As Apache sends them under `AddDefaultCharset off`: pages name their encoding themselves. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
};

/** Serves the files of a folder for one test, as a static server does: `index.html` for a folder, else a list of it. */
export async function serveFolder(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    answer(folder, new URL(request.url ?? '/', 'http://localhost'), response).catch(() =>
      response.writeHead(404, { 'content-type': 'text/html' }).end('<title>404 Not Found</title>'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(folder: string, { pathname }: URL, response: ServerResponse): Promise<void> {
  const path = join(folder, normalize(decodeURIComponent(pathname)));
  const found = await stat(path);
  if (!found.isDirectory()) send(path, response);
  else if (!pathname.endsWith('/')) response.writeHead(301, { location: `${pathname}/` }).end();
  else {
    const names = (await readdir(path)).sort();
    if (names.includes('index.html')) send(join(path, 'index.html'), response);
    else {
      const links = names.map((name) => `<a href="${encodeURIComponent(name)}">${name}</a>`);
      response.setHeader('content-type', 'text/html');
      response.end(`<title>Index of ${pathname}</title>${links.join('\n')}`);
    }
  }
}

function send(path: string, response: ServerResponse): void {
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  createReadStream(path)
    .once('error', () => response.destroy())
    .once('open', () => response.setHeader('content-type', type))
    .pipe(response);
}
