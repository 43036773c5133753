import { parentPort, workerData } from 'node:worker_threads';
import { keptCases } from './corpus.ts';
import { type Finding, playRound, type Totals } from './round.ts';
import { targetOf } from './targets.ts';

/** What the main thread tells a worker. */
export interface WorkerTask {
  readonly target: string;
  readonly seed: number;
  readonly cases: number;
  readonly until: number;
  readonly isGuided: boolean;
  /** Two numbers: the present case, and when it began (milliseconds since 1970). */
  readonly clock: SharedArrayBuffer;
  /** The bytes of the present case, behind their number. */
  readonly present: SharedArrayBuffer;
}

/** What a worker tells the main thread. */
export type WorkerMessage =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'fresh'; readonly input: Uint8Array }
  | { readonly kind: 'end'; readonly totals: Totals };

const task = workerData as WorkerTask;
const clock = new Float64Array(task.clock);
const length = new Uint32Array(task.present, 0, 1);
const present = new Uint8Array(task.present, 4);
const tell = (message: WorkerMessage): void => parentPort?.postMessage(message);

const totals = await playRound(await targetOf(task.target), {
  ...task,
  kept: keptCases(task.target).map(({ input }) => input),
  onCase: (input) => {
    const kept = input.subarray(0, present.length);
    present.set(kept);
    length[0] = kept.length;
    clock[0] = (clock[0] ?? 0) + 1;
    clock[1] = Date.now();
  },
  onFinding: (finding) => tell({ kind: 'finding', finding }),
  onFresh: (input) => tell({ kind: 'fresh', input }),
});
clock[1] = 0;
tell({ kind: 'end', totals });
// The main thread ends this one: an exit of its own could be told before its last message.
parentPort?.on('message', () => {});
