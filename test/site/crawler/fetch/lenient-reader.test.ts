import { type AddressInfo, createServer } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type AnswerHead, LenientReader } from '../../../../src/site/crawler/fetch/lenient-reader.ts';
import { testSeed } from '../../../support/random.ts';
import { fetcherOf } from '../fetcher-of.ts';

interface Read extends Partial<AnswerHead> {
  readonly body: string;
  readonly refusal?: string;
}

/** Reads an answer that comes in pieces, and then ends. */
function read(pieces: readonly Buffer[]): Read {
  let head: Partial<AnswerHead> = {};
  let body = '';
  const reader = new LenientReader({
    head: (one) => {
      head = one;
    },
    data: (piece) => {
      body += piece.toString('latin1');
    },
  });
  try {
    for (const piece of pieces) reader.push(piece);
    reader.end();
  } catch (error) {
    return { ...head, body, refusal: (error as Error).message };
  }
  return { ...head, body };
}

const OK = 'HTTP/1.1 200 OK\r\n';
/** Answers with the body `page`, as Chromium reads them. */
const READABLE: readonly (readonly [name: string, answer: string])[] = [
  ['a length', `${OK}Content-Length: 4\r\n\r\npage`],
  ['no length', `${OK}\r\npage`],
  ['one length twice', `${OK}Content-Length: 4\r\nContent-Length: 4\r\n\r\npage`],
  ['one length twice in a line', `${OK}Content-Length: 4, 4\r\n\r\npage`],
  ['an invalid length', `${OK}Content-Length: four\r\n\r\npage`],
  ['more than the length says', `${OK}Content-Length: 4\r\n\r\npage and more`],
  ['chunks', `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\npa\r\n2;x=y\r\nge\r\n0\r\nA: b\r\n\r\n`],
  [
    'chunks beside a length',
    `${OK}Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n`,
  ],
  ['chunks without CR', `${OK}Transfer-Encoding: chunked\r\n\r\n4\npage\n0\n\n`],
  [
    'chunks with spaces behind their sizes',
    `${OK}Transfer-Encoding: chunked\r\n\r\n4  \r\npage\r\n0\r\n\r\n`,
  ],
  ['a last chunk without its end', `${OK}Transfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n`],
  ['an unknown transfer coding', `${OK}Transfer-Encoding: other\r\n\r\npage`],
  ['a header without colon', `${OK}Powered by nothing\r\n\r\npage`],
  ['a header without name', `${OK}: nothing\r\n\r\npage`],
  ['a name with a space', `${OK}X Powered: by\r\n\r\npage`],
  ['a space before the colon', `${OK}Content-Length : 4\r\n\r\npage and more`],
  ['a control character', `${OK}X-A: a\x01\x7fb\r\n\r\npage`],
  ['lines without CR', 'HTTP/1.1 200 OK\nContent-Length: 4\n\npage'],
  ['lines that end in two ways', 'HTTP/1.1 200 OK\nA: b\r\n\npage'],
  ['a folded header', `${OK}A: b\r\n c\r\nContent-Length: 4\r\n\r\npage`],
  ['no reason', 'HTTP/1.1 200\r\n\r\npage'],
  ['no status', 'HTTP/1.1\r\n\r\npage'],
  ['another case', 'http/1.1 200 ok\r\n\r\npage'],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\npage'],
  ['a line before it', `\r\n${OK}\r\npage`],
  ['an informational answer before it', `HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n${OK}\r\npage`],
  ['200 KB of cookies', `${OK}${`Set-Cookie: a=${'x'.repeat(4_000)}\r\n`.repeat(50)}\r\npage`],
];

test.each(READABLE)('a response with %s is read', (_name, answer) => {
  expect(read([Buffer.from(answer, 'latin1')])).toMatchObject({ statusCode: 200, body: 'page' });
});

test.each([
  ['SSH-2.0-OpenSSH_9.6\r\n', 'there is no status line of HTTP'],
  [`${OK}A: b`, 'the connection ended within the headers'],
  ['', 'the connection ended within the headers'],
  [`${OK}A: b\0\r\n\r\npage`, 'the headers have a NUL character'],
  [`${OK}Content-Length: 4\r\nContent-Length: 5\r\n\r\npage`, 'it has several lengths that differ'],
  [`HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\n\r\n`, 'it has several locations that differ'],
  [`${OK}A: ${'b'.repeat(262_144)}\r\n\r\npage`, 'the headers have more than 262144 bytes'],
  [`${OK}Transfer-Encoding: chunked\r\n\r\nxy\r\npage`, 'a chunk has no size'],
])('the response %j is refused with the reason', (answer, refusal) => {
  expect(read([Buffer.from(answer, 'latin1')])).toMatchObject({ refusal });
});

test('headers keep their values', () => {
  const answer = `${OK}A: b\r\n\tc\r\nLink : <é>\r\nEmpty:\r\nnone\r\n\r\n`;
  const { headers } = read([Buffer.from(answer)]);
  expect(headers).toEqual([
    ['a', 'b c'],
    ['link', '<é>'],
    ['empty', ''],
  ]);
});

