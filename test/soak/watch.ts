import { readFile } from 'node:fs/promises';
import type { Status } from '../../src/app/operations/status/read-status.ts';
import type { SeenIncident } from './explain.ts';
import type { Scene } from './scene.ts';

/** Milliseconds before a run that count as its time: a fault may be over when the run meets what it left. */
const BEFORE_RUN = 10_000;
/** Milliseconds before an incident's beginning: that is the end of the run that met the fault. */
const BEFORE_INCIDENT = 120_000;

/** Collects what the product says is wrong: `status`, its runs, and alerts. */
export class Watch {
  readonly #scene: Scene;
  readonly #incidents = new Map<string, SeenIncident>();
  readonly #runs = new Map<string, Status['runs'][number]>();
  readonly #began = Date.now();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Runs that ended, by status. */
  get runs(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { status } of this.#runs.values()) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  /** Asks `crawlhouse status`. @returns the open incidents' titles */
  async look(): Promise<readonly string[]> {
    const from = Date.now();
    const { code, stdout, stderr } = await this.#scene.command('status', '--json');
    if (code !== 0) {
      const title = `status ended with ${code}: ${stderr.slice(0, 300)}`;
      const incident = {
        source: 'people',
        title,
        code: code === 3 ? 'read' : `exit ${code}`,
        from,
        to: Date.now(),
      };
      this.#incidents.set(`status ${from}`, incident);
      return [title];
    }
    const status = JSON.parse(stdout) as Status;
    for (const run of status.runs)
      if (Date.parse(run.started_at) >= this.#began) this.#runs.set(run.run_id, run);
    for (const { key, title, began } of status.incidents)
      this.#note('status', { key, title, since: began, at: new Date().toISOString() });
    return status.incidents.map(({ title }) => title);
  }

  /** All incidents so far: those of status and alerts, and the runs that did not do all. */
  async incidents(): Promise<readonly SeenIncident[]> {
    for (const line of (await readFile(this.#scene.alerts, 'utf8')).split('\n').filter(Boolean)) {
      const alert = JSON.parse(line) as AlertLine;
      if (alert.event !== 'recovery') this.#note('alert', { ...alert, key: alert.incident });
    }
    return [...this.#incidents.values(), ...[...this.#runs.values()].flatMap(incidentOfRun)];
  }

  #note(source: string, { key, title, since, at }: Noted): void {
    const name = `${key} ${since}`;
    if (this.#incidents.has(name)) return;
    const to = Date.parse(at);
    const from = (since === null ? to : Date.parse(since)) - BEFORE_INCIDENT;
    // The last word of a key is the code: units/<project>/<code>, run/<schedule>/<code>.
    const code = /^(?:units|run)\//.test(key) ? (key.split('/').at(-1) ?? '') : key;
    this.#incidents.set(name, { source, title, code, from, to });
  }
}

interface Noted {
  readonly key: string;
  readonly title: string;
  readonly since: string | null;
  readonly at: string;
}

interface AlertLine extends Omit<Noted, 'key'> {
  readonly event: string;
  readonly incident: string;
}

function incidentOfRun({
  run_id,
  status,
  started_at,
  ended_at,
  summary,
}: Status['runs'][number]): SeenIncident[] {
  if (status === 'done' || status === 'running') return [];
  const from = Date.parse(started_at) - BEFORE_RUN;
  const code = status === 'killed' ? 'killed' : (summary?.failure?.code ?? 'some units');
  const title = `run ${run_id.slice(0, 8)} is ${status}: ${summary?.error ?? 'its process is gone'}`;
  // Of a run that was killed nobody knows the end.
  const to = ended_at === null ? from + 300_000 : Date.parse(ended_at);
  return [{ source: 'run', title, code: status === 'refused' ? 'refused' : code, from, to }];
}
