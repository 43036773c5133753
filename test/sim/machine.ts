import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Disk } from './disk.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** The folder that every machine has mounted: an object store that a folder stands for. */
export const BUCKET = '/bucket';

interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly prepared: Map<string, StatementSync>;
}

/** A machine: its disk, its locks and its processes. */
export class Machine {
  readonly name: string;
  readonly world: World;
  readonly disk: Disk;
  readonly processes = new Set<SimProcess>();
  /** Who holds the lock of a file. */
  readonly locks = new Map<string, SimProcess>();
  /** When each process began, by its id. */
  readonly started = new Map<number, string>();
  /** A crash has put a file of SQLite back to an earlier commit. */
  hasForgotten = false;
  boots = 0;
  readonly #bucket: Disk;
  readonly #folder: string;
  #pid: number;
  #databases = 0;
  readonly #open = new Map<string, OpenDatabase>();

  /** @param folder on the real disk, for files of SQLite */
  constructor(name: string, world: World, bucket: Disk, folder: string) {
    this.name = name;
    this.world = world;
    this.disk = new Disk(world);
    this.#bucket = bucket;
    this.#folder = folder;
    this.#pid = 100 + world.below(900);
  }

  diskOf(path: string): Disk {
    return path === BUCKET || path.startsWith(`${BUCKET}/`) ? this.#bucket : this.disk;
  }

  /** Ids of processes come again, as in containers. */
  begin(process: SimProcess): number {
    const pid = this.world.random() < 0.3 ? this.#pid : ++this.#pid;
    const isTaken = [...this.processes].some((one) => one.pid === pid);
    const own = isTaken ? ++this.#pid : pid;
    this.processes.add(process);
    this.started.set(own, `${this.boots}-${this.world.now}-${this.world.operations}`);
    return own;
  }

  /** The open database of a file, and its statements. */
  database(path: string): OpenDatabase {
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    const database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
    const opened = { database, prepared: new Map<string, StatementSync>() };
    this.#open.set(path, opened);
    return opened;
  }

  close(): void {
    for (const { database } of this.#open.values()) database.close();
    this.#open.clear();
  }

  databasePath(): string {
    return join(this.#folder, `${this.name}-${++this.#databases}.sqlite`);
  }

  /** The power fails. */
  crash(): void {
    this.world.say(`${this.name}: the machine crashes`);
    for (const process of [...this.processes]) process.die('crash');
    this.boots++;
    this.disk.crash();
    for (const { sqlite } of new Set(this.disk.files.values())) {
      // SQLite may lose the last commits of a log that was not flushed, and nothing else.
      if (sqlite === undefined || !existsSync(`${sqlite}.kept`) || this.world.random() < 0.7) continue;
      this.#open.get(sqlite)?.database.close();
      this.#open.delete(sqlite);
      copyFileSync(`${sqlite}.kept`, sqlite);
      this.hasForgotten = true;
      this.world.say(`${this.name}: a database is back at an earlier commit`);
    }
  }
}
