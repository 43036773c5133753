import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { plainText } from '../../../src/site/access-logs/plain-text.ts';

async function textOf(bytes: Buffer, size: number): Promise<string> {
  const source = {
    name: 'a.log',
    version: null,
    isFinal: true,
    async *open() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
  };
  const pieces = await Array.fromAsync(plainText(source, new AbortController().signal));
  return Buffer.concat(pieces).toString();
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const big = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

test.for([
  ['as it is', Buffer.from('é 1\n\n2'), 'é 1\n\n2'],
  ['a byte order mark', Buffer.concat([MARK, Buffer.from('1\n2\n')]), '1\n2\n'],
  ['UTF-16 with a mark', Buffer.from('\ufeffé1\n2\n', 'utf16le'), 'é1\n2\n'],
  ['UTF-16 the other way round', big('\ufeffé1\n2\n'), 'é1\n2\n'],
  ['UTF-16 without a mark', Buffer.from('12\n', 'utf16le'), '12\n'],
  ['NUL bytes before a line', Buffer.from(`${'\0'.repeat(5000)}1\n\0\0b\0\n`), '1\nb\0\n'],
  ['nothing', Buffer.alloc(0), ''],
  ['packed', gzipSync(Buffer.concat([MARK, Buffer.from('1\n')])), '1\n'],
  ['an array', Buffer.from('[{"a":"}]\\"{"},\n{"b":\n{"c":1}}]'), '{"a":"}]\\"{"}\n{"b": {"c":1}}\n'],
  ['arrays', Buffer.from('[{"a":1}]\n[{"b":2},{"c":3}]\n'), '{"a":1}\n{"b":2}\n{"c":3}\n'],
  [
    'records over several lines',
    Buffer.from('{\r\n "a": 1\r\n}\r\n{\n "b": "{"\n}'),
    '{   "a": 1  }\n{  "b": "{" }\n',
  ],
  ['a bracket', Buffer.from('[10/Nov/2026] {1}\n'), '[10/Nov/2026] {1}\n'],
] as const)('the text of %s is read in chunks of any size', async ([, bytes, text]) => {
  for (const size of [1, 2, 7, 100_000]) expect(await textOf(bytes, size)).toBe(text);
});
