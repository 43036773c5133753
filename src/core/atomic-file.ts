import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Flushes a file or folder to the disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a finished temporary file its final name, durably: flush, rename, flush the folder. */
export async function commitFile(temporary: string, final: string): Promise<void> {
  await syncPath(temporary);
  await rename(temporary, final);
  await syncPath(dirname(final));
}

/** The name under which a file grows until it is whole. */
function growingPath(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

/** Lets `write` fill a file at its growing name, then gives it its own; what fails leaves the former file, if any. */
export async function writeWhole<T>(path: string, write: (growing: string) => Promise<T>): Promise<T> {
  const growing = growingPath(path);
  try {
    const result = await write(growing);
    await commitFile(growing, path);
    return result;
  } catch (error) {
    await rm(growing, { force: true });
    throw error;
  }
}

/** Writes a whole file or none of it; `mode` says who may read it, where not everybody may. */
export async function writeFileAtomic(path: string, data: string | Uint8Array, mode?: number): Promise<void> {
  await writeWhole(path, async (growing) => {
    const handle = await open(growing, 'w', mode);
    try {
      await handle.writeFile(data);
    } finally {
      await handle.close();
    }
  });
}
