import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { RealServer } from './servers.ts';
import { until } from './until.ts';
import type { CuttableServer, Machine, WorkerScene } from './worker-scene.ts';

/** Moments of a run, in their order. */
const PHASES = [
  'the run starts',
  'a unit is claimed',
  'a unit is staged',
  'some units are loaded',
  'all units are loaded',
] as const;
type Phase = (typeof PHASES)[number];

const PROCESSES = ['kill a worker', 'pause a worker', 'cut a worker off', 'kill the run'] as const;

/** What is hit, and when. */
interface Hit {
  /** One of `PROCESSES`, or `crash` and the name of a server. */
  readonly what: string;
  readonly phase: Phase;
  /** Milliseconds after the phase has begun. */
  readonly delay: number;
  /** Milliseconds until a server is started again. */
  readonly down: number;
}

export interface Round {
  readonly round: number;
  readonly hits: readonly Hit[];
  /** Bytes a second of each export. */
  readonly rate: number;
  readonly title: string;
}

/**
 * Rounds that hit everything in turn, each at a random moment; every fourth hits a second one too.
 *
 * @param servers names of the servers that may crash
 */
export function planRounds(count: number, servers: readonly string[], random: () => number): Round[] {
  const targets = [...servers.map((name) => `crash ${name}`), ...PROCESSES];
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const hit = (what: string): Hit => ({
    what,
    phase: pick(PHASES),
    delay: Math.floor(random() * 1_500),
    down: Math.floor(random() * 2_000),
  });
  return Array.from({ length: count }, (_, round) => {
    const hits = [hit(targets[round % targets.length] ?? '')];
    if (round % 4 === 3) hits.push(hit(pick(targets)));
    const title = hits.map(({ what, phase, delay }) => `${what} ${delay} ms after ${phase}`).join('; ');
    return { round, hits, rate: 8_000 + Math.floor(random() * 15_000), title };
  });
}

interface Stage {
  readonly scene: WorkerScene;
  readonly workers: readonly Machine[];
  /** What stands between each worker and the ledger. */
  readonly lines: readonly CuttableServer[];
  readonly servers: Readonly<Record<string, Pick<RealServer, 'crash' | 'restart'>>>;
  /** More arguments of the runs. */
  readonly args: readonly string[];
  /** Units of the project. */
  readonly units: number;
}

/** Runs until a publication is whole are at most so many. */
const MOST_RUNS = 6;

/** What rounds have met. */
interface Tally {
  readonly hits: number;
  /** Those that met a run that was under way. */
  readonly met: number;
  /** Runs until all was published. */
  readonly runs: number;
}

export const NOTHING: Tally = { hits: 0, met: 0, runs: 0 };

/** Plays a round: a run with workers, the hits, and as many further runs as it takes. Adds to what others have met. */
export async function playRound(stage: Stage, { hits }: Round, before: Tally): Promise<Tally> {
  const { scene, workers } = stage;
  let run = scene.run('--verbose', ...stage.args);
  const first = run;
  let met = 0;
  const killed = new Set<Machine>();
  const struck = hits.map(async (hit, index) => {
    await reached(first, workers, hit, stage.units);
    if (first.child.exitCode === null && first.child.signalCode === null) met++;
    const victim = workers[index % workers.length] as Machine;
    if (hit.what === 'kill a worker') killed.add(victim);
    await strike(stage, hit, { run: first, victim, line: stage.lines[index % workers.length] });
  });
  await Promise.all(struck);
  let runs = 1;
  while ((await run.ended) !== 0) {
    if (runs++ === MOST_RUNS)
      expect.fail(`still not whole after ${MOST_RUNS} runs: ${run.said.text.slice(-3000)}`);
    run = scene.run('--verbose', ...stage.args);
  }
  for (const worker of workers) {
    worker.child.kill('SIGTERM');
    const expected = killed.has(worker) ? null : 143;
    expect(await worker.ended, worker.said.text.slice(-2000)).toBe(expected);
  }
  return { hits: before.hits + hits.length, met: before.met + met, runs: before.runs + runs };
}

/** Waits for the moment of a hit, or for the end of the run. */
async function reached(
  run: Machine,
  workers: readonly Machine[],
  { phase, delay }: Hit,
  units: number,
): Promise<void> {
  const said = (machines: readonly Machine[], pattern: RegExp): number =>
    machines.reduce((sum, { said }) => sum + (said.text.match(pattern)?.length ?? 0), 0);
  const has: Readonly<Record<Phase, () => boolean>> = {
    'the run starts': () => true,
    'a unit is claimed': () => said(workers, /unit claimed/g) > 0,
    'a unit is staged': () => said(workers, /unit staged/g) > 0,
    'some units are loaded': () => said([run], /unit loaded/g) >= units / 4,
    'all units are loaded': () => said([run], /unit loaded/g) >= units,
  };
  const isOver = (): boolean => run.child.exitCode !== null || run.child.signalCode !== null;
  await until(async () => (has[phase]() || isOver() ? true : undefined), 240_000);
  await sleep(delay);
}

async function strike(
  { scene, servers }: Stage,
  { what, down }: Hit,
  {
    run,
    victim,
    line,
  }: { readonly run: Machine; readonly victim: Machine; readonly line: CuttableServer | undefined },
): Promise<void> {
  // A server that is down answers later.
  const expire = () =>
    until(
      () =>
        scene.expire(victim).then(
          () => true as const,
          () => undefined,
        ),
      60_000,
    );
  if (what === 'kill a worker') {
    victim.child.kill('SIGKILL');
    await expire();
  } else if (what === 'pause a worker') {
    victim.child.kill('SIGSTOP');
    await expire();
    await sleep(1_500);
    victim.child.kill('SIGCONT');
  } else if (what === 'cut a worker off') {
    line?.cut();
    await expire();
    await sleep(down);
    line?.mend();
  } else if (what === 'kill the run') run.child.kill('SIGKILL');
  else {
    const server = servers[what.replace('crash ', '')];
    if (server === undefined) throw new Error(`nothing is called ${what}`);
    await server.crash();
    await sleep(down);
    await server.restart();
  }
}
