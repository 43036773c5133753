import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sendJson, TOKEN, testService, testTransport } from '../test-service.ts';

const GET = { method: 'GET', path: '/things?a=b%20c', repeatable: true } as const;
const POST = { method: 'POST', path: '/things', body: { n: 2n ** 60n }, repeatable: false } as const;
const Answer = z.looseObject({ ok: z.boolean() });
const TIMEOUTS = { connect: 2000, headers: 150, idleBody: 150 };

test('a request carries the token, the path and a lossless body', async () => {
  const service = await testService((_seen, response) => sendJson(response, 200, { ok: true, more: 1 }));
  const transport = testTransport(service);
  expect(await transport.json(GET, Answer)).toEqual({ ok: true, more: 1 });
  await transport.json(POST, Answer);
  const [get, post] = service.seen;
  expect([get?.method, get?.path, get?.headers.authorization, get?.body]).toEqual([
    'GET',
    '/api/v2/things?a=b%20c',
    `Bearer ${TOKEN}`,
    '',
  ]);
  expect([post?.headers['content-type'], post?.body]).toEqual([
    'application/json',
    '{"n":1152921504606846976}',
  ]);
});

test('the clock skew comes from the response with the smallest difference, if one has a date', async () => {
  const behind = [undefined, 7_200_000, 3_600_000, 7_200_000, -3_600_000];
  const service = await testService((_seen, response, count) => {
    const ms = behind[count - 1];
    response.sendDate = false;
    if (ms !== undefined) response.setHeader('date', new Date(Date.now() - ms).toUTCString());
    sendJson(response, 200, { ok: true });
  });
  const transport = testTransport(service);
  const shown: (number | undefined)[] = [];
  for (const _ of behind) {
    await transport.json(GET, Answer);
    shown.push(transport.clockAhead && Math.round(transport.clockAhead / 60_000));
  }
  expect(shown).toEqual([undefined, 120, 60, 60, -60]);
});

test('integers in a response keep all their digits', async () => {
  const service = await testService((_seen, response) => response.end('{"ok":true,"n":9223372036854775807}'));
  expect(await testTransport(service).json(GET, Answer)).toEqual({ ok: true, n: 9223372036854775807n });
});

test.for([429, 500, 502])('a %i is retried', async (status) => {
  const service = await testService((_seen, response, count) =>
    count === 1 ? response.writeHead(status).end('busy') : sendJson(response, 200, { ok: true }),
  );
  expect(await testTransport(service).json(GET, Answer)).toEqual({ ok: true });
  expect(service.seen).toHaveLength(2);
});

test('a retry waits at least as long as Retry-After', async () => {
  const service = await testService((_seen, response, count) =>
    count === 1
      ? response.writeHead(503, { 'retry-after': '1' }).end('busy')
      : sendJson(response, 200, { ok: true }),
  );
  expect(await testTransport(service).json(GET, Answer)).toEqual({ ok: true });
  const [first, second] = service.seen;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
});

test('a non-repeatable request is sent once', async () => {
  const service = await testService((_seen, response) => response.writeHead(503).end());
  await expect(testTransport(service).json(POST, Answer)).rejects.toMatchObject({
    code: 'service_unavailable',
    hint: expect.stringContaining('crawlhouse doctor'),
  });
  expect(service.seen).toHaveLength(1);
});

test('a refused connection is retriable and names the request', async () => {
  const server = createServer().listen(0);
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const transport = testTransport({ baseUrl: `http://127.0.0.1:${port}` });
  await expect(transport.json(GET, Answer)).rejects.toMatchObject({
    code: 'connection',
    message: expect.stringMatching(/^GET \/things\?a=b%20c: connect ECONNREFUSED 127/),
  });
});

test('a connection reset before the headers is retried', async () => {
  const service = await testService((_seen, response, count) =>
    count === 1 ? response.socket?.resetAndDestroy() : sendJson(response, 200, { ok: true }),
  );
  expect(await testTransport(service).json(GET, Answer)).toEqual({ ok: true });
  expect(service.seen).toHaveLength(2);
});

test('late headers are a retriable connection error', async () => {
  const service = await testService(() => {});
  const transport = testTransport(service, {
    timeouts: TIMEOUTS,
    retry: { attempts: 1, baseMs: 1, maxMs: 1 },
  });
  await expect(transport.json(GET, Answer)).rejects.toMatchObject({ code: 'connection', kind: 'retriable' });
});

test('a stalled body is retriable', async () => {
  const service = await testService((_seen, response) =>
    response.writeHead(200, { 'content-length': '100' }).write('{"ok":'),
  );
  const transport = testTransport(service, {
    timeouts: TIMEOUTS,
    retry: { attempts: 1, baseMs: 1, maxMs: 1 },
  });
  await expect(transport.json(GET, Answer)).rejects.toMatchObject({ code: 'cut_short' });
});

test('a body shorter than announced is retried', async () => {
  const service = await testService((_seen, response, count) => {
    if (count > 1) return sendJson(response, 200, { ok: true });
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"ok":true}', () => response.destroy());
  });
  expect(await testTransport(service).json(GET, Answer)).toEqual({ ok: true });
});

test('truncated JSON is retried, and finally is cut_short', async () => {
  const service = await testService((_seen, response) => response.end('{"ok":tr'));
  await expect(testTransport(service).json(GET, Answer)).rejects.toMatchObject({
    code: 'cut_short',
    message: 'GET /things?a=b%20c answered with broken JSON',
  });
  expect(service.seen).toHaveLength(3);
});

