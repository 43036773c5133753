import { existsSync } from 'node:fs';
import { verifyBlocks } from '../../core/duckdb/database-blocks.ts';
import { toCrawlhouseError } from '../../core/errors/errors.ts';
import type { FormerCopies } from '../../state/catalogue/former-copies.ts';

/** 256 MB, which are read in rotation where nobody has written to the file. */
const BLOCKS_READ = 8192;

/**
 * The damage of a published file that is about to be replaced, so that it is said and not only healed; null if none is
 * found. A file that was changed since it was published is read completely.
 */
export async function damageOfFormer(
  path: string,
  copies: FormerCopies,
  signal: AbortSignal,
): Promise<string | null> {
  if (!existsSync(path)) return null;
  const first = copies.published?.next ?? 0;
  const some = { has: (block: number) => block >= first && block < first + BLOCKS_READ };
  try {
    await verifyBlocks(path, signal, path, copies.isPublished(path) ? some : undefined);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    // Whatever is wrong with it, the publication brings a whole one.
    return toCrawlhouseError(error).message;
  }
}
