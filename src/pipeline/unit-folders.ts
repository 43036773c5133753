import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';

/** Where a unit's files stand in the state directory. */
export interface UnitFolders {
  readonly package: string;
  readonly raw: string;
}

export function unitFolders(stateDir: string, unit: string): UnitFolders {
  const slug = folderName(unit);
  return { package: join(stateDir, 'packages', slug), raw: join(stateDir, 'raw', slug) };
}

/** Empties a unit's folders for a new attempt. */
export async function resetFolders(folders: UnitFolders): Promise<void> {
  for (const folder of [folders.package, folders.raw]) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
  }
}

/** Removes what is no longer needed once everything has been published. */
export async function sweepFolders(settings: Settings, now: number = Date.now()): Promise<void> {
  await rm(join(settings.state_dir, 'packages'), { recursive: true, force: true });
  const raw = join(settings.state_dir, 'raw');
  if (typeof settings.keep_raw === 'string') {
    await rm(raw, { recursive: true, force: true });
    return;
  }
  if (!existsSync(raw)) return;
  for (const name of await readdir(raw)) {
    const age = now - (await stat(join(raw, name))).mtimeMs;
    if (age > settings.keep_raw.days * 86_400_000)
      await rm(join(raw, name), { recursive: true, force: true });
  }
}

/** A unit's name as a folder: legible, and never two units in one. */
export function folderName(unit: string): string {
  const plain = unit.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
  return `${plain.slice(0, 120)}-${createHash('sha256').update(unit).digest('hex').slice(0, 8)}`;
}