test('an HTML page instead of a response is retried, and finally reported', async () => {
  const service = await testService((_seen, response) =>
    response.setHeader('content-type', 'text/html').end('<html><title>Sign in</title>'),
  );
  await expect(testTransport(service).json(GET, Answer)).rejects.toMatchObject({
    code: 'service_unavailable',
    message: 'GET /things?a=b%20c answered with a page: <html><title>Sign in</title>',
    hint: expect.stringContaining('check base_url'),
  });
  expect(service.seen).toHaveLength(3);
});

test('a response outside the contract is reported with its position and not retried', async () => {
  const service = await testService((_seen, response) =>
    sendJson(response, 200, { meta: { total: 'many' } }),
  );
  const schema = z.looseObject({ meta: z.looseObject({ total: z.int() }) });
  await expect(testTransport(service).json(GET, schema)).rejects.toMatchObject({
    code: 'contract_broken',
    message: expect.stringContaining('GET /things?a=b%20c answered outside its contract: meta.total: '),
  });
  expect(service.seen).toHaveLength(1);
});

test('an abort ends a request that waits for its response', async () => {
  const controller = new AbortController();
  const service = await testService(() => controller.abort());
  const error = testTransport(service).json(GET, Answer, controller.signal);
  await expect(error).rejects.toMatchObject({ code: 'interrupted' });
  expect(service.seen).toHaveLength(1);
});

test('an abort ends a request during its body', async () => {
  const controller = new AbortController();
  const service = await testService((_seen, response) => {
    response.writeHead(200).write('{', () => setTimeout(() => controller.abort(), 20));
  });
  const error = testTransport(service).json(GET, Answer, controller.signal);
  await expect(error).rejects.toSatisfy(
    (thrown: Error & { code?: unknown }) => thrown.name === 'AbortError' || thrown.code === 'interrupted',
  );
  expect(service.seen).toHaveLength(1);
});

test('a closed client does not retry', async () => {
  const service = await testService(() => {});
  const transport = testTransport(service);
  const asked = transport.json(GET, Answer).catch((error: unknown) => error);
  await expect.poll(() => service.seen.length).toBe(1);
  await transport[Symbol.asyncDispose]();
  expect(await asked).toMatchObject({ code: 'interrupted' });
});

test('a streamed response passes on its body as it arrives, with encoding and type', async () => {
  const service = await testService((_seen, response) =>
    response.writeHead(200, { 'content-type': 'text/csv', 'content-encoding': 'identity' }).end('a;b\n'),
  );
  const { body, contentEncoding, contentType } = await testTransport(service).stream(GET);
  expect([await text(body), contentEncoding, contentType]).toEqual(['a;b\n', 'identity', 'text/csv']);
});

test('a stream is not retried', async () => {
  const service = await testService((_seen, response) => response.writeHead(500).end());
  await expect(testTransport(service).stream(GET)).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(service.seen).toHaveLength(1);
});

test('requests keep the configured rate', async () => {
  const service = await testService((_seen, response) => sendJson(response, 200, { ok: true }));
  const transport = testTransport(service, { requestsPerSecond: 20 });
  await Promise.all(Array.from({ length: 5 }, () => transport.json(GET, Answer)));
  const times = service.seen.map((one) => one.at).sort((a, b) => a - b);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(180);
});

test.for([201, 202, 204, 206])(
  'a %i instead of a response with a body is outside the contract',
  async (status) => {
    const service = await testService((_seen, response) => sendJson(response, status, { ok: true }));
    const transport = testTransport(service);
    await expect(transport.json(GET, Answer)).rejects.toMatchObject({ code: 'contract_broken' });
    await expect(transport.stream(GET)).rejects.toMatchObject({
      code: 'contract_broken',
      message: `GET /things?a=b%20c answered ${status}`,
    });
  },
);

test.for([
  ['internal_error', 'service_unavailable'],
  ['quota_error', 'quota'],
  ['resource_not_found', 'not_found'],
] as const)('an error object of type %s with status 200 is that error', async ([type, code]) => {
  const service = await testService((_seen, response) =>
    sendJson(response, 200, { type, message: 'not today', ok: true }),
  );
  const transport = testTransport(service);
  await expect(transport.json({ ...GET, repeatable: false }, Answer)).rejects.toMatchObject({
    code,
    message: `GET /things?a=b%20c answered 200 ${type}: not today`,
  });
  await expect(transport.nothing({ ...GET, repeatable: false })).rejects.toMatchObject({ code });
});

const DELETE = { method: 'DELETE', path: '/things/7', repeatable: true } as const;

test.for([
  ['a connection that broke', (response) => response.socket?.resetAndDestroy()],
  ['a 503', (response) => response.writeHead(503).end()],
] as const satisfies readonly [string, (response: ServerResponse) => unknown][])(
  'a deletion that finds nothing after %s succeeded in the previous try',
  async ([, fail]) => {
    const service = await testService((_seen, response, count) => {
      if (count === 1) fail(response);
      else sendJson(response, 404, { type: 'resource_not_found' });
    });
    await testTransport(service).nothing(DELETE);
    expect(service.seen).toHaveLength(2);
  },
);

test('deleting something that never existed is an error', async () => {
  const service = await testService((_seen, response) =>
    sendJson(response, 404, { type: 'resource_not_found' }),
  );
  await expect(testTransport(service).nothing(DELETE)).rejects.toMatchObject({ code: 'not_found' });
});

test('redirects are not followed, so that the token goes nowhere else', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const other = await testService((_seen, response) => sendJson(response, 200, { ok: true }));
    const service = await testService((_seen, response) =>
      sendJson(response, status, {}, { location: `${other.baseUrl}/api/v2/things` }),
    );
    await expect(testTransport(service).json(POST, Answer)).rejects.toMatchObject({
      name: 'CrawlhouseError',
    });
    expect(other.seen).toEqual([]);
  }
});
