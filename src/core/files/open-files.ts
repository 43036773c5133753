import { readdirSync, statSync } from 'node:fs';

/**
 * Returns whether a process that this one can see (of the same user, or any for root) has the file open. Null on
 * systems without `/proc`.
 */
export function isOpenSomewhere(path: string): boolean | null {
  const { dev, ino } = statSync(path, { bigint: true });
  const processes = listed('/proc');
  if (!processes.includes('self')) return null;
  return processes
    .filter((name) => /^\d+$/.test(name))
    .some((pid) =>
      listed(`/proc/${pid}/fd`).some((fd) => {
        const found = statOrNull(`/proc/${pid}/fd/${fd}`);
        return found !== null && found.ino === ino && found.dev === dev;
      }),
    );
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Another user's process, or one that has ended.
    return [];
  }
}

function statOrNull(path: string): { readonly dev: bigint; readonly ino: bigint } | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    // It was removed, or this user may not see it.
    return null;
  }
}
