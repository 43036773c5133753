import { Worker } from 'node:worker_threads';
import type { Finding, Totals } from './round.ts';
import type { WorkerMessage, WorkerTask } from './worker.ts';

/** A case that did not end: the machine may be busy, so this is many times the limit of processor time. */
const HANGS_MS = 40_000;
const LOOK_MS = 500;
const MOST_BYTES = 1024 * 1024 + 4;
/** Workers that are begun anew behind a case that hung or ended its process. */
const MOST_WORKERS = 5;

export interface PlayOptions {
  readonly seed: number;
  readonly cases: number;
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly isGuided: boolean;
  readonly onFresh?: (input: Uint8Array) => void;
  /** Milliseconds after which a case hangs; a test has fewer. */
  readonly hangsMs?: number;
}

export interface Played {
  readonly totals: Totals;
  readonly findings: readonly Finding[];
}

/** Plays a target in a worker thread, which ends where a case does not. */
export async function playTarget(target: string, options: PlayOptions): Promise<Played> {
  const findings: Finding[] = [];
  const sum: Totals = { target, cases: 0, taken: 0, blocks: 0, fresh: 0, seconds: 0 };
  for (let worker = 0; worker < MOST_WORKERS; worker++) {
    const left = options.cases - sum.cases;
    if (left <= 0 || Date.now() >= options.until) break;
    const began = performance.now();
    const totals = await playWorker(
      target,
      { ...options, cases: left, seed: options.seed + worker },
      findings,
    );
    sum.cases += totals.cases;
    sum.taken += totals.taken ?? 0;
    sum.blocks = Math.max(sum.blocks, totals.blocks ?? 0);
    sum.fresh += totals.fresh ?? 0;
    sum.seconds += (performance.now() - began) / 1000;
    if (totals.isWhole) break;
  }
  return { totals: sum, findings };
}

type Ended = Partial<Totals> & { readonly cases: number; readonly isWhole: boolean };

async function playWorker(target: string, options: PlayOptions, findings: Finding[]): Promise<Ended> {
  const clock = new Float64Array(new SharedArrayBuffer(16));
  const present = new SharedArrayBuffer(MOST_BYTES);
  const { seed, cases, until, isGuided, hangsMs = HANGS_MS } = options;
  const task: WorkerTask = { target, seed, cases, until, isGuided, clock: clock.buffer, present };
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: task });
  const ended = Promise.withResolvers<Ended>();
  const lost = (error: string): void => {
    const input = new Uint8Array(present.slice(4, 4 + (new Uint32Array(present, 0, 1)[0] ?? 0)));
    findings.push({ target, signature: error, error, input });
    ended.resolve({ cases: clock[0] ?? 0, isWhole: false });
  };
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'finding') findings.push(message.finding);
    else if (message.kind === 'fresh') options.onFresh?.(message.input);
    else ended.resolve({ ...message.totals, isWhole: true });
  });
  worker.on('error', (error) => lost(`the thread failed: ${error.stack ?? error.message}`));
  worker.on('exit', (code) => lost(`the thread ended with ${code}`));
  const look = setInterval(() => {
    const since = clock[1] ?? 0;
    if (since > 0 && Date.now() - since > hangsMs) lost(`no end after ${hangsMs / 1000} s`);
  }, LOOK_MS);
  try {
    return await ended.promise;
  } finally {
    clearInterval(look);
    worker.removeAllListeners();
    await worker.terminate();
  }
}
