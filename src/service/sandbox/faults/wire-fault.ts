import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.ts';

const SLOW_BYTES_PER_SECOND = 64 * 1024;
const SLICE = 8 * 1024;
/** Flushed bytes need a moment to leave the system before a reset discards them. */
const SETTLE_MS = 25;

export interface Wire {
  readonly response: ServerResponse;
  /** Aborts when either side closes the response. */
  readonly closed: AbortSignal;
}

/** Returns the bytes of a body after the fault is applied. */
export async function* wireFault(
  body: AsyncIterable<Buffer>,
  fault: Fault,
  wire: Wire,
): AsyncGenerator<Buffer> {
  const after = fault.after_bytes ?? 0;
  switch (fault.kind) {
    case 'truncate':
      return yield* firstBytes(body, after);
    case 'reset':
      yield* firstBytes(body, after);
      await flushed(wire);
      wire.response.socket?.resetAndDestroy();
      return forever(wire);
    case 'stall':
      wire.response.flushHeaders();
      yield* firstBytes(body, after);
      return forever(wire);
    case 'slow':
      return yield* throttled(body, fault.bytes_per_second ?? SLOW_BYTES_PER_SECOND, wire);
    case 'corrupt_gzip':
      return yield* isGzip(wire.response) ? withFlippedByte(body, fault.after_bytes) : body;
    default:
      yield* body;
  }
}

async function* firstBytes(body: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count;
  if (left === 0) return;
  for await (const piece of body) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

async function* throttled(
  body: AsyncIterable<Buffer>,
  bytesPerSecond: number,
  wire: Wire,
): AsyncGenerator<Buffer> {
  const slice = Math.max(1, Math.min(SLICE, Math.floor(bytesPerSecond / 4)));
  for await (const piece of body) {
    for (let at = 0; at < piece.length; at += slice) {
      const part = piece.subarray(at, at + slice);
      yield part;
      await sleep((part.length / bytesPerSecond) * 1000, undefined, { signal: wire.closed });
    }
  }
}

/** Flips a byte past the header: at the given offset, else in the middle of the first 64 KB. */
async function* withFlippedByte(
  body: AsyncIterable<Buffer>,
  offset: number | undefined,
): AsyncGenerator<Buffer> {
  const enough = offset === undefined ? 64 * 1024 : offset + 1;
  let held: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of body) {
    if (held === undefined) {
      yield piece;
      continue;
    }
    held = Buffer.concat([held, piece]);
    if (held.length < enough) continue;
    yield flip(held, offset);
    held = undefined;
  }
  if (held !== undefined) yield flip(held, offset);
}

function flip(bytes: Buffer, offset: number | undefined): Buffer {
  const at = Math.min(offset ?? bytes.length >> 1, bytes.length - 1);
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] ?? 0) ^ 0xff;
  return flipped;
}

function isGzip(response: ServerResponse): boolean {
  return response.getHeader('content-encoding') === 'gzip';
}

async function flushed(wire: Wire): Promise<void> {
  const { response, closed } = wire;
  while (!closed.aborted && (response.writableLength > 0 || (response.socket?.writableLength ?? 0) > 0))
    await sleep(2);
  await sleep(SETTLE_MS);
}

async function forever({ closed }: Wire): Promise<void> {
  if (closed.aborted) return;
  await new Promise((resolve) => closed.addEventListener('abort', resolve, { once: true }));
}

const NEWLINE = 10;

/** Sends the first data line twice. A quoted CSV cell may hold newlines, so a CSV line ends outside quotes. */
export async function* duplicateLine(body: AsyncIterable<Buffer>, csv: boolean): AsyncGenerator<Buffer> {
  let held: Buffer | undefined = Buffer.alloc(0);
  let header = csv;
  for await (const piece of body) {
    if (held === undefined) {
      yield piece;
      continue;
    }
    held = Buffer.concat([held, piece]);
    for (;;) {
      const end: number = lineEnd(held, csv);
      if (end < 0) break;
      const line: Buffer = held.subarray(0, end);
      yield line;
      held = held.subarray(end);
      if (header) {
        header = false;
        continue;
      }
      yield Buffer.concat([line, held]);
      held = undefined;
      break;
    }
  }
  if (held !== undefined) yield held;
}

function lineEnd(bytes: Buffer, csv: boolean): number {
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    if (csv && bytes[at] === 0x22) quoted = !quoted;
    if (bytes[at] === NEWLINE && !quoted) return at + 1;
  }
  return -1;
}
