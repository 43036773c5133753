import { execFileSync, spawnSync } from 'node:child_process';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { compressionOf, decompress } from '../../../src/site/access-logs/decompress.ts';
import { plainText } from '../../../src/site/access-logs/plain-text.ts';
import { errorOf } from '../../support/error-of.ts';

const TEXT = 'a line of a log\n'.repeat(50_000);
const hasBzip2 = spawnSync('bzip2', ['--version']).error === undefined;

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Uint8Array, size = 1000): Promise<string> {
  const pieces = await Array.fromAsync(
    decompress('a.log', inPieces(bytes, size), AbortSignal.timeout(20_000)),
  );
  return Buffer.concat(pieces).toString();
}

function bzip2(text: string): Buffer {
  return execFileSync('bzip2', ['-c'], { input: text });
}

test('a file is read in any compression, in chunks of any size, with several members', async () => {
  const half = TEXT.slice(0, TEXT.length / 2);
  for (const pack of [Buffer.from, gzipSync, zstdCompressSync] as ((text: string) => Buffer)[]) {
    const members = Buffer.concat([pack(half), pack(half)]);
    for (const size of members.length < 10_000 ? [1, 3, 100_000] : [1000, 100_000])
      expect((await read(members, size)) === TEXT, `${pack.name} by ${size}`).toBe(true);
  }
  expect(await read(Buffer.alloc(0))).toBe('');
});

test('zeros after a gzip file and between its members are padding', async () => {
  const zeros = Buffer.alloc(700);
  const padded = Buffer.concat([gzipSync('a\n'), zeros, gzipSync('b\n'), zeros]);
  for (const size of [1, 100, 10_000]) expect(await read(padded, size)).toBe('a\nb\n');
});

test.for([
  ['xz', 'fd377a585a00'],
  ['zip', '504b030414'],
  ['lz4', '04224d18'],
  ['7-Zip', '377abcaf271c'],
] as const)('a file of %s is identified by its name', async ([packer, bytes]) => {
  await expect(read(Buffer.from(bytes, 'hex'))).rejects.toThrow(`a.log is compressed with ${packer}`);
});

test.for([
  ['an Excel workbook, not a log', Buffer.from(`PK\x03\x04${'\0'.repeat(26)}[Content_Types].xml`, 'latin1')],
  ['an Excel workbook, not a log', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['compressed with tar', Buffer.from(`access.log${'\0'.repeat(247)}ustar  `)],
] as const)('a file that is not text is identified: %s', async ([what, bytes]) => {
  await expect(read(bytes)).rejects.toThrow(`a.log is ${what}`);
  const source = {
    name: 'a b.log',
    version: null,
    isFinal: true,
    open: async function* () {
      yield gzipSync(bytes);
    },
  };
  const error = await errorOf(Array.fromAsync(plainText(source, new AbortController().signal)));
  expect(error.message).toContain(what);
  if (what.includes('tar')) expect(error.hint).toContain("tar -xOf 'a b.log' | crawlhouse logs add -");
});

test('a truncated or damaged file is refused with its name', async () => {
  for (const pack of [gzipSync, zstdCompressSync]) {
    const whole = pack(TEXT);
    await expect(read(whole.subarray(0, -5)), pack.name).rejects.toThrow(
      /^a\.log: the (gzip|zstd) file is cut or damaged/,
    );
  }
  await expect(read(Buffer.concat([gzipSync(TEXT), Buffer.from('tail')]))).rejects.toThrow(
    'the gzip file is cut or damaged',
  );
});

test.skipIf(!hasBzip2)(
  'bzip2 files are read by the bzip2 program, and truncated or damaged ones are refused',
  async () => {
    const half = TEXT.slice(0, TEXT.length / 2);
    const packed = Buffer.concat([bzip2(half), bzip2(half)]);
    expect(compressionOf(packed)).toBe('bzip2');
    expect((await read(packed, 7)) === TEXT).toBe(true);
    await expect(read(packed.subarray(0, -5))).rejects.toThrow(/^a\.log: the bzip2 file is cut or damaged/);
    const damaged = Buffer.from(packed).fill(0, 30, 40);
    await expect(read(damaged)).rejects.toThrow(/^a\.log: the bzip2 file is cut or damaged/);
    // The program would give the first half, and pass over the second one.
    const stray = Buffer.concat([bzip2(half), Buffer.of(0), bzip2(half)]);
    await expect(read(stray)).rejects.toThrow(
      'a.log: the bzip2 file is cut or damaged: other bytes follow its end',
    );
  },
);

test('without the bzip2 program, the error names what to install', async () => {
  vi.stubEnv('PATH', '/nowhere');
  await expect(read(Buffer.from('BZh91AY&SY'))).rejects.toThrow(
    'reading it needs the program bzip2, which is not installed',
  );
  vi.unstubAllEnvs();
});
