import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { fetchRangeFile } from '../../../../src/site/access-logs/bots/fetch-range-file.ts';
import { serveTls, trustedIdentity } from '../../../support/tls-server.ts';

const { signal } = new AbortController();
const LIMITS = { bytes: 1_000, timeoutMs: 2_000, redirects: 2 };

/** A server that this process trusts, as its origin and what it was asked for. */
async function server(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = [];
  const port = await serveTls(await trustedIdentity(), 'http1', (request, response) => {
    asked.push(String(request.url));
    answer(request, response);
  });
  return { port, asked };
}

test('a file is read from the given host, even on this machine', async () => {
  const { port } = await server((_request, response) => response.end('1.2.3.0/24\n'));
  expect(await fetchRangeFile(`https://localhost:${port}/f`, signal, LIMITS)).toBe('1.2.3.0/24\n');
  expect(await fetchRangeFile(`https://127.0.0.1:${port}/f`, signal, LIMITS)).toBe('1.2.3.0/24\n');
});

test('a few redirects on the same host are followed', async () => {
  const { port, asked } = await server(({ url }, response) => {
    if (url === '/f') response.writeHead(302, { location: '/g' }).end();
    else if (url === '/g') response.end('1.2.3.0/24');
    else response.writeHead(307, { location: '/endless' }).end();
  });
  expect(await fetchRangeFile(`https://localhost:${port}/f`, signal, LIMITS)).toBe('1.2.3.0/24');
  await expect(fetchRangeFile(`https://localhost:${port}/endless`, signal, LIMITS)).rejects.toMatchObject({
    code: 'connection',
    message: expect.stringContaining('has more than 2 redirects'),
  });
  expect(asked).toEqual(['/f', '/g', '/endless', '/endless', '/endless']);
});

test.each([
  ['http://localhost/f', 'leads to http://localhost/f, which is not an https address'],
  ['file:///etc/passwd', 'leads to file:///etc/passwd, which is not an https address'],
  ['https://127.0.0.1/f', 'leads to 127.0.0.1, which is not on the public Internet'],
  ['https://[::1]/f', 'leads to [::1], which is not on the public Internet'],
  ['https://169.254.169.254/latest', 'leads to 169.254.169.254, which is not on the public Internet'],
  ['https://user:pass@example.com/f', 'an address with a password is not allowed'],
])('a redirect to %s is not followed', async (location, message) => {
  const { port, asked } = await server((_request, response) => response.writeHead(302, { location }).end());
  await expect(fetchRangeFile(`https://localhost:${port}/f`, signal, LIMITS)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  });
  expect(asked).toEqual(['/f']);
});

test.each([
  ['http://example.com/f', 'http://example.com/f is not an https address'],
  ['ftp://example.com/f', 'ftp://example.com/f is not an https address'],
  ['https://user:pass@example.com/f', 'an address with a password is not allowed'],
])('%s is not requested', async (address, message) => {
  await expect(fetchRangeFile(address, signal, LIMITS)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  });
});

test('a file that is too large, late or missing is refused', async () => {
  const { port } = await server(({ url }, response) => {
    if (url === '/large') response.end('x'.repeat(1_001));
    else if (url === '/gone') response.writeHead(404).end();
    else response.writeHead(200).write('1.2.3');
  });
  const read = (path: string) =>
    fetchRangeFile(`https://localhost:${port}${path}`, signal, { ...LIMITS, timeoutMs: 300 });
  await expect(read('/large')).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('more than 1000 bytes'),
  });
  await expect(read('/gone')).rejects.toMatchObject({
    code: 'connection',
    message: expect.stringContaining('answered 404'),
  });
  await expect(read('/late')).rejects.toMatchObject({
    code: 'connection',
    message: expect.stringContaining('gave no answer within 0.3 s'),
  });
});

test('an abort ends the request', async () => {
  const abort = new AbortController();
  const { port } = await server(() => abort.abort(new Error('stop')));
  await expect(fetchRangeFile(`https://localhost:${port}/f`, abort.signal, LIMITS)).rejects.toThrow('stop');
});
