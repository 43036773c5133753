import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Distinguishes a process from a later one with the same id: its start, in ticks since the machine's. Null where there
 * is no such process.
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
    // No process has that number any more.
    return null;
  }
}

let scope: string | undefined;

/**
 * Identifies the processes that share process ids with this one. Those of another machine or container may work in the
 * same folder.
 */
export function processScope(): string {
  const told = (read: () => string): string => {
    try {
      return read();
    } catch {
      // The system has no `/proc`: the name of the machine has to do.
      return '';
    }
  };
  scope ??= createHash('sha256')
    .update(hostname())
    .update(told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')))
    .update(told(() => readlinkSync('/proc/self/ns/pid')))
    .digest('hex')
    .slice(0, 12);
  return scope;
}
