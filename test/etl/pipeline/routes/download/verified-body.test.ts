import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type BodyFacts,
  verifiedBody,
} from '../../../../../src/etl/pipeline/routes/download/verified-body.ts';
import { cutAnywhere } from './texts.ts';

const CONTENT = Buffer.from(Array.from({ length: 5000 }, (_none, n) => `{"n":${n}}\n`).join(''));

interface Read {
  readonly content: Buffer;
  readonly facts: BodyFacts;
}

async function read(wire: Buffer | readonly Buffer[], encoding: string | undefined): Promise<Read> {
  const facts: BodyFacts = { bytes: -1, sha256: '' };
  const body = Readable.from(Buffer.isBuffer(wire) ? [wire] : wire);
  const chunks = await Array.fromAsync(verifiedBody(body, 'export of pages', facts, { encoding }));
  return { content: Buffer.concat(chunks), facts };
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

test.for([undefined, 'identity', '', ' Identity '])(
  'a body with the encoding %j stays unchanged',
  async (encoding) => {
    const { content, facts } = await read(CONTENT, encoding);
    expect(content.equals(CONTENT)).toBe(true);
    expect(facts).toEqual({ bytes: CONTENT.length, sha256: hashOf(CONTENT) });
  },
);

test('gzip is decompressed at any split; bytes count the wire, the hash covers the content', async () => {
  const contents = fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(contents, fc.array(fc.nat(), { maxLength: 5 }), async (content, cuts) => {
      const wire = gzipSync(content);
      const result = await read(cutAnywhere(wire, cuts), 'gzip');
      expect(result.content.equals(content)).toBe(true);
      expect(result.facts).toEqual({ bytes: wire.length, sha256: hashOf(content) });
    }),
    { numRuns: 50 },
  );
});

test('two consecutive gzip members are one content', async () => {
  const wire = Buffer.concat([gzipSync('{"a":1}\n'), gzipSync('{"a":2}\n')]);
  const { content, facts } = await read(wire, 'gzip');
  expect(content.toString()).toBe('{"a":1}\n{"a":2}\n');
  expect(facts.bytes).toBe(wire.length);
});

test.for([1, 8, 9, 20, 1000])('gzip without its last %i bytes is cut_short', async (missing) => {
  const wire = gzipSync(CONTENT);
  await expect(read(wire.subarray(0, wire.length - missing), 'gzip')).rejects.toMatchObject({
    code: 'cut_short',
    message: expect.stringContaining('export of pages: '),
  });
});

test('a truncated second member is detected', async () => {
  const wire = Buffer.concat([gzipSync('{"a":1}\n'), gzipSync(CONTENT).subarray(0, -5)]);
  await expect(read(wire, 'gzip')).rejects.toMatchObject({ code: 'cut_short' });
});

test('a wrong CRC and a wrong length are detected', async () => {
  for (const at of [-8, -1]) {
    const broken = gzipSync(CONTENT);
    broken[broken.length + at] = (broken.at(at) ?? 0) ^ 1;
    await expect(read(broken, 'gzip')).rejects.toMatchObject({ code: 'cut_short' });
  }
});

test('a flipped bit after the gzip header never changes the content undetected', async () => {
  const wire = gzipSync(CONTENT);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 10, max: wire.length - 1 }), fc.nat(7), async (at, bit) => {
      const broken = Buffer.from(wire);
      broken[at] = (broken[at] ?? 0) ^ (1 << bit);
      // A few bits carry nothing, such as those that fill up the last byte of the data.
      const result = await read(broken, 'gzip').catch((error: unknown) => error);
      if (result instanceof Error) expect(result).toMatchObject({ code: 'cut_short' });
      else expect((result as Read).content.equals(CONTENT)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test.for(['trailing garbage', '\0', '\0\0\0\0\0\0\0\0\0', '\u001f'])(
  'bytes after the gzip data are detected: %j',
  async (garbage) => {
    const wire = Buffer.concat([gzipSync('{"a":1}\n'), Buffer.from(garbage, 'latin1')]);
    await expect(read(wire, 'gzip')).rejects.toMatchObject({ code: 'cut_short' });
    await expect(
      read([wire.subarray(0, -garbage.length), wire.subarray(-garbage.length)], 'gzip'),
    ).rejects.toMatchObject({ code: 'cut_short' });
  },
);

test('an empty body is not gzip, but an empty plain body is complete', async () => {
  await expect(read([], 'gzip')).rejects.toMatchObject({ code: 'cut_short' });
  expect((await read([], undefined)).facts).toEqual({ bytes: 0, sha256: hashOf(Buffer.alloc(0)) });
});

test('plain bytes declared as gzip, and an unrequested encoding, are refused', async () => {
  await expect(read(CONTENT, 'gzip')).rejects.toMatchObject({ code: 'cut_short' });
  for (const encoding of ['br', 'deflate', 'gzip, gzip', 'zstd']) {
    await expect(read(CONTENT, encoding)).rejects.toMatchObject({
      code: 'contract_broken',
      message: expect.stringContaining(encoding),
    });
  }
});

test('a reset during a body is a retriable connection error, plain or gzip', async () => {
  for (const [wire, encoding] of [
    [CONTENT, 'identity'],
    [gzipSync(CONTENT), 'gzip'],
  ] as const) {
    const body = Readable.from(
      (async function* () {
        yield wire.subarray(0, 100);
        throw Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
      })(),
    );
    const facts: BodyFacts = { bytes: -1, sha256: '' };
    await expect(Array.fromAsync(verifiedBody(body, 'export', facts, { encoding }))).rejects.toMatchObject({
      code: 'connection',
      message: 'export: other side closed',
    });
    expect(facts.bytes).toBe(-1);
  }
});

test('a reader that stops early closes the body', async () => {
  const body = Readable.from([CONTENT, CONTENT]);
  const content = verifiedBody(body, 'export', { bytes: 0, sha256: '' });
  await content.next();
  await content.return(undefined);
  expect(body.destroyed).toBe(true);
});
