import { createReadStream, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/**
 * The least of the service that a streamed export needs, over files that are there already: what it costs is the
 * network's. Run as a process of its own: `node static-service.ts FOLDER`; prints its port.
 */
const folder = process.argv[2] ?? '.';

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, , , , , name = '', what] = url.pathname.split('/');
  const crawl = name;
  const json = (body: unknown): void => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };
  request.resume();
  request.on('end', () => {
    const { fields, rows } = JSON.parse(readFileSync(join(folder, `${crawl}.fields.json`), 'utf8'));
    if (url.searchParams.get('export') === 'true') {
      const extension = url.searchParams.get('file_type') === 'csv' ? 'csv' : 'jsonl';
      createReadStream(join(folder, `${crawl}.${extension}`), { highWaterMark: 256 * 1024 }).pipe(response);
    } else if (what === undefined || request.method === 'POST')
      json({ meta: { total_hits: rows }, urls: [] });
    else {
      const all = fields.map((field: object) => ({ ...field, can_display: true }));
      json({ fields: all });
    }
  });
});

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
