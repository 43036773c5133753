import { CrawlhouseError } from '../../../../core/errors/errors.ts';

/** An operator's file has some thousand ranges. */
export const MOST_BYTES = 8_000_000;

/**
 * The text of a stream.
 *
 * @param shown as errors name it
 * @throws CrawlhouseError `usage` for more bytes than `most`
 */
export async function boundedText(
  stream: AsyncIterable<Buffer>,
  shown: string,
  most = MOST_BYTES,
): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    if (bytes > most) {
      throw new CrawlhouseError('usage', `${shown} has more than ${most} bytes`, {
        hint: 'give a file of address ranges alone',
      });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
