import { readFileSync } from 'node:fs';

/** Greatest resident size of this process so far, in MB. */
export function peakRss(): number {
  const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
  return match ? Math.round(Number(match[1]) / 1000) : Math.round(process.resourceUsage().maxRSS / 1000);
}
