import { S3Error } from './s3-error.ts';

const LONGEST_LINE = 16 * 1024;

/**
 * The bytes in a body of content encoding `aws-chunked`: chunks, each under a line with its size in hexadecimal, then
 * trailers, which are put into `trailers` by their lower-case names once all bytes have been read.
 */
export async function* awsChunked(
  body: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  let left: number | undefined;
  let ended = false;
  for await (const piece of body) {
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    for (;;) {
      if (left !== undefined && left > 0) {
        if (held.length === 0) break;
        const bytes = held.subarray(0, left);
        left -= bytes.length;
        held = held.subarray(bytes.length);
        yield bytes;
        continue;
      }
      const end = held.indexOf('\r\n');
      if (end < 0) {
        if (held.length > LONGEST_LINE) throw broken('a line is too long');
        break;
      }
      const line = held.subarray(0, end).toString('latin1');
      held = held.subarray(end + 2);
      if (ended) {
        const at = line.indexOf(':');
        if (at > 0) trailers.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
      } else if (left === 0) {
        if (line !== '') throw broken('a chunk is longer than its size');
        left = undefined;
      } else {
        left = sizeOf(line);
        ended = left === 0;
      }
    }
  }
  if (!ended) throw broken('the last chunk is missing');
}

function sizeOf(line: string): number {
  const size = /^([0-9a-f]{1,10})(;.*)?$/i.exec(line)?.[1];
  if (size === undefined) throw broken(`${JSON.stringify(line.slice(0, 40))} is not the size of a chunk`);
  return Number.parseInt(size, 16);
}

function broken(why: string): S3Error {
  return new S3Error('IncompleteBody', `The body is not aws-chunked: ${why}`);
}
