import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { atLeastAtRate, overLimit } from '../../../../core/net/download-limits.ts';
import { bytesText } from '../../../../core/text/amounts.ts';
import { retriable } from '../../../../core/time/retry.ts';

/** The form of a body, and its limits. */
interface BodyOptions {
  /** Its Content-Encoding; none by default. */
  readonly encoding?: string | undefined;
  /** Maximum bytes of the decompressed content. */
  readonly bytes?: number;
  /** Minimum transferred bytes per second. */
  readonly rate?: number;
}

/** The facts about a body, known after its end. */
export interface BodyFacts {
  /** Transferred bytes. */
  bytes: number;
  /** SHA-256 of the content after decompression. */
  sha256: string;
}

/**
 * Reads a body to its real end. Counts the transferred bytes, decompresses gzip and checks its CRC and length, and
 * hashes the content. `facts` is complete after the last chunk.
 *
 * @throws CrawlhouseError `cut_short` or `connection`, retriable; `over_limit`
 */
export async function* verifiedBody(
  body: Readable,
  what: string,
  facts: BodyFacts,
  {
    encoding: contentEncoding = 'identity',
    bytes: mostBytes = Number.POSITIVE_INFINITY,
    rate = 0,
  }: BodyOptions = {},
): AsyncGenerator<Buffer> {
  // A body that is destroyed before it is read emits an error event. Without a listener, that ends the process.
  body.on('error', () => {});
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding !== 'gzip' && encoding !== 'identity' && encoding !== '') {
    body.destroy();
    throw new CrawlhouseError('contract_broken', `${what}: Content-Encoding ${encoding} was not requested`);
  }
  const hash = createHash('sha256');
  let wireBytes = 0;
  let contentBytes = 0;
  const wire = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of atLeastAtRate<Buffer>(body, what, { rate })) {
      wireBytes += chunk.length;
      yield chunk;
    }
  };
  const gunzip = encoding === 'gzip' ? createGunzip({ chunkSize: 256 * 1024 }) : undefined;
  // An error of the body destroys the decompressor with it, so it surfaces in the loop below.
  if (gunzip) pipeline(wire(), gunzip).catch(() => {});
  try {
    for await (const chunk of (gunzip as AsyncIterable<Buffer> | undefined) ?? wire()) {
      contentBytes += chunk.length;
      if (contentBytes > mostBytes)
        throw overLimit(
          `${what}: received more than ${bytesText(mostBytes)}, too much for these rows`,
          'bytes_per_row',
        );
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw bodyError(error, what);
  } finally {
    body.destroy();
    gunzip?.destroy();
  }
  if (gunzip && gunzip.bytesWritten !== wireBytes) {
    throw retriable(
      'cut_short',
      `${what}: ${wireBytes - gunzip.bytesWritten} bytes follow the end of the gzip data`,
    );
  }
  if (gunzip && wireBytes === 0) throw retriable('cut_short', `${what}: the gzip body is empty`);
  facts.bytes = wireBytes;
  facts.sha256 = hash.digest('hex');
}

function bodyError(error: unknown, what: string): unknown {
  if (error instanceof CrawlhouseError) return error;
  if (error instanceof Error && error.name === 'AbortError') return error;
  const code = (error as { code?: string }).code ?? '';
  const message = error instanceof Error ? error.message : String(error);
  const cut = code.startsWith('Z_') || code === 'ERR_STREAM_PREMATURE_CLOSE';
  return retriable(cut ? 'cut_short' : 'connection', `${what}: ${message || code}`, error);
}
