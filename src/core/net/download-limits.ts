import { CrawlhouseError, type ErrorDetails } from '../errors/errors.ts';
import { host } from '../host/host.ts';
import { bytesText } from '../text/amounts.ts';
import { retriable } from '../time/retry.ts';

/** Limits of what other parties may send (docs/settings.md, "Limits"). */
export interface Limits {
  /** Bytes of one JSON response, which is in memory. */
  readonly answer: number;
  readonly record: number;
  readonly fields: number;
  /** Bytes per row of an export, on average, once decompressed. */
  readonly bytesPerRow: number;
  /** Minimum bytes per second, over a minute of waiting. */
  readonly rate: number;
  /** Time limit of a data export, in milliseconds. */
  readonly exportWait: number;
  /** Time limit for restoring a crawl from the archive, in milliseconds. */
  readonly unarchiveWait: number;
  /** Time limit for receiving any unit's rows, in milliseconds. */
  readonly unitTime: number;
  /** Minimum rows per second for longer downloads. */
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

/** Returns the time limit for receiving this number of a unit's rows, in milliseconds. */
export function longestDownload(rows: number, { unitTime, unitRate }: Limits): number {
  return unitTime + (rows / unitRate) * 1000;
}

/** A rate is measured over this time. */
const RATE_MS = 60_000;

/** Returns the error for something that exceeds a limit of the settings. */
export function overLimit(
  message: string,
  setting: 'answer' | 'record' | 'fields' | 'bytes_per_row',
  details: ErrorDetails = {},
): CrawlhouseError {
  return new CrawlhouseError('over_limit', `${message} (limits.${setting})`, {
    hint: `if the data is correct, raise limits.${setting} in crawlhouse.yaml`,
    ...details,
  });
}

/** Content up to this size is always accepted, even if few rows are expected. */
const LEAST_CONTENT = 64e6;

/** Returns the maximum bytes of content for a number of rows. */
export function mostContent(rows: number, { bytesPerRow }: Pick<Limits, 'bytesPerRow'>): number {
  return Math.max(LEAST_CONTENT, rows * bytesPerRow);
}

/**
 * Yields the chunks of a body. Over each minute of waiting for them, at least `rate` bytes per second must arrive. Time
 * during which the reader does not wait does not count.
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
          const came = `only ${bytes} bytes arrived in ${Math.round(waited / 1000)} s`;
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

/** Reads the UTF-8 text of a body; null if it has more than `most` bytes, without reading the rest. */
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
