import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

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

/** Seconds of this process and of the processes that it has started, even of those that still run. */
export function familyCpuSeconds(): number {
  const running = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter(([, parent]) => Number(parent) === process.pid);
  const ticks = running.reduce((sum, stat) => sum + Number(stat[11]) + Number(stat[12]), 0);
  return cpuSeconds() + childCpuSeconds() + ticks / 100;
}

/** What follows the name of a process; nothing if it has ended. */
function statOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  } catch {
    // It has ended since the listing.
    return [];
  }
}
