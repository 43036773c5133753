import { toCrawlhouseError } from '../../core/errors/errors.ts';
import { retriable } from '../../core/time/retry.ts';
import type { RawPart } from '../../project/model/raw-part.ts';

/** What DuckDB says of bytes that are no Parquet. */
const UNREADABLE = /^(?:Invalid (?:Input )?|Serialization |Not implemented |Out of Range )Error: /i;

/**
 * Does some work with a Parquet file of a store. Its bytes may be damaged behind a footer that is whole.
 *
 * @throws CrawlhouseError `cut_short` where the file can't be read; whatever else the work throws
 */
export async function refuseDamage<T>(
  { file, path }: Pick<RawPart, 'file' | 'path'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = toCrawlhouseError(error);
    // This step also writes a file of our own. An IO error is the part's only where it names the part.
    const isDamage = UNREADABLE.test(message) || (message.startsWith('IO Error: ') && message.includes(path));
    if (signal.aborted || code !== 'internal' || !isDamage) throw error;
    const why = message.split('\n')[0]?.replaceAll(path, file);
    throw retriable('cut_short', `${file} is not a Parquet file that can be read: ${why}`, error);
  }
}
