import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type Body, bodyOf } from './body.ts';
import { answerList, type ListFault } from './lists.ts';
import { COLUMNS } from './rows.ts';
import { DRIFT_NAMES, type UnitCase } from './unit-case.ts';

const CONTENT_TYPES = { csv: 'text/csv', json: 'application/x-ndjson' } as const;

/**
 * The service as an enemy would run it: lists, fields, counts and exports of the pages of a few crawls (api-spec.md
 * §4.1, §4.2), each as its case says. It shares no code with the sandbox or the program.
 */
export class HostileService {
  readonly baseUrl: string;
  cases: ReadonlyMap<string, UnitCase> = new Map();
  lists: ListFault = 'right';
  format: 'csv' | 'json' = 'json';
  requests = 0;

  private constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  static async start(): Promise<HostileService> {
    const server = createServer({ keepAliveTimeout: 1000 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const service = new HostileService(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      // The program hangs up on what it refuses.
      response.on('error', () => {});
      request.socket.on('error', () => {});
      request.resume();
      request.on('end', () => service.#answer(request, response));
    });
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return service;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests += 1;
    const url = new URL(request.url ?? '/', this.baseUrl);
    const list = answerList(this.lists, url, [...this.cases.keys()]);
    if (list) {
      if ('redirect' in list) response.writeHead(302, { location: list.redirect }).end();
      else if ('brotli' in list)
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' })
          .end(brotliCompressSync(JSON.stringify(list.brotli)));
      else sendText(response, 'json' in list ? JSON.stringify(list.json) : list.text);
      return;
    }
    const [, id = '', rest] = /^\/api\/v2\/data\/crawl\/([^/]+)\/pages(\/fields)?$/.exec(url.pathname) ?? [];
    const one = this.cases.get(decodeURIComponent(id));
    if (!one) {
      const error = { type: 'resource_not_found', message: `no ${url.pathname}` };
      response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(error));
    } else if (rest) sendText(response, fieldsAnswer(one));
    else if (url.searchParams.get('export') === 'true') {
      const format = url.searchParams.get('file_type') === 'csv' ? 'csv' : 'json';
      sendBody(response, bodyOf(one, format), one, CONTENT_TYPES[format]);
    } else sendCount(response, one);
  }
}

function sendText(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

function fieldsAnswer({ drift }: UnitCase): string {
  if (drift === 'html') return '<html></html>';
  const field = (name: string, type: string, arity: string) => ({
    name,
    type,
    arity,
    actions: ['equals'],
    can_display: true,
    can_filter: true,
    can_sort: true,
  });
  const fields = COLUMNS.map(({ name, type, arity }) => field(name, type, arity));
  const further = DRIFT_NAMES[drift];
  if (further !== undefined)
    fields.push(
      field(
        further,
        drift === 'unknown_type' ? 'hologram' : 'string',
        drift === 'unknown_arity' ? 'several' : 'one',
      ),
    );
  if (drift === 'field_twice') fields.push(field('title', 'natural', 'many'));
  return JSON.stringify({ fields: drift === 'no_fields' ? [] : fields });
}

function sendCount(response: ServerResponse, { count, rows }: UnitCase): void {
  if (count === 'html') sendText(response, '<html>');
  else if (count === 'endless_answer')
    sendText(response, `{"meta":{"more":"${'x'.repeat(80 * 1024 * 1024)}"}}`);
  else {
    const meta = { columns: ['url'], total_hits: totalOf(count, rows.length), total_pages: 1 };
    sendText(response, JSON.stringify({ meta, urls: [] }));
  }
}

function totalOf(count: UnitCase['count'], rows: number): unknown {
  if (count === 'absent') return undefined;
  if (count === 'text') return String(rows);
  if (count === 'negative') return -5;
  if (count === 'absurd') return 1e15;
  if (count === 'fraction') return rows + 0.5;
  return rows + (count === 'one_more' ? 1 : count === 'one_less' ? -1 : 0);
}

/** Writes the answer to the socket itself: what is wrong with it no server would let through. */
function sendBody(response: ServerResponse, body: Body, one: UnitCase, contentType: string): void {
  const { socket } = response;
  if (!socket) return;
  const { bytes } = body;
  const at = Math.floor(one.at * bytes.length);
  const status = /^status_(\d+)$/.exec(one.framing)?.[1] ?? '200';
  const type = one.framing === 'wrong_content_type' ? 'image/png' : contentType;
  const head = (...more: string[]): string =>
    [
      `HTTP/1.1 ${status} Whatever`,
      `Content-Type: ${type}`,
      ...(body.contentEncoding === null ? [] : [`Content-Encoding: ${body.contentEncoding}`]),
      'Connection: close',
      ...more,
      '\r\n',
    ].join('\r\n');
  const length = (size: number): string => `Content-Length: ${size}`;
  const chunked = 'Transfer-Encoding: chunked';
  switch (one.framing) {
    case 'chunks':
      socket.write(head(chunked));
      for (const piece of [bytes.subarray(0, at), bytes.subarray(at)]) socket.write(chunk(piece));
      socket.end('0\r\n\r\n');
      return;
    case 'small_chunks': {
      socket.write(head(chunked));
      const size = Math.max(1, Math.ceil(bytes.length / 200));
      for (let from = 0; from < bytes.length; from += size)
        socket.write(chunk(bytes.subarray(from, from + size)));
      socket.end('0\r\n\r\n');
      return;
    }
    case 'until_close':
      socket.write(head());
      socket.end(bytes);
      return;
    case 'hints_before':
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n');
      socket.write(head(length(bytes.length)));
      socket.end(bytes);
      return;
    case 'length_too_long':
      socket.write(head(length(bytes.length + 7)));
      socket.end(bytes);
      return;
    case 'length_too_short':
      socket.write(head(length(Math.max(0, bytes.length - 1 - Math.floor(bytes.length / 3)))));
      socket.end(bytes);
      return;
    case 'cut':
      socket.write(head(length(bytes.length + 1)));
      socket.end(bytes.subarray(0, at));
      return;
    case 'reset':
      socket.write(head(length(bytes.length + 1)));
      socket.write(bytes.subarray(0, at), () => socket.resetAndDestroy());
      return;
    case 'no_last_chunk':
      socket.write(head(chunked));
      socket.end(chunk(bytes));
      return;
    case 'broken_chunk_size':
      socket.write(head(chunked));
      socket.end(Buffer.concat([Buffer.from('zz\r\n'), bytes, Buffer.from('\r\n0\r\n\r\n')]));
      return;
    case 'huge_header':
      socket.write(head(length(bytes.length), `X-More: ${'h'.repeat(200_000)}`));
      socket.end(bytes);
      return;
    case 'status_204':
      socket.end(head());
      return;
    case 'status_302':
      socket.write(head('Location: http://127.0.0.2:9/elsewhere', length(bytes.length)));
      socket.end(bytes);
      return;
    case 'status_206':
      socket.write(
        head(`Content-Range: bytes 0-${bytes.length - 1}/${bytes.length * 2}`, length(bytes.length)),
      );
      socket.end(bytes);
      return;
    default:
      socket.write(head(length(bytes.length)));
      socket.end(bytes);
  }
}

function chunk(piece: Buffer): Buffer {
  if (piece.length === 0) return piece;
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}
