import { copyFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SimProcess } from './sim-process.ts';

const BUSY = 5;
const FULL = 13;
const CANT_OPEN = 14;
/** Files that are nothing but a lock. */
const LOCKS = /\/(lock|waiter)\.sqlite$/;
/** The share of commits that a crash may go back to. */
const KEPT = 0.06;
/** How the file is kept is the simulation's own. */
const OF_THE_FILE = /PRAGMA (busy_timeout|journal_mode|synchronous) = \w+;?/g;

function sqliteError(errcode: number, message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}

/** Opens a file of SQLite for a process. Its handle is closed when the process dies. */
export function openSimSqlite(process: SimProcess, path: string): DatabaseSync {
  const disk = process.machine.diskOf(path);
  const known = disk.files.get(path);
  if (known === undefined)
    process.operateNow('sqlite open', basename(path), () => {
      try {
        disk.refuseFull();
        disk.create(path, 0o600, process.machine.databasePath());
      } catch (error) {
        throw sqliteError(CANT_OPEN, (error as Error).message);
      }
    });
  const file = disk.file(path);
  // One that a disk without space has left empty is a new database.
  file.sqlite ??= process.machine.databasePath();
  const handle = LOCKS.test(path)
    ? new LockHandle(process, path)
    : new DatabaseHandle(process, file.sqlite, basename(path));
  process.onEnd.push(() => handle.end());
  return handle as unknown as DatabaseSync;
}

/** An exclusive lock, as SQLite gives it to one connection; nobody waits for it. */
class LockHandle {
  readonly #process: SimProcess;
  readonly #path: string;

  constructor(process: SimProcess, path: string) {
    this.#process = process;
    this.#path = path;
  }

  exec(sql: string): void {
    const { locks } = this.#process.machine;
    if (sql.includes('ROLLBACK')) {
      this.close();
      return;
    }
    // What `openSqlite` tries reads, and waits for nobody.
    if (sql.startsWith('SELECT')) return;
    this.#process.operateNow('sqlite lock', basename(this.#path), () => {
      if (locks.has(this.#path)) throw sqliteError(BUSY, 'database is locked');
      locks.set(this.#path, this.#process);
    });
  }

  close(): void {
    this.#process.refuseDead();
    this.end();
  }

  end(): void {
    const { locks } = this.#process.machine;
    if (locks.get(this.#path) === this.#process) locks.delete(this.#path);
  }
}

/** A real database. Its transactions are operations; it waits for no lock, because nobody else goes on meanwhile. */
class DatabaseHandle {
  readonly #process: SimProcess;
  readonly #name: string;
  readonly #path: string;
  /** All processes of a machine share it: one transaction is over before another process goes on. */
  readonly #database: DatabaseSync;
  readonly #prepared: Map<string, StatementSync>;
  #isOpen = true;

  constructor(process: SimProcess, path: string, name: string) {
    this.#process = process;
    this.#name = name;
    this.#path = path;
    const { database, prepared } = process.machine.database(path);
    this.#database = database;
    this.#prepared = prepared;
  }

  get isTransaction(): boolean {
    return this.#process.isAlive && this.#database.isTransaction;
  }

  exec(sql: string): void {
    this.#process.refuseDead();
    if (/^(BEGIN|COMMIT)/.test(sql)) {
      const kind = sql.startsWith('BEGIN') ? 'sqlite begin' : 'sqlite end';
      this.#process.operateNow(kind, this.#name, () => {
        if (this.#process.machine.disk.fullUntil > this.#process.world.now)
          throw sqliteError(FULL, 'database or disk is full');
        this.#database.exec(sql);
      });
      if (sql.startsWith('COMMIT') && this.#process.world.random() < KEPT)
        copyFileSync(this.#path, `${this.#path}.kept`);
      return;
    }
    const own = sql.replace(OF_THE_FILE, '').trim();
    if (own !== '') this.#database.exec(own);
  }

  prepare(sql: string): StatementSync {
    this.#process.refuseDead();
    if (!this.#isOpen) throw new Error('database is not open');
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }

  close(): void {
    this.#process.refuseDead();
    this.end();
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}
