import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type FSWatcher, mkdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteLedger } from '../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import './process-timeout.ts';

/**
 * When a process is to be killed: as soon as it has written its `n`th state change, as late as possible before the one
 * that follows, at the `n`th change of a file in its folders, or after some milliseconds.
 */
export type Moment =
  | { readonly kind: 'after' | 'before' | 'file'; readonly n: number }
  | { readonly kind: 'time'; readonly ms: number };

/** A state change as the ledger wrote it. */
export interface Change {
  readonly what: string;
  readonly to: string;
}

const STATE_DIR = '.crawlhouse';
const CHANGES = `
  CREATE TABLE IF NOT EXISTS seen_changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT, state TEXT);
  CREATE TRIGGER IF NOT EXISTS seen_units AFTER INSERT ON units
    BEGIN INSERT INTO seen_changes (what, state) VALUES (new.unit, new.status); END;
  CREATE TRIGGER IF NOT EXISTS seen_published AFTER UPDATE OF status ON units
    BEGIN INSERT INTO seen_changes (what, state) VALUES (new.unit, new.status); END;
  CREATE TRIGGER IF NOT EXISTS seen_exports AFTER INSERT ON exports
    BEGIN INSERT INTO seen_changes (what, state) VALUES ('export ' || new.unit, new.status); END;
  CREATE TRIGGER IF NOT EXISTS seen_export_states AFTER UPDATE ON exports
    BEGIN INSERT INTO seen_changes (what, state) VALUES ('export ' || new.unit, new.status); END;
  CREATE TRIGGER IF NOT EXISTS seen_runs AFTER INSERT ON runs
    BEGIN INSERT INTO seen_changes (what, state) VALUES ('run', new.status); END;
  CREATE TRIGGER IF NOT EXISTS seen_run_ends AFTER UPDATE ON runs
    BEGIN INSERT INTO seen_changes (what, state) VALUES ('run', new.status); END;`;

/**
 * Watches a project's ledger from outside. SQLite itself notes each state change, within its transaction; and who holds
 * SQLite's write lock keeps the process from making the next one, so that it stands still between two of them.
 */
export class LedgerWatch implements Disposable {
  readonly #folder: string;
  readonly #database: DatabaseSync;

  constructor(folder: string) {
    this.#folder = folder;
    const stateDir = join(folder, STATE_DIR);
    void sqliteLedger(stateDir)[Symbol.asyncDispose]();
    this.#database = new DatabaseSync(join(stateDir, 'ledger.sqlite'), { timeout: 5000 });
    this.#database.exec(CHANGES);
  }

  changes(): Change[] {
    const rows = this.#database.prepare('SELECT what, state FROM seen_changes ORDER BY seq').all();
    return rows.map((row) => ({ what: String(row.what), to: String(row.state) }));
  }

  #count(): number {
    return Number(this.#database.prepare('SELECT max(seq) AS n FROM seen_changes').get()?.n ?? 0);
  }

  /**
   * Kills a process at its moment.
   *
   * @returns the last state change before it; null when the process ended first
   */
  async kill(child: ChildProcess, moment: Moment): Promise<Change | null> {
    const exited = once(child, 'exit');
    const from = this.#count();
    if (moment.kind === 'time') await Promise.race([sleep(moment.ms), exited]);
    else if (moment.kind === 'file') await this.#fileChanges(child, moment.n);
    else {
      while (isAlive(child) && this.#count() < from + moment.n) await sleep(1);
      if (moment.kind === 'before' && isAlive(child)) {
        this.#database.exec('BEGIN IMMEDIATE');
        // Held no longer than SQLite waits for it.
        for (let waited = 0; isAlive(child) && !isWaiting(child) && waited < 4000; waited += 2)
          await sleep(2);
      }
    }
    const killed = isAlive(child) && child.kill('SIGKILL');
    await exited;
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    if (!killed || child.signalCode !== 'SIGKILL') return null;
    return this.changes().at(-1) ?? { what: 'nothing', to: 'none' };
  }

  async #fileChanges(child: ChildProcess, n: number): Promise<void> {
    let seen = 0;
    const watchers: FSWatcher[] = [];
    for (const folder of [
      this.#folder,
      join(this.#folder, STATE_DIR),
      join(this.#folder, STATE_DIR, 'packages'),
    ]) {
      mkdirSync(folder, { recursive: true });
      const count = (_event: string, name: string | null): void => {
        if (!name?.startsWith('ledger.sqlite')) seen++;
      };
      watchers.push(watch(folder, count));
    }
    try {
      while (isAlive(child) && seen < n) await sleep(1);
    } finally {
      for (const watcher of watchers) watcher.close();
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** System calls by which SQLite sleeps while another process holds the lock: x86-64, then arm64. */
const SLEEPS = ['35', '230', '101', '115'];

/** Does the process's main thread sleep? Node.js itself never does: it waits for events. */
function isWaiting({ pid }: ChildProcess): boolean {
  try {
    const [call = ''] = readFileSync(`/proc/${pid}/task/${pid}/syscall`, 'utf8').split(' ');
    return SLEEPS.includes(call);
  } catch {
    // Where the system does not tell: what the process can do without the ledger, it does meanwhile.
    return false;
  }
}
