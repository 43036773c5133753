import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processScope, processStart } from './host.ts';

/** The name after its prefix. */
const NAME = /^(?:([0-9a-f]{12})-)?(\d+)-(\d+|unknown)-/;
/** After a week, a folder of another machine or container is abandoned. */
const LEFT_MS = 7 * 86_400_000;

/** Returns the name of a folder of this process, with which others recognize it after the process is gone. */
export function processFolderName(prefix: string): string {
  const start = processStart(process.pid) ?? 'unknown';
  // Short: the path of a socket in the folder may have 107 characters.
  return `${prefix}${processScope()}-${process.pid}-${start}-${randomUUID().slice(0, 6)}`;
}

/** Removes folders of processes that no longer exist. Process ids are meaningless across machines and containers. */
export function removeDeadFolders(place: string, prefix: string): void {
  if (!existsSync(place)) return;
  for (const name of readdirSync(place)) {
    const [, scope, pid, start] = (name.startsWith(prefix) && NAME.exec(name.slice(prefix.length))) || [];
    if (pid === undefined) continue;
    try {
      const path = join(place, name);
      const isRecent = (): boolean => Date.now() - statSync(path).mtimeMs < LEFT_MS;
      if (scope === processScope() ? isAlive(Number(pid), start) : isRecent()) continue;
      rmSync(path, { recursive: true, force: true });
    } catch {
      // It belongs to another user, or is gone.
    }
  }
}

function isAlive(pid: number, start: string | undefined): boolean {
  const known = processStart(pid);
  if (known !== undefined && start !== 'unknown') return known === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}
