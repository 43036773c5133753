import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CrawlhouseError } from '../errors/errors.ts';
import { host } from '../host/host.ts';

/** The suffix of a file's name while it is written: `.<uuid>.tmp`. DuckDB's own folder is `.tmp`. */
const GROWING = /^\.[0-9a-f-]{36}\.tmp$/;
/** After an hour, a temporary file belongs to a killed process. */
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

/** Lets `write` fill a temporary file, then renames it; a failure keeps the previous file, if any. */
export async function writeWhole<T>(path: string, write: (growing: string) => Promise<T>): Promise<T> {
  await removeOld(
    dirname(path),
    (name) => name.startsWith(`${basename(path)}.`) && GROWING.test(name.slice(basename(path).length)),
  );
  // Not the process id: processes of two containers on one volume may have equal ids.
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

/**
 * Writes a file atomically. `mode` restricts who can read the file; by default, a replaced file keeps its mode. If the
 * path is a symbolic link, replaces its target.
 */
export async function writeFileAtomic(path: string, data: string | Uint8Array, mode?: number): Promise<void> {
  const { files } = host();
  const former = files.statSync(path, { throwIfNoEntry: false });
  const target = former === undefined ? path : files.realpathSync(path);
  await writeWhole(target, async (growing) => {
    await using handle = await files.open(growing, 'w', mode);
    await handle.writeFile(data);
    if (former !== undefined && mode === undefined) files.chmodSync(growing, former.mode & 0o777);
  });
}

/**
 * Writes bytes from a source to a file, and checks the file size.
 *
 * @param bytes the expected length
 * @throws CrawlhouseError `cut_short` if the disk or the source has another number of bytes
 */
export async function fillFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  // A stream repeats partial writes; a plain write would need a check.
  await pipeline(content, host().files.createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
  const { size } = await host().files.stat(path);
  if (size !== bytes) throw new CrawlhouseError('cut_short', `${path} has ${size} bytes instead of ${bytes}`);
}

/**
 * Removes files that killed processes left behind, if no process on any machine has written to them for an hour.
 */
export async function removeOld(folder: string, isLeft: (name: string) => boolean): Promise<void> {
  const { files, now } = host();
  // An unreadable folder, or a missing file, needs no removal.
  for (const name of (await files.readdir(folder).catch(() => [])).filter(isLeft)) {
    const found = await files.stat(join(folder, name)).catch(() => null);
    if (found !== null && now() - found.mtimeMs > LEFT_MS)
      await files.rm(join(folder, name), { force: true });
  }
}
