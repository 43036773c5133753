import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { Fault } from '../../../../src/service/sandbox/faults/fault.ts';
import { duplicateLine, wireFault } from '../../../../src/service/sandbox/faults/wire-fault.ts';

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
async function read(body: AsyncIterable<Buffer>): Promise<string> {
  let all = '';
  for await (const piece of body) all += piece.toString('latin1');
  return all;
}

/** What a client receives, and what happened to its connection. */
async function received(fault: object, encoding?: string, closed = AbortSignal.abort()) {
  const events: string[] = [];
  const response = {
    getHeader: () => encoding,
    flushHeaders: () => events.push('headers'),
    writableLength: 0,
    socket: { writableLength: 0, resetAndDestroy: () => events.push('reset') },
  } as unknown as ServerResponse;
  const text = await read(wireFault(pieces('abc', 'def'), fault as Fault, { response, closed }));
  return [text, ...events];
}

test.each([
  [{ kind: 'truncate', after_bytes: 4 }, ['abcd']],
  [{ kind: 'truncate', after_bytes: 3 }, ['abc']],
  [{ kind: 'truncate' }, ['']],
  [{ kind: 'truncate', after_bytes: 99 }, ['abcdef']],
  [{ kind: 'reset', after_bytes: 2 }, ['ab', 'reset']],
  [{ kind: 'stall', after_bytes: 2 }, ['ab', 'headers']],
  [{ kind: 'other' }, ['abcdef']],
  [{ kind: 'corrupt_gzip', after_bytes: 1 }, ['abcdef']],
])('%j: a client receives %j', async (fault, expected) => {
  expect(await received(fault)).toEqual(expected);
});

test('a compressed body has a wrong byte, at an offset or in the middle', async () => {
  const flipped = (char: string) => String.fromCharCode(char.charCodeAt(0) ^ 0xff);
  expect(await received({ kind: 'corrupt_gzip', after_bytes: 1 }, 'gzip')).toEqual([`a${flipped('b')}cdef`]);
  expect(await received({ kind: 'corrupt_gzip', after_bytes: 4 }, 'gzip')).toEqual([`abcd${flipped('e')}f`]);
  expect(await received({ kind: 'corrupt_gzip', after_bytes: 99 }, 'gzip')).toEqual([`abcde${flipped('f')}`]);
  expect(await received({ kind: 'corrupt_gzip' }, 'gzip')).toEqual([`abc${flipped('d')}ef`]);
});

test('a slow body arrives in slices until the client closes', async () => {
  const open = new AbortController().signal;
  const began = performance.now();
  expect(await received({ kind: 'slow', bytes_per_second: 100 }, undefined, open)).toEqual(['abcdef']);
  expect(performance.now() - began).toBeGreaterThan(40);
  await expect(received({ kind: 'slow', bytes_per_second: 1 })).rejects.toThrow();
});

test('a stalled response waits until it is closed', async () => {
  const closing = new AbortController();
  setTimeout(() => closing.abort(), 20);
  expect(await received({ kind: 'stall' }, undefined, closing.signal)).toEqual(['', 'headers']);
});

test('the first line of data is sent twice', async () => {
  const twice = (csv: boolean, ...texts: string[]) => read(duplicateLine(pieces(...texts), csv));
  expect(await twice(false, 'a\nb', '\nc\n')).toBe('a\na\nb\nc\n');
  expect(await twice(true, 'h\na', '\nb\n')).toBe('h\na\na\nb\n');
  expect(await twice(true, 'h\n"a\nb"\nc\n')).toBe('h\n"a\nb"\n"a\nb"\nc\n');
  expect(await twice(false, '"a\nb\n')).toBe('"a\n"a\nb\n');
  expect(await twice(false, 'a')).toBe('a');
  expect(await twice(true, 'h\n')).toBe('h\n');
});
