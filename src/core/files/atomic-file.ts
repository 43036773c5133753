import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CrawlhouseError } from '../errors/errors.ts';
import { host } from '../host/host.ts';

/** The suffix of a file's name while it grows: `.<uuid>.tmp`. DuckDB's own folder is `.tmp`. */
const GROWING = /^\.[0-9a-f-]{36}\.tmp$/;
/** After an hour, nobody writes a growing file any more: its process was killed. */
const LEFT_MS = 3_600_000;

export async function syncPath(path: string): Promise<void> {
  await using handle = await host().files.open(path, 'r');
  await handle.sync();
}

/** Gives a finished temporary file its final name, durably: flush, rename, flush the folder. */
export async function commitFile(temporary: string, final: string): Promise<void> {
  await syncPath(temporary);
  await host().files.rename(temporary, final);
  await syncPath(dirname(final));
}

/** Lets `write` fill a file at its growing name, then gives it its own; what fails leaves the former file, if any. */
export async function writeWhole<T>(path: string, write: (growing: string) => Promise<T>): Promise<T> {
  await removeOld(
    dirname(path),
    (name) => name.startsWith(`${basename(path)}.`) && GROWING.test(name.slice(basename(path).length)),
  );
  // Not the process id: processes of two containers on one volume may have the same.
  const growing = `${path}.${host().uuid()}.tmp`;
  try {
    const result = await write(growing);
    await commitFile(growing, path);
    return result;
  } catch (error) {
    await host().files.rm(growing, { force: true });
    throw error;
  }
}

/** Writes a whole file or none of it; `mode` says who may read it, where not everybody may. */
export async function writeFileAtomic(path: string, data: string | Uint8Array, mode?: number): Promise<void> {
  await writeWhole(path, async (growing) => {
    await using handle = await host().files.open(growing, 'w', mode);
    await handle.writeFile(data);
  });
}

/**
 * Fills a file with bytes that come from elsewhere.
 *
 * @param bytes the length that it is to have
 * @throws CrawlhouseError `cut_short` where the disk or the source has another number of bytes
 */
export async function fillFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  // A stream writes again what the disk has taken in part; a plain write would have to be looked at.
  await pipeline(content, host().files.createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
  const { size } = await host().files.stat(path);
  if (size !== bytes)
    throw new CrawlhouseError('cut_short', `${path} has ${size} bytes, and ${bytes} were to be written`);
}

/** Removes files of these names that killed processes have left: no process of any machine has written them for an hour. */
export async function removeOld(folder: string, isLeft: (name: string) => boolean): Promise<void> {
  const { files, now } = host();
  // A folder that can't be listed, or a file that is gone, needs no removal.
  for (const name of (await files.readdir(folder).catch(() => [])).filter(isLeft)) {
    const found = await files.stat(join(folder, name)).catch(() => null);
    if (found !== null && now() - found.mtimeMs > LEFT_MS)
      await files.rm(join(folder, name), { force: true });
  }
}
