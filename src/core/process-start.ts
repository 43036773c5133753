import { existsSync, readFileSync } from 'node:fs';

/**
 * What tells a process from another one that gets the same id later: its start, in ticks since the machine's. Null where
 * there is no such process.
 *
 * @returns undefined where the system does not tell (there is no `/proc`)
 */
export function processStart(pid: number): string | null | undefined {
  if (!existsSync('/proc/self/stat')) return undefined;
  try {
    // The name of the program comes second, in parentheses, and may hold any character; the start is the 22nd field.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
