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

/** Writes a whole file or none of it; `mode` says who may read it, where not everybody may. */
export async function writeFileAtomic(path: string, data: string | Uint8Array, mode?: number): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const handle = await open(temporary, 'w', mode);
    try {
      await handle.writeFile(data);
    } finally {
      await handle.close();
    }
    await commitFile(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
