import { CrawlhouseError } from '../core/errors/errors.ts';
import type { RetryOptions, RetryPolicy } from '../core/time/retry.ts';
import { checksumCheck } from './checksum-check.ts';
import type { ByteRange, Checksum, ObjectStore, StoredObject } from './object-store.ts';
import { readRange } from './read-range.ts';
import { retryStore } from './retry-store.ts';

export interface ReadOptions {
  /** Bytes of a range; 8 MB by default. */
  readonly rangeBytes?: number;
  /** The most ranges requested ahead, and thus in memory; default: 4. */
  readonly inFlight?: number;
  /** Milliseconds without a byte after which a range is requested again; default: a minute. */
  readonly idleMs?: number;
  /** Bytes a second at the least, over each minute of waiting. */
  readonly rate?: number;
  /** Of one range. */
  readonly retry?: RetryPolicy;
  readonly onRetry?: RetryOptions['onRetry'];
  /** Called once, after the last byte, with the check that was made. */
  readonly onVerified?: (verified: Checksum['kind']) => void;
}

const RANGE_BYTES = 8 * 1024 * 1024;
const IN_FLIGHT = 4;

/**
 * The bytes of exactly the listed version of an object, in order. They come in concurrent ranges, and the length and
 * checksum of the object are checked. The bytes count only after the generator has ended.
 *
 * @throws CrawlhouseError `object_changed`, `object_corrupt`, or what the store threw in the last try of a range
 */
export async function* objectBytes(
  store: ObjectStore,
  object: StoredObject,
  options: ReadOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const checksum = await store.checksum(object, signal);
  const check = checksumCheck(checksum);
  const ranges = byteRanges(object.size, options.rangeBytes ?? RANGE_BYTES);
  const ended = new AbortController();
  const both = AbortSignal.any([signal, ended.signal]);
  const read = (range: ByteRange): Promise<Buffer> =>
    retryStore(() => readRange(store, object, range, options, both), {
      signal: both,
      ...(options.retry ? { policy: options.retry } : {}),
      ...(options.onRetry ? { onRetry: options.onRetry } : {}),
    });
  const ahead: Promise<Buffer>[] = [];
  const start = (): void => {
    const next = ranges.next();
    if (next.done) return;
    const promise = read(next.value);
    // If a range fails while an earlier one is awaited, its error is thrown in its turn, or never if the reader stops.
    promise.catch(() => {});
    ahead.push(promise);
  };
  try {
    for (let i = 0; i < (options.inFlight ?? IN_FLIGHT); i++) start();
    for (let first = ahead.shift(); first; first = ahead.shift()) {
      const bytes = await first;
      // At most `inFlight` ranges are held, besides the one handed over.
      start();
      check.update(bytes);
      yield bytes;
    }
  } finally {
    ended.abort();
    await Promise.allSettled(ahead);
  }
  if (!check.holds()) {
    throw new CrawlhouseError(
      'object_corrupt',
      `${object.url}: ${object.size} bytes came, but their ${checksum.kind} is not that of the store`,
    );
  }
  options.onVerified?.(checksum.kind);
}

/**
 * The content of a small object, which is held in memory.
 *
 * @throws CrawlhouseError as `objectBytes`
 */
export async function objectText(
  store: ObjectStore,
  object: StoredObject,
  signal: AbortSignal,
): Promise<string> {
  return Buffer.concat(await Array.fromAsync(objectBytes(store, object, {}, signal))).toString();
}

/** The ranges of an object of `size` bytes, each of at most `rangeBytes`. */
export function* byteRanges(size: number, rangeBytes: number): Generator<ByteRange, undefined> {
  for (let from = 0; from < size; from += rangeBytes) yield { from, to: Math.min(size, from + rangeBytes) };
}
