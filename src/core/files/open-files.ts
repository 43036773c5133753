import { readdirSync, statSync } from 'node:fs';

/**
 * Does a process have the file open that this one can see: one of the same user, or any for root? Null where the system
 * does not tell (there is no `/proc`).
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
    // Gone by now, or not for this user to see.
    return null;
  }
}
