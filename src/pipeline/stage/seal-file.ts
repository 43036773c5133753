import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncPath } from '../../core/files/atomic-file.ts';
import { host } from '../../core/host/host.ts';
import type { Manifest } from '../../project/model/manifest.ts';

/** Makes a file of a package durable and returns its description. */
export async function sealFile(
  folder: string,
  { file, rows }: { readonly file: string; readonly rows: number },
): Promise<Manifest['parts'][number]> {
  const path = join(folder, file);
  await syncPath(path);
  const hash = createHash('sha256');
  await pipeline(host().files.createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return { file, rows, bytes: (await host().files.stat(path)).size, sha256: hash.digest('hex') };
}
