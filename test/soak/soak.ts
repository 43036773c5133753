import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../support/random.ts';
import { type Explained, explain, type PlantedFault, type SeenIncident, STALL } from './explain.ts';
import { FEWEST_JUDGED, type Judgement, judgeSeries } from './judge.ts';
import { Measured } from './measure.ts';
import { type Reads, readOn } from './people.ts';
import { planFaults } from './plan-faults.ts';
import type { SoakProcess } from './process.ts';
import { type Scene, startScene } from './scene.ts';
import { type Settled, settle } from './settle.ts';
import { plantAll } from './strike.ts';
import { Watch } from './watch.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** False: the local ledger, and no workers. */
  readonly isShared: boolean;
  /** Keeps the folder with its logs; it is kept after a failure in any case. */
  readonly keeps: boolean;
  readonly say: (line: string) => void;
}

export interface SoakReport {
  readonly folder: string;
  readonly isShared: boolean;
  readonly measured: Measured;
  readonly judgements: readonly Judgement[];
  readonly faults: readonly PlantedFault[];
  readonly explained: readonly Explained[];
  readonly runs: Readonly<Record<string, number>>;
  readonly reads: Omit<Reads, 'incidents'>;
  readonly launched: number;
  readonly settled: Settled;
  /** Why it failed; empty: it did not. */
  readonly failures: readonly string[];
}

/** Samples of a run: at least so many, and not in step with the schedule, which fires each minute. */
const [FEWEST_SAMPLES, SAMPLE_MS] = [20, 17_000];
const MINUTE = 60_000;
/** The first minutes of a process: caches and compiled code grow. In shorter runs memory is told, not judged. */
const MEMORY_FROM_MINUTES = 20;
/** Shorter quarters may have no run, so the others have more. */
const JUDGED_FROM_MINUTES = 4;
/** The worker that is killed at any time; all others live through the last three quarters. */
const KILLED = 'worker-1';
const LAUNCH_EACH_MS = 5000;
/** A timer that is so late tells of a machine that was stopped, or had no time for us. */
const [TICK_MS, STALL_MS] = [1000, 8000];
/** A process may end so long behind what ended it: a connection is tried for 90 s. */
const BEFORE_ENDING_MS = 120_000;

/** Lets the product work for some minutes while faults come and people read, and judges what became of it. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  let keeps = true;
  await using scene = await startScene({ keeps: () => keeps, isShared: options.isShared });
  options.say(
    `folder ${scene.folder}; ${scene.postgres ? 'a shared ledger in PostgreSQL, two workers' : 'the local ledger, no workers'}`,
  );
  const [measured, watch] = [new Measured(), new Watch(scene)];
  const { faults, reads } = await disturb(scene, options, { measured, watch });
  const settled = await settle(scene);
  const open = await watch.look();
  const ended = scene.processes().flatMap(endings);
  const explained = explain([...(await watch.incidents()), ...reads.incidents, ...ended], faults);
  const judgements = measured.series.map(judgeSeries);
  const failures = [
    ...judgements.flatMap((one) => failureOf(one, options.minutes)),
    ...explained
      .filter(({ fault }) => fault === undefined)
      .map(({ incident }) => `without a fault: ${incident.title}`),
    ...settled.problems,
    ...open.map((title) => `an incident is open after the last quiet run: ${title}`),
  ];
  keeps = options.keeps || failures.length > 0;
  return {
    measured,
    judgements,
    faults,
    explained,
    reads,
    settled,
    failures,
    folder: scene.folder,
    isShared: scene.postgres !== undefined,
    runs: watch.runs,
    launched: scene.service.launched,
  };
}

/** The minutes of faults, reads and samples. */
async function disturb(
  scene: Scene,
  { minutes, seed, say }: SoakOptions,
  { measured, watch }: { measured: Measured; watch: Watch },
): Promise<{ faults: readonly PlantedFault[]; reads: Reads }> {
  const all = minutes * MINUTE;
  const [plan, strikes, people] = [seededRandom(seed), seededRandom(seed + 1), seededRandom(seed + 2)];
  const planned = planFaults(minutes * 60, scene.postgres !== undefined, plan);
  const over = new AbortController();
  const { signal } = over;
  const until = Date.now() + all;
  const each = async (ms: number, act: () => Promise<unknown>): Promise<void> => {
    for (let next = Date.now(); next <= until && !signal.aborted; next = Math.max(next + ms, Date.now())) {
      await sleep(Math.max(0, next - Date.now()), undefined, { signal }).catch(() => {});
      if (!signal.aborted) await act();
    }
  };
  const stalls: PlantedFault[] = [];
  let ticked = Date.now();
  const tick = async (): Promise<void> => {
    const now = Date.now();
    if (now - ticked > STALL_MS) stalls.push({ kind: STALL, from: ticked, to: now });
    ticked = now;
    for (const process of scene.processes()) process.revive();
  };
  // One that fails ends the others.
  const work = [
    plantAll(scene, planned, { random: strikes, say, signal }),
    readOn(scene, people, signal),
    each(Math.min(SAMPLE_MS, all / FEWEST_SAMPLES), () => measured.take(scene)),
    each(MINUTE, () => watch.look()),
    each(LAUNCH_EACH_MS, () => scene.service.launch()),
    each(TICK_MS, tick),
    sleep(all, undefined, { signal }).then(
      () => over.abort(),
      () => {},
    ),
  ] as const;
  for (const one of work) one.catch(() => over.abort());
  const [faults, reads] = await Promise.all(work);
  return { faults: [...faults, ...stalls].toSorted((a, b) => a.from - b.from), reads };
}

/** Processes that ended by themselves, as incidents. */
function endings({ name, surprises }: SoakProcess): SeenIncident[] {
  return surprises.map(({ at, how }) => {
    const title = `${name} ended by itself with ${how}`;
    return { source: 'process', title, code: `ended with ${how}`, from: at - BEFORE_ENDING_MS, to: at };
  });
}

function failureOf({ series, verdict }: Judgement, minutes: number): string[] {
  const { name, quantity } = series;
  if (minutes < JUDGED_FROM_MINUTES) return [];
  if (verdict === 'not judged' && name !== KILLED && series.values.length >= FEWEST_JUDGED)
    return [`${quantity} of ${name} could not be judged`];
  if (verdict !== 'rising' || (quantity === 'memory' && minutes < MEMORY_FROM_MINUTES)) return [];
  return [`${quantity} of ${name} rises`];
}
