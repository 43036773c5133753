import { join } from 'node:path';
import { z } from 'zod';
import { host } from '../../core/host/host.ts';
import { lockHolder } from '../../core/locks/state-lock.ts';
import { Progress, UnitAtWork } from '../../core/progress/progress.ts';

const FILE = 'progress.json';
/** Between two writes. */
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
export type LiveRun = z.infer<typeof LiveRun>;

type BegunRun = Pick<LiveRun, 'run_id' | 'command' | 'started_at'>;

/** With the process that wrote it. */
const Written = LiveRun.extend({ pid: z.number(), scope: z.string() });

/**
 * `progress.json` in the state directory, for other processes: written whole, at most once a second, and removed at the
 * end. A file that can't be written does not stop the run.
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

/** The run under way; null if none is. A file that a killed run left behind does not count. */
export function readLiveRun(stateDir: string): LiveRun | null {
  return watchLiveRun(stateDir)();
}

/** Reads it again and again, and asks for the lock only where the file has not changed since the last time. */
export function watchLiveRun(stateDir: string): () => LiveRun | null {
  let former = '';
  return () => {
    const text = textOf(stateDir);
    const isFresh = former !== '' && text !== former;
    former = text;
    const written = parsed(text);
    if (written === null) return null;
    const { pid, scope, ...live } = written;
    // The lock is not asked for in the process of the run itself.
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

function parsed(text: string): z.infer<typeof Written> | null {
  try {
    return Written.parse(JSON.parse(text));
  } catch {
    // A kill has cut it.
    return null;
  }
}
