import { setTimeout as sleep } from 'node:timers/promises';
import type { PlantedFault } from './explain.ts';
import type { FaultKind, PlannedFault } from './plan-faults.ts';
import { type SoakProcess, timeOf } from './process.ts';
import type { Scene } from './scene.ts';

/** The requests that a fault of the service strikes. */
const PATHS = ['/workspaces', '/data/crawl/', 'export=true', '/crawls', ''];

const OF_SERVICE: Readonly<Partial<Record<FaultKind, object>>> = {
  'service 429': { kind: 'status', status: 429, retry_after: 2 },
  'service 503': { kind: 'status', status: 503 },
  'service reset': { kind: 'reset', after_bytes: 500 },
  'service cut': { kind: 'truncate', after_bytes: 500 },
  'service slow': { kind: 'slow', bytes_per_second: 20_000 },
};

/** Plants faults at their times, and notes when each was there. */
export async function plantAll(
  scene: Scene,
  planned: readonly PlannedFault[],
  { random, say, signal }: { random: () => number; say: (line: string) => void; signal: AbortSignal },
): Promise<readonly PlantedFault[]> {
  const began = Date.now();
  const planted: PlantedFault[] = [];
  for (const fault of planned) {
    await sleep(Math.max(0, began + fault.at * 1000 - Date.now()), undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const from = Date.now();
    const path = PATHS[Math.floor(random() * PATHS.length)] ?? '';
    await plant(scene, fault, path);
    planted.push({ kind: fault.kind, from, to: Date.now() });
    say(`${timeOf(from)}  ${fault.kind} for ${((Date.now() - from) / 1000).toFixed(1)} s`);
  }
  return planted;
}

/** Plants a fault and takes it away after its seconds. */
async function plant(scene: Scene, { kind, seconds }: PlannedFault, path: string): Promise<void> {
  const [word = '', name = ''] = kind.split(' ');
  const lasts = (): Promise<void> => sleep(seconds * 1000);
  const ofService = OF_SERVICE[kind];
  if (ofService !== undefined) {
    await scene.service.setFault({ match: path === '' ? {} : { path }, ...ofService });
    await lasts();
    await scene.service.clearFaults();
  } else if (kind === 'restart sandbox') await scene.service.restart(seconds * 1000);
  else if (kind === 'cut postgres') await scene.postgres?.cut();
  else if (kind === 'pause postgres') await pausePostgres(scene, lasts);
  else if (word === 'kill') {
    const victim = processOf(scene, name);
    await victim.end('SIGKILL');
    await lasts();
    victim.restart();
  } else {
    const victim = processOf(scene, name);
    victim.signal('SIGSTOP');
    await lasts();
    victim.signal('SIGCONT');
  }
}

function processOf({ schedule, workers }: Scene, name: string): SoakProcess {
  const found = [schedule, ...workers].find((one) => one.name === name);
  if (found === undefined) throw new Error(`no process is called ${name}`);
  return found;
}

/** Stops the server and its processes for the connections; new connections wait in its queue. */
async function pausePostgres({ postgres }: Scene, lasts: () => Promise<void>): Promise<void> {
  if (postgres === undefined) return;
  const rows = await postgres.admin(
    `SELECT pid FROM pg_stat_activity
     UNION SELECT (string_to_array(pg_read_file('postmaster.pid'), chr(10)))[1]::int`,
  );
  // The connection that asked has ended by now.
  const pids = rows.map(({ pid }) => Number(pid));
  for (const pid of pids) tryKill(pid, 'SIGSTOP');
  await lasts();
  for (const pid of pids) tryKill(pid, 'SIGCONT');
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // A connection may have ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