test('the chunks of a response do not matter', () => {
  fc.assert(
    fc.property(fc.constantFrom(...READABLE), fc.array(fc.nat(60), { minLength: 1 }), ([, text], sizes) => {
      const answer = Buffer.from(text, 'latin1').subarray(0, 400);
      const pieces: Buffer[] = [];
      for (let at = 0, turn = 0; at < answer.length; turn++) {
        const size = 1 + (sizes[turn % sizes.length] ?? 0);
        pieces.push(answer.subarray(at, at + size));
        at += size;
      }
      expect(read(pieces)).toEqual(read([answer]));
    }),
    { seed: testSeed(), numRuns: 500 },
  );
});

test('any bytes end in a response or a refusal', () => {
  fc.assert(
    fc.property(fc.constantFrom('', OK), fc.uint8Array({ maxLength: 200 }), (start, bytes) => {
      const { statusCode, refusal } = read([Buffer.from(start), Buffer.from(bytes)]);
      expect(statusCode !== undefined || refusal !== undefined).toBe(true);
    }),
    { seed: testSeed(), numRuns: 1_000 },
  );
});

/** A server whose answers are these bytes, by path; the paths that were asked for. */
async function serveBytes(
  answers: Readonly<Record<string, string>>,
): Promise<{ origin: string; hits: string[] }> {
  const hits: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      const path = piece.toString('latin1').split(' ')[1] ?? '';
      hits.push(path);
      socket.end(Buffer.from(answers[path] ?? '', 'latin1'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits };
}

test('a response that the pool refuses is requested once more, later ones of the host are not', async () => {
  const odd = `${OK}Content-Type: text/html\r\nno colon\r\nContent-Length: 4\r\n\r\npage`;
  const site = await serveBytes({ '/a': odd, '/b': odd, '/ssh': 'SSH-2.0\r\n\r\n' });
  const fetcher = await fetcherOf(`${site.origin}/`);
  for (const path of ['/a', '/b']) {
    const answer = await fetcher.fetch(site.origin + path);
    expect(answer).toMatchObject({ statusCode: 200, error: null, httpVersion: '1.1' });
    expect(Buffer.from(answer.body ?? []).toString()).toBe('page');
  }
  expect(site.hits).toEqual(['/a', '/a', '/b']);
  expect(await fetcher.fetch(`${site.origin}/ssh`)).toMatchObject({
    statusCode: null,
    error: 'protocol',
    refusal: 'there is no status line of HTTP',
  });
});

test.each([
  ['a length', 'Content-Length: 9\r\n\r\npage'],
  ['a length, by the lenient reader', 'no colon\r\nContent-Length: 9\r\n\r\npage'],
  ['chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\npage\r\n'],
  ['a chunk', 'Transfer-Encoding: chunked\r\n\r\n9\r\npage'],
  ['a size of a chunk', 'Transfer-Encoding: chunked\r\n\r\n4\r\npage\r\nsize\r\n'],
])('of a body cut off by %s, the received part is kept', async (_name, rest) => {
  const site = await serveBytes({ '/': OK + rest });
  const answer = await (await fetcherOf(`${site.origin}/`)).fetch(`${site.origin}/`);
  expect(answer).toMatchObject({ statusCode: 200, error: null, isTruncated: true, isBrokenOff: true });
  expect(Buffer.from(answer.body ?? []).toString()).toBe('page');
});

test('both readers cut a body at its limit', async () => {
  const body = 'x'.repeat(5_000);
  const site = await serveBytes({ '/': `${OK}no colon\r\n\r\n${body}`, '/plain': `${OK}\r\n${body}` });
  const fetcher = await fetcherOf(`${site.origin}/`);
  for (const path of ['/plain', '/']) {
    const answer = await fetcher.fetch(site.origin + path, 1_000);
    expect(answer).toMatchObject({ statusCode: 200, isTruncated: true, isBrokenOff: false });
    expect(answer.body?.length).toBe(1_000);
  }
});

test.each([
  ['204 No Content', 'Transfer-Encoding: chunked'],
  ['304 Not Modified', 'Transfer-Encoding: chunked'],
  ['204 No Content', 'Content-Length: 4'],
  ['304 Not Modified', 'no colon\r\nTransfer-Encoding: chunked'],
])(
  'a response with the status %s has no body, whatever its header says: %s',
  { timeout: 5000 },
  async (status, header) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      // The connection stays open.
      socket.on('data', () => socket.write(`HTTP/1.1 ${status}\r\n${header}\r\n\r\n`));
      onTestFinished(() => void socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const fetcher = await fetcherOf(url);
    for (let time = 0; time < 2; time++) {
      const answer = await fetcher.fetch(url);
      expect(answer).toMatchObject({
        statusCode: Number(status.slice(0, 3)),
        error: null,
        isTruncated: false,
      });
      expect(answer.body).toHaveLength(0);
    }
  },
);
