import type { IncomingMessage } from 'node:http';

/** More than this of a body that is too large is not even read to its end: the connection is closed. */
const MOST_DRAINED = 64_000_000;

/**
 * The body of a request; null for one of more than `most` bytes. That one is read to its end all the same: a sender that
 * still writes would get a reset in place of the answer.
 */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes <= most) pieces.push(piece);
    else pieces.length = 0;
    if (bytes > MOST_DRAINED) break;
  }
  return bytes > most ? null : Buffer.concat(pieces);
}
