import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { OracleName } from './oracle.ts';
import type { Happened } from './world.ts';

/** A life as a child process tells of it. */
export interface LifeReport {
  readonly seed: number;
  readonly violation: {
    readonly oracle: OracleName;
    readonly message: string;
    /** Writers in Trino have failed; the installation has not. */
    readonly isOfPointers: boolean;
  } | null;
  readonly happened: readonly Happened[];
  readonly kinds: readonly string[];
  readonly events: number;
}

interface Campaign {
  readonly from: number;
  readonly to: number;
  readonly processes: number;
  /** Ends at the first failure. */
  readonly isBrief?: boolean;
  /** The folder of `test/sim`: another one where the product was changed. */
  readonly folder?: string;
  readonly onLife?: (life: LifeReport) => void;
}

/** Lives that a child takes at once, and after which another one follows: units of dead processes stay in memory. */
const BATCH = 25;
const MOST_LIVES = 500;

/** Lives the seeds, several at once; the reports in the order of their seeds. */
export async function campaign({
  from,
  to,
  processes,
  isBrief = false,
  folder = import.meta.dirname,
  onLife,
}: Campaign): Promise<LifeReport[]> {
  const reports: LifeReport[] = [];
  let next = from;
  let isOver = false;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child: ChildProcess = fork(join(folder, 'child.ts'), [], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      let lives = 0;
      let last = from;
      const end = (): void => {
        child.removeAllListeners();
        child.kill('SIGKILL');
        if (isOver || next >= to) resolve();
        else work().then(resolve, reject);
      };
      child.on('exit', (code) => reject(new Error(`a process ended with ${code} after the seed ${last}`)));
      child.on('message', (message: LifeReport | 'done') => {
        if (message === 'done') {
          if (isOver || next >= to || lives >= MOST_LIVES) return end();
          const until = Math.min(to, next + BATCH);
          child.send({ from: next, to: until });
          next = until;
          return;
        }
        lives++;
        last = message.seed;
        reports.push(message);
        onLife?.(message);
        if (isBrief && message.violation) {
          isOver = true;
          end();
        }
      });
    });
  await Promise.all(Array.from({ length: Math.min(processes, Math.ceil((to - from) / BATCH)) }, work));
  return reports.sort((a, b) => a.seed - b.seed);
}
