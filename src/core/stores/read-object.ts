import { createHash, type Hash } from 'node:crypto';
import { CrawlhouseError } from '../errors/errors.ts';
import { crc32c } from '../files/crc32c.ts';
import { host } from '../host/host.ts';
import { atLeastAtRate } from '../net/download-limits.ts';
import { type RetryOptions, type RetryPolicy, retriable } from '../time/retry.ts';
import { retryStore } from './network-store.ts';
import type { ByteRange, Checksum, ObjectStore, StoredObject } from './object-store.ts';

export interface ReadOptions {
  /** Bytes per range; default: 8 MB. */
  readonly rangeBytes?: number;
  /** Maximum ranges requested ahead, and thus in memory; default: 4. */
  readonly inFlight?: number;
  /** Milliseconds without a byte after which a range is requested again; default: a minute. */
  readonly idleMs?: number;
  /** Minimum bytes per second, over each minute of waiting. */
  readonly rate?: number;
  /** Of one range. */
  readonly retry?: RetryPolicy;
  readonly onRetry?: RetryOptions['onRetry'];
  /** Called once, after the last byte, with the performed check. */
  readonly onVerified?: (verified: Checksum['kind']) => void;
}

const RANGE_BYTES = 8 * 1024 * 1024;
const IN_FLIGHT = 4;

/**
 * Yields the bytes of exactly the listed version of an object, in order. They are read in concurrent ranges, and the
 * length and checksum of the object are checked. The bytes are valid only after the generator has ended.
 *
 * @throws CrawlhouseError `object_changed`, `object_corrupt`, or what the store threw in the last attempt of a range
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
  const read = (range: ByteRange): Promise<Buffer> => objectRange(store, object, { ...options, range }, both);
  const ahead: Promise<Buffer>[] = [];
  const start = (): void => {
    const next = ranges.next();
    if (next.done) return;
    const promise = read(next.value);
    // If a range fails while an earlier one is awaited, its error is thrown when its turn comes, or never if the reader
    // stops.
    promise.catch(() => {});
    ahead.push(promise);
  };
  try {
    for (let i = 0; i < (options.inFlight ?? IN_FLIGHT); i++) start();
    for (let first = ahead.shift(); first; first = ahead.shift()) {
      const bytes = await first;
      // At most `inFlight` ranges are in memory, in addition to the yielded one.
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
      `${object.url}: ${object.size} bytes arrived, but their ${checksum.kind} differs from the store's`,
    );
  }
  options.onVerified?.(checksum.kind);
}

/**
 * Reads one range of the listed version of an object into memory. The checksum of a range is unknown.
 *
 * @throws CrawlhouseError `object_changed`, or what the store threw in the last attempt
 */
export function objectRange(
  store: ObjectStore,
  object: StoredObject,
  { range, ...options }: ReadOptions & { readonly range: ByteRange },
  signal: AbortSignal,
): Promise<Buffer> {
  return retryStore(() => readRange(store, object, range, options, signal), {
    signal,
    ...(options.retry ? { policy: options.retry } : {}),
    ...(options.onRetry ? { onRetry: options.onRetry } : {}),
  });
}

/**
 * Reads the content of a small object into memory.
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

/** Yields the ranges of an object of `size` bytes, each of at most `rangeBytes`. */
export function* byteRanges(size: number, rangeBytes: number): Generator<ByteRange, undefined> {
  for (let from = 0; from < size; from += rangeBytes) yield { from, to: Math.min(size, from + rangeBytes) };
}

/** Receives the bytes of an object in order. At the end, returns whether they match those of the store. */
interface ChecksumCheck {
  update(bytes: Uint8Array): void;
  holds(): boolean;
}

export function checksumCheck(checksum: Checksum): ChecksumCheck {
  switch (checksum.kind) {
    case 'md5': {
      const hash = createHash('md5');
      return { update: (bytes) => void hash.update(bytes), holds: () => hash.digest('hex') === checksum.hex };
    }
    case 'crc32c': {
      let value = 0;
      return {
        update: (bytes) => {
          value = crc32c(bytes, value);
        },
        holds: () => value === checksum.value,
      };
    }
    case 'etag': {
      const parts = new PartHashes(checksum.partSizes);
      return { update: (bytes) => parts.update(bytes), holds: () => parts.etag() === checksum.etag };
    }
    case 'length':
      // The reader counts the length. There is no other check.
      return { update: () => {}, holds: () => true };
  }
}

/** The MD5 of each part, and of all parts together: S3's ETag of an object that was uploaded in parts. */
class PartHashes {
  readonly #sizes: readonly number[];
  readonly #whole: Hash = createHash('md5');
  #part: Hash = createHash('md5');
  #index = 0;
  #inPart = 0;

  constructor(sizes: readonly number[]) {
    this.#sizes = sizes;
  }

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const size = this.#sizes[this.#index] ?? Number.POSITIVE_INFINITY;
      const piece = bytes.subarray(at, at + size - this.#inPart);
      this.#part.update(piece);
      this.#inPart += piece.length;
      at += piece.length;
      if (this.#inPart === size) this.#finishPart();
    }
  }

  etag(): string {
    // Bytes after the last part belong to none.
    return this.#inPart > 0 ? '' : `${this.#whole.digest('hex')}-${this.#index}`;
  }

  #finishPart(): void {
    this.#whole.update(this.#part.digest());
    this.#part = createHash('md5');
    this.#index++;
    this.#inPart = 0;
  }
}

const IDLE_MS = 60_000;

/**
 * Reads one complete range in one attempt. It fails if the store sends nothing for `idleMs` milliseconds.
 *
 * @throws CrawlhouseError `cut_short` or `connection`, retriable, or what the store throws
 */
async function readRange(
  store: ObjectStore,
  object: StoredObject,
  range: ByteRange,
  { idleMs = IDLE_MS, rate = 0 }: { readonly idleMs?: number; readonly rate?: number },
  signal: AbortSignal,
): Promise<Buffer> {
  const where = `${object.url}, bytes ${range.from} to ${range.to - 1}`;
  const idle = new AbortController();
  const clock = host().after(idleMs, () => {
    idle.abort(retriable('connection', `${where}: no data for ${idleMs / 1000} s`));
  });
  const buffer = Buffer.allocUnsafeSlow(range.to - range.from);
  let length = 0;
  try {
    const pieces = await store.read(object, range, AbortSignal.any([signal, idle.signal]));
    for await (const piece of atLeastAtRate(pieces, where, { rate })) {
      clock.refresh();
      if (length + piece.length > buffer.length) {
        throw new CrawlhouseError('contract_broken', `${where}: the store sends more bytes than requested`);
      }
      buffer.set(piece, length);
      length += piece.length;
    }
  } catch (error) {
    signal.throwIfAborted();
    // The error of this timeout, however the store's SDK reports it.
    throw idle.signal.aborted ? idle.signal.reason : error;
  } finally {
    clock[Symbol.dispose]();
  }
  if (length === buffer.length) return buffer;
  throw retriable('cut_short', `${where}: only ${length} of ${buffer.length} bytes arrived`);
}
