import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncPath, writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { READ_BYTES } from '../../../core/files/read-lines.ts';
import { host } from '../../../core/host/host.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { folderName } from '../../project/model/column-name.ts';
import { Manifest } from '../../project/model/manifest.ts';

/** Where the folders of units are, and how long raw files stay there. */
export interface FolderSettings {
  readonly state_dir: string;
  readonly keep_raw: 'never' | 'until_published' | { readonly days: number };
}

/** The folders of a unit in the state directory. */
export interface UnitFolders {
  readonly package: string;
  readonly raw: string;
}

export function unitFolders(stateDir: string, unit: string): UnitFolders {
  const slug = folderName(unit);
  return { package: join(stateDir, 'packages', slug), raw: join(stateDir, 'raw', slug) };
}

/**
 * Empties a unit's folders for a new attempt.
 *
 * @param within the package, a folder to create as well
 */
export async function resetFolders(folders: UnitFolders, within = ''): Promise<void> {
  await removeFolders(folders);
  for (const folder of [join(folders.package, within), folders.raw]) makeFolder(folder);
}

export async function removeFolders(folders: UnitFolders): Promise<void> {
  for (const folder of [folders.package, folders.raw])
    await host().files.rm(folder, { recursive: true, force: true });
}

/**
 * Removes packages, and raw files according to `keep_raw`, but keeps those of `open` units, because unpublished units
 * continue from there. A unit that is refused for weeks does not prevent the removal of other units' folders.
 */
export async function sweepFolders(
  { state_dir, keep_raw }: FolderSettings,
  open: readonly string[],
  now: number = host().now(),
): Promise<void> {
  const kept = new Set(open.map(folderName));
  // By age only where days are given, because a clock that was set back leaves files of the future.
  const oldest = typeof keep_raw === 'string' ? Number.POSITIVE_INFINITY : now - keep_raw.days * 86_400_000;
  await sweep(join(state_dir, 'packages'), kept, Number.POSITIVE_INFINITY);
  await sweep(join(state_dir, 'raw'), kept, oldest);
}

/** Removes the folders in a folder that were last changed at or before `until` (UTC milliseconds). */
async function sweep(folder: string, kept: ReadonlySet<string>, until: number): Promise<void> {
  if (!host().files.existsSync(folder)) return;
  for (const name of await host().files.readdir(folder)) {
    if (kept.has(name) || (await host().files.stat(join(folder, name))).mtimeMs > until) continue;
    await host().files.rm(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Removes unfinished files of a run that was killed or had a full disk: downloads, packages without a manifest, and
 * data that DuckDB spilled. Otherwise, these files could fill the disk before anything can be written.
 */
export async function sweepUnfinished({ state_dir, keep_raw }: FolderSettings): Promise<void> {
  await host().files.rm(join(state_dir, 'spill'), { recursive: true, force: true });
  if (keep_raw === 'never') await host().files.rm(join(state_dir, 'raw'), { recursive: true, force: true });
  const packages = join(state_dir, 'packages');
  if (!host().files.existsSync(packages)) return;
  for (const name of await host().files.readdir(packages))
    if (!host().files.existsSync(join(packages, name, 'manifest.json')))
      await host().files.rm(join(packages, name), { recursive: true, force: true });
}

/** Writes the manifest, which completes the package. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await syncPath(folder);
  await writeFileAtomic(join(folder, 'manifest.json'), `${stringifyJson(Manifest.parse(manifest), 2)}\n`);
}

/** Makes a file of a package durable and returns its description. */
export async function sealFile(
  folder: string,
  { file, rows }: { readonly file: string; readonly rows: number },
): Promise<Manifest['parts'][number]> {
  const path = join(folder, file);
  await syncPath(path);
  const hash = createHash('sha256');
  await pipeline(host().files.createReadStream(path, { highWaterMark: READ_BYTES }), hash);
  return { file, rows, bytes: (await host().files.stat(path)).size, sha256: hash.digest('hex') };
}
