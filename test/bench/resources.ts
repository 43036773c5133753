import { readFileSync, writeFileSync } from 'node:fs';

/** Lets `peakRss` begin again with the present size, where Linux can: so each part of a benchmark has its own. */
export function resetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // The peak is then that of the whole process, which is no less.
  }
}

/** Greatest resident size of this process so far, in MB. */
export function peakRss(): number {
  const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
  return match ? Math.round(Number(match[1]) / 1000) : Math.round(process.resourceUsage().maxRSS / 1000);
}

/** Seconds that all processors together have spent on this process so far; unlike wall time, little moved by others. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The same of the processes that this one has started and that have ended. Linux counts in hundredths. */
export function childCpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(stat[13]) + Number(stat[14])) / 100;
}
