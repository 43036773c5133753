import { createHash } from 'node:crypto';
import { decompress } from '../../site/logs/decompress.ts';
import type { LogSource } from '../../site/logs/log-source.ts';
import { keyedHash } from '../../site/logs/text-digest.ts';
import { type FileStore, type KnownFile, knownFile } from './known-files.ts';

/** First bytes of a file by which versions of before knew it. */
const HEAD_BYTES = 4096;

/**
 * The file that a version of before has read, and that this one is or goes on from: its first lines and the last bytes that
 * were read are the same. It is read again as a whole, because its lines have no marks.
 */
export async function formerFile(
  source: LogSource,
  { connection, tables, secret }: FileStore,
  signal: AbortSignal,
): Promise<KnownFile | null> {
  const former = await connection.rows(
    `SELECT * FROM ${tables.files} JOIN ${tables.former} USING (id) ORDER BY "offset" DESC`,
  );
  if (former.length === 0) return null;
  const textOf = async (from: number, bytes: number): Promise<string> => {
    let [at, text] = [0, ''];
    for await (const piece of decompress(source.name, source.open(0, signal), signal)) {
      text += piece.toString('latin1', Math.max(0, from - at), from + bytes - at);
      at += piece.length;
      if (at >= from + bytes) break;
    }
    return text;
  };
  const heads = headHashes(await textOf(0, HEAD_BYTES)).map((one) => keyedHash(secret, one));
  for (const row of former) {
    if (!heads.includes(String(row.first))) continue;
    const bytes = Number(row.last_bytes);
    const tail = await textOf(Number(row.offset) - bytes, bytes);
    if (keyedHash(secret, hashOf(tail)) === row.last) return knownFile(row);
  }
  return null;
}

/** Of the first lines, up to the end of each; of a line that is longer, its begin. */
function headHashes(head: string): string[] {
  const ends = [...head.matchAll(/\n/g)].map(({ index }) => index + 1);
  return [...ends, head.length].map((end) => hashOf(head.slice(0, end)));
}

function hashOf(bytes: string): string {
  return createHash('sha256').update(bytes, 'latin1').digest('hex');
}
