import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import { createLogger } from '../../../src/core/logs/logger.ts';
import { listenAddress, listenHttp, readBody } from '../../../src/core/net/listen-http.ts';

test('a port in use is reported with a working command on a free port', async () => {
  const options = {
    code: 'usage',
    way: (free: string) => `crawlhouse mcp --http ${free}`,
    door: 'test',
  } as const;
  const logger = createLogger('error', () => {});
  const listen = (address: string) => listenHttp(address, async () => {}, { ...options, logger });
  const first = await listen('127.0.0.1:0');
  onTestFinished(() => first[Symbol.asyncDispose]());
  const error = await listen(`127.0.0.1:${first.port}`).catch((thrown: unknown) => thrown as CrawlhouseError);
  expect(error).toMatchObject({
    exitCode: 2,
    message: `cannot listen on 127.0.0.1:${first.port}: another program listens on it`,
  });
  const { hint } = error as CrawlhouseError;
  const command = /^stop that program, or use a free port: crawlhouse mcp --http (127\.0\.0\.1:\d+)$/;
  await using _free = await listen(command.exec(hint ?? '')?.[1] ?? '');
});

test('an address of another machine is reported with an address of this machine', async () => {
  const [code, way, door] = ['bad_settings', (free: string) => `ADDRESS=${free}`, 'test'] as const;
  const logger = createLogger('error', () => {});
  await expect(
    listenHttp('192.0.2.1:8090', async () => {}, { code, way, door, logger }),
  ).rejects.toMatchObject({
    message: 'cannot listen on 192.0.2.1:8090: this machine does not have this address',
    hint: expect.stringMatching(/^use an address of this machine: ADDRESS=127\.0\.0\.1:\d+$/),
  });
});

test('a failing response is 500, and the log contains cause, server and path', async () => {
  const lines: string[] = [];
  const logger = createLogger('error', (line) => lines.push(line));
  const fails = async (): Promise<void> => {
    throw new Error('the disk is gone');
  };
  await using listener = await listenHttp('127.0.0.1:0', fails, {
    code: 'usage',
    way: () => '--port',
    door: 'test',
    logger,
  });
  const answer = await fetch(`http://127.0.0.1:${listener.port}/metrics?key=secret`);
  expect([answer.status, await answer.json()]).toMatchObject([500, { error: { code: 'internal' } }]);
  expect(lines.join('')).toContain('the disk is gone');
  expect(lines.join('')).toContain('test');
  expect(lines.join('')).toContain('/metrics');
  expect(lines.join('')).not.toContain('secret');
});

test('an IPv6 host is reported without brackets', () => {
  expect(listenAddress('[::1]:8092')).toEqual({ name: '[::1]', host: '::1', port: 8092 });
});

test('a response that fails after its start is cut off, and one whose client is gone is not logged', async () => {
  const lines: string[] = [];
  const logger = createLogger('error', (line) => lines.push(line));
  await using listener = await listenHttp(
    '127.0.0.1:0',
    async (request, response) => {
      if (request.url === '/started') response.write('half');
      else response.destroy();
      throw new Error(`failed ${request.url}`);
    },
    { code: 'usage', way: () => '--port', door: 'test', logger },
  );
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${listener.port}${path}`)).text();
  await expect(read('/started')).rejects.toThrow();
  await expect(read('/gone')).rejects.toThrow();
  expect(lines.join('')).toContain('failed /started');
  expect(lines.join('')).not.toContain('failed /gone');
});

test.each([
  [['ab', 'cde'], 'abcde', 2],
  [['ab', 'cdef', ''], undefined, 3],
  [Array(100).fill('x'.repeat(1_000_000)), undefined, 65],
])('a body is read up to its limit, and drained up to 64 MB', async (pieces, text, count) => {
  let read = 0;
  const body = Readable.from(
    (function* () {
      for (const piece of pieces) {
        read++;
        yield Buffer.from(piece);
      }
    })(),
    { highWaterMark: 1 },
  );
  expect((await readBody(body as IncomingMessage, 5))?.toString()).toBe(text);
  expect(read - count).toBeOneOf([0, 1]);
});
