import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fixedToken } from '../../../../../src/client/http/token-source.ts';
import { ClientCredentials } from '../../../../../src/etl/engines/trino/client/open-trino.ts';
import { TrinoClient, type TrinoOptions } from '../../../../../src/etl/engines/trino/client/trino-client.ts';
import { TrinoFailure } from '../../../../../src/etl/engines/trino/client/trino-error.ts';
import { errorOf } from '../../../../support/error-of.ts';
import { freePort } from '../../../../support/free-port.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

interface Seen {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (response: ServerResponse, seen: Seen, origin: string) => void;

/** A server whose answers are given one for each request; the last one stays. */
async function serve(answers: readonly Answer[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const one = { method: request.method, path: request.url, headers: request.headers, body };
    seen.push(one);
    answers[Math.min(seen.length, answers.length) - 1]?.(response, one, `http://${request.headers.host}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function clientOf(url: string, more: Partial<TrinoOptions> = {}): TrinoClient {
  const client = new TrinoClient({ url, user: 'ada', retry: { attempts: 4, baseMs: 1, maxMs: 1 }, ...more });
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

const BIGINT = { rawType: 'bigint', arguments: [] };
const COLUMNS = [{ name: 'n', type: 'bigint', typeSignature: BIGINT }];

const json =
  (body: (origin: string) => object): Answer =>
  (response, _seen, origin) =>
    response.end(JSON.stringify({ id: 'q1', ...body(origin) }));
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end('no');
const reset: Answer = (response) => response.destroy();
const silent: Answer = () => {};
const next = json((origin) => ({ nextUri: `${origin}/v1/statement/executing/q1/y/1` }));
const rows = json(() => ({ columns: COLUMNS, data: [[1], [2]] }));
const more = json((origin) => ({
  columns: COLUMNS,
  data: [[1], [2]],
  nextUri: `${origin}/v1/statement/executing/q1/y/2`,
}));

test('a response of 429, 502, 503 or 504 is retried, for statements and their pages', async () => {
  const { url, seen } = await serve([status(503), status(502), next, status(504), status(429), rows]);
  expect(await clientOf(url).rows('SELECT 1')).toEqual([{ n: 1n }, { n: 2n }]);
  expect(seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST', 'GET', 'GET', 'GET']);
});

test('a server that stays busy ends as unavailable, after the configured tries', async () => {
  const { url, seen } = await serve([status(503)]);
  const error = await errorOf(clientOf(url).run('SELECT 1'));
  expect([error.code, error.message]).toEqual(['engine_unavailable', `Trino at ${url} answers 503: no`]);
  expect(seen.length).toBe(4);
});

test('Retry-After is respected', async () => {
  const { url } = await serve([status(429, { 'retry-after': '1' }), rows]);
  const startedAt = performance.now();
  await clientOf(url).run('SELECT 1');
  expect(performance.now() - startedAt).toBeGreaterThan(990);
});

test('a connection that breaks during a page is opened again', async () => {
  const { url, seen } = await serve([next, reset, rows]);
  expect(await clientOf(url).rows('SELECT 1')).toHaveLength(2);
  expect(seen.length).toBe(3);
});

test('a statement without a response may have begun, so it is not sent again', async () => {
  const { url, seen } = await serve([reset]);
  const error = await errorOf(clientOf(url).run('INSERT INTO t VALUES 1'));
  expect(error.code).toBe('connection');
  expect(seen.length).toBe(1);
});

test('a statement that could not be sent is retried', async () => {
  const sent = vi.fn(async () => 'token');
  // Nobody listens there.
  const credentials = { token: sent, renew: async () => undefined };
  const client = clientOf(`http://127.0.0.1:${await freePort()}`, { credentials });
  expect((await errorOf(client.run('SELECT 1'))).code).toBe('connection');
  expect(sent).toHaveBeenCalledTimes(4);
});

test('leaving the loop cancels the statement', async () => {
  const { url, seen } = await serve([more, status(204)]);
  for await (const page of clientOf(url).pages('SELECT 1')) if (page.rows.length > 0) break;
  expect(seen.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/statement/executing/q1/y/2' });
});

test('a complete read cancels nothing', async () => {
  const { url, seen } = await serve([next, rows]);
  await clientOf(url).rows('SELECT 1');
  expect(seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
});

test('an abort while waiting for a page cancels the statement', async () => {
  const controller = new AbortController();
  const { url, seen } = await serve([
    next,
    (...given) => {
      silent(...given);
      controller.abort(new Error('enough'));
    },
    status(204),
  ]);
  await expect(clientOf(url).run('SELECT 1', {}, controller.signal)).rejects.toThrow('enough');
  expect(seen.at(-1)?.method).toBe('DELETE');
});

test('an abort while sending the statement cancels it once its response arrives', async () => {
  const controller = new AbortController();
  const held = Promise.withResolvers<void>();
  const { url, seen } = await serve([
    (...given) => {
      controller.abort(new Error('enough'));
      void held.promise.then(() => next(...given));
    },
    status(204),
  ]);
  const client = clientOf(url);
  await expect(client.run('SELECT 1', {}, controller.signal)).rejects.toThrow('enough');
  held.resolve();
  await client[Symbol.asyncDispose]();
  expect(seen.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
});

test('an error of a statement has its code, name, position and query', async () => {
  const failed = (errorName: string, errorType: string): Answer =>
    json(() => ({
      error: {
        message: 'line 2:8: no such column',
        errorName,
        errorType,
        errorLocation: { lineNumber: 2, columnNumber: 8 },
      },
    }));
  const codes: string[] = [];
  for (const [name, type] of [
    ['COLUMN_NOT_FOUND', 'USER_ERROR'],
    ['PERMISSION_DENIED', 'USER_ERROR'],
    ['EXCEEDED_GLOBAL_MEMORY_LIMIT', 'INSUFFICIENT_RESOURCES'],
    ['ICEBERG_COMMIT_ERROR', 'EXTERNAL'],
    ['ADMINISTRATIVELY_KILLED', 'USER_ERROR'],
  ] as const) {
    const { url } = await serve([failed(name, type)]);
    const error = await errorOf(clientOf(url).run('SELECT 1'));
    codes.push(error.code);
    expect(error.message).toBe(`line 2:8: no such column (${name}, query q1)`);
    expect(error.cause).toBeInstanceOf(TrinoFailure);
    expect(error.cause).toMatchObject({
      errorName: name,
      errorType: type,
      line: 2,
      column: 8,
      queryId: 'q1',
    });
  }
  expect(codes).toEqual(['bad_query', 'engine_access', 'query_limit', 'engine_failed', 'engine_failed']);
});

test('a response that is not from Trino is refused', async () => {
  const { url } = await serve([(response) => response.end('{"hello": 1}')]);
  expect((await errorOf(clientOf(url).run('SELECT 1'))).code).toBe('contract_broken');
});

test('credentials are sent to no other server', async () => {
  const { url, seen } = await serve([json(() => ({ nextUri: 'http://127.0.0.1:1/v1/statement' }))]);
  const error = await errorOf(clientOf(url).run('SELECT 1'));
  expect(error.message).toBe(`Trino at ${url} refers to http://127.0.0.1:1`);
  expect(seen.length).toBe(1);
});

test('the headers carry user, source, catalog, session and credentials', async () => {
  const { url, seen } = await serve([rows]);
  const client = clientOf(url, { credentials: { password: 'pass:word' }, catalog: 'lake' });
  await client.run('SELECT 1', { session: { 'lake.x': '0s, 1' }, source: 'run-1' });
  expect(seen[0]?.headers).toMatchObject({
    authorization: `Basic ${Buffer.from('ada:pass:word').toString('base64')}`,
    'x-trino-user': 'ada',
    'x-trino-source': 'crawlhouse/run-1',
    'x-trino-catalog': 'lake',
    'x-trino-session': 'lake.x=0s%2C%201',
    'x-trino-time-zone': 'UTC',
  });
});

test('a server with a private certificate authority is trusted if the authority is configured', async () => {
  const folder = await temporaryFolder();
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  await promisify(execFile)('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    certificate,
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
  ]);
  const ca = await readFile(certificate, 'utf8');
  const body = JSON.stringify({ id: 'q1', columns: COLUMNS, data: [[1]] });
  const answer = JSON.stringify({ access_token: 'given', expires_in: 3600 });
  const authorizations: (string | undefined)[] = [];
  const server = createSecureServer({ key: await readFile(key), cert: ca }, (request, response) => {
    authorizations.push(request.headers.authorization);
    response.end(request.url === '/token' ? answer : body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const error = await errorOf(clientOf(url).rows('SELECT 1'));
  expect(error.code).toBe('connection');
  expect(error.message).toContain(`Trino at ${url} cannot be reached: self-signed certificate`);
  const tokenUrl = `${url}/token`;
  const credentials = new ClientCredentials({ tokenUrl, clientId: 'a', clientSecret: 'secret', ca });
  expect(await clientOf(url, { ca, credentials }).rows('SELECT 1')).toEqual([{ n: 1n }]);
  expect(authorizations.at(-1)).toBe('Bearer given');
});

test('a refused token is not retried; a renewable one is', async () => {
  const { url } = await serve([status(401)]);
  const fixed = clientOf(url, { credentials: fixedToken('jwt') });
  expect((await errorOf(fixed.run('SELECT 1'))).code).toBe('engine_access');
  let issued = 0;
  const tokens = await serve([
    (response) => response.end(JSON.stringify({ access_token: `t${++issued}`, expires_in: 3600 })),
  ]);
  const guarded = await serve([
    (response, seen, origin) =>
      (seen.headers.authorization === 'Bearer t2' ? rows : status(401))(response, seen, origin),
  ]);
  const credentials = new ClientCredentials({
    tokenUrl: `${tokens.url}/token`,
    clientId: 'crawl house',
    clientSecret: 'a secret',
    scope: 'trino',
  });
  const client = clientOf(guarded.url, { credentials });
  expect(await client.rows('SELECT 1')).toHaveLength(2);
  await client.run('SELECT 1');
  expect(guarded.seen.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer t1',
    'Bearer t2',
    'Bearer t2',
  ]);
  expect(tokens.seen[0]?.body).toBe('grant_type=client_credentials&scope=trino');
  expect(tokens.seen[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('crawl%20house:a%20secret').toString('base64')}`,
  );
});

test.each([
  [503, 'engine_unavailable'],
  [401, 'engine_access'],
])(
  'a token endpoint that returns %i ends as %s, and is requested again next time',
  async (code, expected) => {
    const tokens = await serve([
      status(code),
      (response) => response.end(JSON.stringify({ access_token: 't' })),
    ]);
    const credentials = new ClientCredentials({ tokenUrl: tokens.url, clientId: 'a', clientSecret: 'b' });
    expect((await errorOf(credentials.token())).code).toBe(expected);
    expect([await credentials.token(), await credentials.token()]).toEqual(['t', 't']);
    expect(tokens.seen.length).toBe(2);
  },
);

test('an unreachable token endpoint is named', async () => {
  const tokenUrl = `http://127.0.0.1:${await freePort()}`;
  const credentials = new ClientCredentials({ tokenUrl, clientId: 'a', clientSecret: 'b' });
  const { url } = await serve([rows]);
  const error = await errorOf(clientOf(url, { credentials }).run('SELECT 1'));
  expect(error.code).toBe('connection');
  expect(error.message).toContain(`the token endpoint ${tokenUrl} cannot be reached`);
});

test('a token endpoint that never responds is not awaited', async () => {
  const { url } = await serve([() => {}]);
  const credentials = new ClientCredentials({
    tokenUrl: `${url}/token`,
    clientId: 'a',
    clientSecret: 'b',
    patienceMs: 100,
  });
  expect(await errorOf(credentials.token())).toMatchObject({
    code: 'connection',
    message: expect.stringContaining('timeout'),
  });
});

test('an HTML page with status 200 is reported as not Trino, without retries', async () => {
  const page: Answer = (response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<html><title>Welcome to nginx</title></html>');
  const { url, seen } = await serve([page]);
  await using client = new TrinoClient({ url, user: 'u' });
  expect(await errorOf(client.run('SELECT 1'))).toMatchObject({
    code: 'contract_broken',
    message: expect.stringMatching(
      /answers 200 with text\/html, outside Trino's protocol: <html><title>Welcome/,
    ),
    hint: expect.stringContaining('check warehouse.url'),
  });
  expect(seen).toHaveLength(1);
});

test.each([
  [404, {}, "answers 404 with text/html, outside Trino's protocol: <html>Not here</html>"],
  [405, {}, 'answers 405 with text/html'],
  [302, { location: 'https://sign-in.example/' }, 'answers 302, a redirect to https://sign-in.example/'],
])('another server that responds with %i is reported as not Trino', async (code, headers, said) => {
  const { url, seen } = await serve([
    (response) =>
      response.writeHead(code, { 'content-type': 'text/html', ...headers }).end('<html>Not here</html>'),
  ]);
  expect(await errorOf(clientOf(url).run('SELECT 1'))).toMatchObject({
    code: 'contract_broken',
    message: expect.stringContaining(said),
    hint: expect.stringContaining('check warehouse.url'),
  });
  expect(seen).toHaveLength(1);
});

test('a forgotten statement of Trino is not reported as another server', async () => {
  const { url } = await serve([next, status(404)]);
  expect((await errorOf(clientOf(url).run('SELECT 1'))).code).toBe('engine_failed');
});

test('a token endpoint that returns a page is reported, with what to check', async () => {
  const page: Answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  const { url } = await serve([page]);
  const credentials = new ClientCredentials({ tokenUrl: url, clientId: 'a', clientSecret: 'b' });
  expect(await errorOf(credentials.token())).toMatchObject({
    code: 'contract_broken',
    message: expect.stringContaining(`endpoint ${url} answers 200 with text/html, outside OAuth2`),
    hint: expect.stringContaining('check warehouse.token_url'),
  });
});
