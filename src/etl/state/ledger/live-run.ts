import { join } from 'node:path';
import { z } from 'zod';
import { host } from '../../../core/host/host.ts';
import { lockHolder } from '../../../core/locks/state-lock.ts';
import { Progress, UnitAtWork } from '../../../core/progress/progress.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';

const FILE = 'progress.json';
/** Time between two writes. */
const PAUSE_MS = 1000;

export const LiveRun = z.strictObject({
  run_id: z.string(),
  command: z.string(),
  /** ISO 8601, UTC. */
  started_at: z.string(),
  /** Null before its first phase. */
  progress: Progress.nullable(),
  at_work: z.array(UnitAtWork),
});
export type LiveRun = Typed<typeof LiveRun>;

type BegunRun = Pick<LiveRun, 'run_id' | 'command' | 'started_at'>;

/** With the process that wrote it. */
const Written = LiveRun.extend({ pid: z.number(), scope: z.string() });

/**
 * Writes `progress.json` in the state directory, for other processes: completely, at most once a second. Removes the
 * file at the end. A file that cannot be written does not stop the run.
 */
export class LiveRunFile implements Disposable {
  readonly #path: string;
  readonly #run: BegunRun;
  readonly #now: () => number;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(stateDir: string, run: BegunRun, now: () => number = host().monotonic) {
    this.#path = join(stateDir, FILE);
    this.#run = run;
    this.#now = now;
    this.#replace(null, []);
  }

  write(progress: Progress, atWork: readonly UnitAtWork[]): void {
    if (this.#now() - this.#writtenAt < PAUSE_MS) return;
    this.#writtenAt = this.#now();
    this.#replace(progress, atWork);
  }

  #replace(progress: Progress | null, at_work: readonly UnitAtWork[]): void {
    const growing = `${this.#path}.tmp`;
    try {
      const written = { ...this.#run, pid: host().pid, scope: host().processScope(), progress, at_work };
      host().files.writeFileSync(growing, JSON.stringify(written));
      host().files.renameSync(growing, this.#path);
    } catch {
      // Such as on a full disk: the file is then out of date.
      this[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    try {
      host().files.rmSync(this.#path, { force: true });
      host().files.rmSync(`${this.#path}.tmp`, { force: true });
    } catch {
      // Readers ignore it once the lock is released.
    }
  }
}

/** Returns the current run; null if there is none. Ignores a file that a killed run left behind. */
export function readLiveRun(stateDir: string): LiveRun | null {
  return watchLiveRun(stateDir)();
}

/** Returns a reader for repeated use, which checks the lock only if the file has not changed since the last call. */
export function watchLiveRun(stateDir: string): () => LiveRun | null {
  let former = '';
  return () => {
    const text = textOf(stateDir);
    const isFresh = former !== '' && text !== former;
    former = text;
    const written = parsed(text);
    if (written === null) return null;
    const { pid, scope, ...live } = written;
    // The process of the run itself does not check the lock.
    if (isFresh || (pid === host().pid && scope === host().processScope())) return live;
    const holder = lockHolder(stateDir);
    const isOfHolder =
      holder !== null && holder.pid === pid && holder.scope === scope && holder.since <= live.started_at;
    return isOfHolder ? live : null;
  };
}

function textOf(stateDir: string): string {
  try {
    return host().files.readFileSync(join(stateDir, FILE), 'utf8');
  } catch {
    // No run is under way.
    return '';
  }
}

function parsed(text: string): Typed<typeof Written> | null {
  try {
    return Written.parse(JSON.parse(text));
  } catch {
    // A kill truncated it.
    return null;
  }
}
