import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { countText } from '../../../core/text/amounts.ts';
import { decompress } from '../../../site/access-logs/decompress.ts';
import { readZip } from '../../../site/search-data/exports/read-zip.ts';

/** A log expands to less than this many times its compressed size. */
const MOST_EXPANSION = 250;
/** Bytes that any file may expand to. */
const FREE_BYTES = 10_000_000;
const ZIP = Buffer.from('PK');
/** The longest check, because a person waits for the result. */
const LONGEST_MS = 300_000;

/** Limits parallel checks, because a check uses a whole core. */
const checking = new Semaphore(1);

const UNPACK = 'unpack it, and upload the text in parts';

interface StoredFile {
  readonly name: string;
  readonly path: string;
}

/**
 * Refuses a compressed file that is damaged, or that expands far more than logs and exports do.
 *
 * @throws CrawlhouseError `usage`, also after `longestMs`; `contract_broken`
 */
export async function checkUpload(
  kind: 'logs' | 'demand',
  file: StoredFile,
  signal: AbortSignal,
  longestMs: number = LONGEST_MS,
): Promise<void> {
  await checking.run(async () => {
    signal.throwIfAborted();
    const late = AbortSignal.timeout(longestMs);
    try {
      await check(kind, file, AbortSignal.any([signal, late]));
    } catch (cause) {
      signal.throwIfAborted();
      if (!late.aborted) throw cause;
      throw new CrawlhouseError('usage', `${file.name} takes too long to unpack`, { cause, hint: UNPACK });
    }
  });
}

async function check(
  kind: 'logs' | 'demand',
  { name, path }: StoredFile,
  signal: AbortSignal,
): Promise<void> {
  if (kind === 'demand') {
    if (await beginsWith(path, ZIP)) await readZip(path);
    return;
  }
  const { size } = await stat(path);
  let expanded = 0;
  for await (const { length } of decompress(name, createReadStream(path, { signal }), signal)) {
    signal.throwIfAborted();
    expanded += length;
    if (expanded > Math.max(FREE_BYTES, size * MOST_EXPANSION))
      throw new CrawlhouseError(
        'usage',
        `${name} expands to more than ${countText(MOST_EXPANSION)} times its size`,
        { hint: UNPACK },
      );
  }
}

async function beginsWith(path: string, bytes: Buffer): Promise<boolean> {
  await using handle = await open(path, 'r');
  const { buffer } = await handle.read(Buffer.alloc(bytes.length), 0, bytes.length, 0);
  return buffer.equals(bytes);
}
