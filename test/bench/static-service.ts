import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { BROKEN_BYTES, type Cut, cutOf } from './cuts.ts';
import { WAYS } from './ways.ts';

/**
 * The least of the service and of a store of Google's kind that a load needs, over files that are there already: what
 * it costs is the network's. A process of its own: `node static-service.ts FOLDER [BYTES_PER_SECOND [CUT]]`; prints its
 * port. With a cut, each body of data ends in the middle.
 */
const folder = process.argv[2] ?? '.';
const rate = Number(process.argv[3] ?? 0);
const cut = process.argv[4];
/** By file: hashed once, as a store has done before anybody asks. */
const digests = new Map<string, string>();

function send(response: ServerResponse, path: string, range: { start: number; end: number } | object): void {
  if (cut !== undefined) {
    sendHalf(response, path, cutOf(cut));
    return;
  }
  const file = createReadStream(path, { highWaterMark: 256 * 1024, ...range });
  (rate > 0 ? Readable.from(throttled(file), { objectMode: false }) : file).pipe(response);
}

/** Sends about half of a file of lines. */
function sendHalf(response: ServerResponse, path: string, { record, connection, length }: Cut): void {
  const body = readFileSync(path);
  const recordEnd = body.indexOf('\n', body.length / 2) + 1;
  if (length) response.setHeader('content-length', body.length);
  response.write(body.subarray(0, record === 'whole' ? recordEnd : recordEnd + BROKEN_BYTES));
  if (connection === 'kept') response.end();
  else response.socket?.end();
}

/** Bytes that all bodies together have been sent so far, in seconds of the rate. */
let busyUntil = 0;

async function* throttled(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    const now = performance.now() / 1000;
    busyUntil = Math.max(busyUntil, now) + piece.length / rate;
    await sleep((busyUntil - now) * 1000);
    yield piece;
  }
}

function digest(path: string): string {
  const known = digests.get(path);
  if (known) return known;
  const made = createHash('md5').update(readFileSync(path)).digest('base64');
  digests.set(path, made);
  return made;
}

function fileOf(name: string, format: string, gzip: boolean): string {
  const way = Object.values(WAYS).find((one) => one.format === format && one.gzip === gzip);
  return `${name}.${way?.extension}`;
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  let body = '';
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    const asked = { url, body, method: request.method ?? '', headers: request.headers, response };
    if (/^\/(storage|b)\//.test(url.pathname)) answerAsStore(asked);
    else if (url.pathname.includes('/workspaces/')) answerExports(asked);
    else answerData(asked);
  });
});

interface Asked {
  readonly url: URL;
  readonly body: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
}

function json(response: ServerResponse, answer: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
}

function describe(name: string): { readonly fields: readonly object[]; readonly rows: number } {
  return JSON.parse(readFileSync(join(folder, `${name}.fields.json`), 'utf8'));
}

/** `/api/v2/data/crawl/<name>/<data type>[/fields]`. */
function answerData({ url, method, headers, response }: Asked): void {
  const [, , , , , name = '', what] = url.pathname.split('/');
  const { fields, rows } = describe(name);
  if (url.searchParams.get('export') === 'true') {
    const gzip = headers['accept-encoding'] === 'gzip';
    if (gzip) response.setHeader('content-encoding', 'gzip');
    send(response, join(folder, fileOf(name, url.searchParams.get('file_type') ?? '', gzip)), {});
  } else if (what === undefined || method === 'POST')
    json(response, { meta: { total_hits: rows }, urls: [] });
  else json(response, { fields: fields.map((field) => ({ ...field, can_display: true })) });
}

/** Data exports that are done as soon as they are asked for; `resource_id` names the file. */
function answerExports({ method, body, response }: Asked): void {
  if (method === 'GET') {
    json(response, { account: [], meta: { total: 0, offset: 0, limit: 100 } });
    return;
  }
  const asked = JSON.parse(body).data_export;
  const { rows } = describe(asked.resource_id);
  json(response, { data_export: { ...asked, id: 'e', status: 'DONE', output_row_count: rows } });
}

/** A prefix begins with `bench:<name>:<format>:[gzip]`, and has the one file below it. */
function answerAsStore({ url, headers, response }: Asked): void {
  if (url.searchParams.get('alt') !== 'media') {
    const prefix = url.searchParams.get('prefix') ?? '';
    const [, name = '', format = '', gzip] = /^bench:([^:]+):([^:]+):([^/]*)/.exec(prefix) ?? [];
    const file = fileOf(name, format, gzip === 'gzip');
    const path = join(folder, file);
    const size = String(statSync(path).size);
    json(response, { items: [{ name: `${prefix}${file}`, size, generation: '1', md5Hash: digest(path) }] });
    return;
  }
  const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
  response.statusCode = to === undefined ? 200 : 206;
  const file = decodeURIComponent(url.pathname).split('/').at(-1) ?? '';
  send(response, join(folder, file), to === undefined ? {} : { start: Number(from), end: Number(to) });
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
