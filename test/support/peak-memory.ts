import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setInterval } from 'node:timers/promises';

/** Waits for a process to end and gives its exit code and its greatest resident size in MB. */
export async function peakOf(child: ChildProcess): Promise<{ status: number | null; peak: number }> {
  const ended = once(child, 'exit');
  const stop = new AbortController();
  let peak = 0;
  const watch = (async () => {
    for await (const _ of setInterval(20, undefined, { signal: stop.signal })) {
      try {
        const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
        peak = Math.max(peak, Number(match?.[1] ?? 0) / 1000);
      } catch {
        return;
      }
    }
  })().catch(() => {});
  const [status] = (await ended) as [number | null];
  stop.abort();
  await watch;
  return { status, peak: Math.round(peak) };
}
