import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compressionOf, decompress } from '../../../src/site/access-logs/decompress.ts';
import { decodeContent } from '../../../src/site/crawler/fetch/content-encoding.ts';
import { called, Fault, plainTarget, type Verdict } from '../target.ts';

const LIMIT = 1024 * 1024;
const TEXT = Buffer.from('{"url":"https://a.example/","n":1}\n'.repeat(40));

/**
 * A stream that was damaged or cut anywhere is refused, or gives what it had: here each whole stream is the same text, so
 * whatever is taken is that text, once or several times, or no packed stream at all.
 */
async function check(input: Buffer, signal: AbortSignal): Promise<Verdict> {
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'x']) {
    const { body, isTruncated } = decodeContent(input, [['content-encoding', encoding]], LIMIT);
    if ((body?.length ?? 0) > LIMIT) throw new Fault('a body is longer than the limit', encoding);
    if (isTruncated && body === null) throw new Fault('a body is cut and unknown', encoding);
  }
  if (input.subarray(0, 3).toString('latin1') === 'BZh') return 'refused';
  const size = 1 + (input.length % 64);
  const found = await called(async () => {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of decompress('a.log', bytesOf(input, size), signal)) {
      length += piece.length;
      // A log may be of any size; a case that grows without end is no longer interesting.
      if (length > 64 * LIMIT) break;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  });
  if (found === undefined) return 'refused';
  const isPacked = compressionOf(input) !== 'none';
  if (!isPacked && !found.value.equals(input)) throw new Fault('a plain text is changed', found.value.length);
  // The checksum of gzip holds; zstd as we pack it has one too.
  const isCovered = isPacked && input[0] === 0x1f && found.value.length > 0;
  // The bomb is zeros alone.
  const isWhole =
    found.value.every((byte) => byte === 0) ||
    (found.value.length % TEXT.length === 0 && found.value.subarray(0, TEXT.length).equals(TEXT));
  if (isCovered && !isWhole)
    throw new Fault('a damaged stream is taken', found.value.toString().slice(0, 300));
  return 'taken';
}

async function* bytesOf(input: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < input.length; at += size) yield input.subarray(at, at + size);
}

const bomb = gzipSync(Buffer.alloc(8 * LIMIT));

/** gzip and zstd, of logs and of answers of websites. */
export const compression = plainTarget(
  {
    name: 'compression',
    seeds: [
      gzipSync(TEXT),
      Buffer.concat([gzipSync(TEXT), gzipSync(TEXT)]),
      zstdCompressSync(TEXT),
      TEXT,
      gzipSync(TEXT).subarray(0, -4),
      bomb,
    ],
    words: ['\x1f\x8b', 'BZh', '\x1f\x8b\b\0', '(\xb5/\xfd'],
    shortRound: 200,
  },
  check,
);
