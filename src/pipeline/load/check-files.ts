import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { host } from '../../core/host/host.ts';
import type { Manifest } from '../../project/model/manifest.ts';

/**
 * Checks the files of a package against its manifest. Each is a separate file in the package's folder, not a link or a
 * device, with the size and hash of the manifest.
 *
 * @throws CrawlhouseError `bad_package`
 */
export async function checkFiles(folder: string, manifest: Manifest): Promise<void> {
  const { parts, rejects } = manifest;
  const home = join(folder, 'parts');
  if (parts.length > 0 && !(await isFolder(home))) throw notWhole(`${home} is not a folder`, LINKS);
  const seen = new Map<string, string>();
  for (const file of [...parts, ...rejects]) {
    const path = join(folder, file.file);
    const handle = await openFile(path);
    try {
      const { size, dev, ino } = await handle.stat({ bigint: true });
      const same = seen.get(`${dev}:${ino}`);
      if (same) throw notWhole(`${path} is the same file as ${same}: its rows would count twice`);
      seen.set(`${dev}:${ino}`, path);
      if (size !== BigInt(file.bytes))
        throw notWhole(`${path} has ${size} bytes, the manifest says ${file.bytes}`);
      if ((await hashOf(handle)) !== file.sha256)
        throw notWhole(`${path} is not the file that was staged: its SHA-256 differs`);
    } finally {
      await handle.close();
    }
  }
}

/**
 * Opens a file of a package. A link, a device or a pipe is not followed and not waited for.
 *
 * @throws CrawlhouseError `bad_package`
 */
export async function openFile(path: string): Promise<FileHandle> {
  const handle = await host()
    .files.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    .catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') throw notWhole(`${path} is missing`);
      if (cause.code === 'ELOOP' || cause.code === 'ENXIO') throw notWhole(`${path} is not a file`, LINKS);
      throw notWhole(`${path} cannot be opened: ${cause.message}`);
    });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notWhole(`${path} is not a file`, LINKS);
}

const LINKS = 'a package holds its own files: copy the target of the link';

async function isFolder(path: string): Promise<boolean> {
  const { files } = host();
  // A path that can't be examined is no folder, which the caller refuses.
  return (await files.lstat(path).catch(() => null))?.isDirectory() ?? false;
}

async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(handle.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}

function notWhole(message: string, hint?: string): CrawlhouseError {
  return new CrawlhouseError('bad_package', message, { hint });
}
