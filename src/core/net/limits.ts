import { CrawlhouseError, type ErrorDetails } from '../errors/errors.ts';
import { host } from '../host/host.ts';
import { bytesText } from '../text/amounts.ts';
import { retriable } from '../time/retry.ts';

/** The most that is taken of what others send (docs/settings.md, "Limits"). */
export interface Limits {
  /** Bytes of one JSON answer, which is held in memory. */
  readonly answer: number;
  readonly record: number;
  readonly fields: number;
  /** Bytes a row of an export, on average, once decompressed. */
  readonly bytesPerRow: number;
  /** Bytes a second, the least, over a minute of waiting. */
  readonly rate: number;
  /** Milliseconds that a data export may take. */
  readonly exportWait: number;
  /** Milliseconds that a crawl may take to come back from the archive. */
  readonly unarchiveWait: number;
  /** Milliseconds that any unit's rows may take to come. */
  readonly unitTime: number;
  /** Rows a second, the least, for what takes longer. */
  readonly unitRate: number;
}

export const DEFAULT_LIMITS: Limits = {
  answer: 64e6,
  record: 16e6,
  fields: 1_500,
  bytesPerRow: 1e6,
  rate: 1_000,
  exportWait: 6 * 3_600_000,
  unarchiveWait: 6 * 3_600_000,
  unitTime: 10 * 60_000,
  unitRate: 20,
};

/** Milliseconds that so many rows of a unit may take to come. */
export function longestDownload(rows: number, { unitTime, unitRate }: Limits): number {
  return unitTime + (rows / unitRate) * 1000;
}

/** A rate is judged over this span. */
const RATE_MS = 60_000;

/** Something is more than a setting allows. */
export function overLimit(
  message: string,
  setting: 'answer' | 'record' | 'fields' | 'bytes_per_row',
  details: ErrorDetails = {},
): CrawlhouseError {
  return new CrawlhouseError('over_limit', `${message} (limits.${setting})`, {
    hint: `if the data is honest, raise limits.${setting} in crawlhouse.yaml`,
    ...details,
  });
}

/** Content up to this size is taken, however few rows it is to have. */
const LEAST_CONTENT = 64e6;

/** Bytes of content that so many rows may have. */
export function mostContent(rows: number, { bytesPerRow }: Pick<Limits, 'bytesPerRow'>): number {
  return Math.max(LEAST_CONTENT, rows * bytesPerRow);
}

/**
 * The chunks of a body. Over each minute of waiting for them, at least `rate` bytes a second must come. Time in which
 * the reader does not wait is not counted.
 *
 * @throws CrawlhouseError `connection`, retriable
 */
export async function* atLeastAtRate<T extends Uint8Array>(
  body: AsyncIterable<T>,
  what: string,
  { rate }: Pick<Limits, 'rate'>,
  spanMs = RATE_MS,
): AsyncGenerator<T> {
  let waited = 0;
  let bytes = 0;
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const asked = host().monotonic();
      const next = await pieces.next();
      if (next.done) return;
      waited += host().monotonic() - asked;
      bytes += next.value.length;
      if (waited >= spanMs) {
        if (bytes < (rate * waited) / 1000) {
          const came = `only ${bytes} bytes came in ${Math.round(waited / 1000)} s`;
          const least = `less than ${bytesText(rate)} a second (limits.rate)`;
          throw retriable('connection', `${what}: ${came}, ${least}`);
        }
        waited = 0;
        bytes = 0;
      }
      yield next.value;
    }
  } finally {
    await pieces.return?.();
  }
}

/** The text of a body, in UTF-8; null for one of more than `most` bytes, which is not read on. */
export async function readText(body: AsyncIterable<Uint8Array>, most: number): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > most) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
