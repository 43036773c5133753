import { CrawlhouseError } from '../core/errors/errors.ts';
import { host } from '../core/host/host.ts';
import { atLeastAtRate } from '../core/net/limits.ts';
import { retriable } from '../core/time/retry.ts';
import type { ByteRange, ObjectStore, StoredObject } from './object-store.ts';

const IDLE_MS = 60_000;

/**
 * One complete range, in one attempt. It fails if the store sends nothing for `idleMs` milliseconds.
 *
 * @throws CrawlhouseError `cut_short` or `connection`, retriable, or what the store throws
 */
export async function readRange(
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
        throw new CrawlhouseError('contract_broken', `${where}: the store sends more than requested`);
      }
      buffer.set(piece, length);
      length += piece.length;
    }
  } catch (error) {
    signal.throwIfAborted();
    // The error of this timeout, whatever the store's SDK makes of it.
    throw idle.signal.aborted ? idle.signal.reason : error;
  } finally {
    clock[Symbol.dispose]();
  }
  if (length === buffer.length) return buffer;
  throw retriable('cut_short', `${where}: only ${length} of ${buffer.length} bytes came`);
}
