import { join } from 'node:path';
import { syncPath, writeFileAtomic } from '../../core/files/atomic-file.ts';
import { stringifyJson } from '../../core/text/json.ts';
import { Manifest } from '../../project/model/manifest.ts';

/** Writes the manifest, after which the package is whole. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await syncPath(folder);
  await writeFileAtomic(join(folder, 'manifest.json'), `${stringifyJson(Manifest.parse(manifest), 2)}\n`);
}
