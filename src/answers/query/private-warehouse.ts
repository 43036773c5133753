import { randomUUID } from 'node:crypto';
import { constants, existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { access, copyFile, link, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../core/make-folder.ts';
import { processScope, processStart } from '../../core/process-start.ts';

const PREFIX = '.crawlhouse-query-';
const NAME = /^\.crawlhouse-query-(?:([0-9a-f]{12})-)?(\d+)-(\d+|unknown)-/;
/** After a week, a folder of another machine or container is no query's any more. */
const LEFT_MS = 7 * 86_400_000;
/** A live process says so that often. */
const ALIVE_MS = 86_400_000;

/** The places for folders of queries, the preferred one first. */
function places(stateDir: string | undefined): readonly string[] {
  return [...(stateDir === undefined ? [] : [join(stateDir, 'query')]), tmpdir()];
}

/**
 * A published file under a private name. DuckDB allows SQL to write to the path that it has opened and to names next to
 * it. The path must therefore not be the warehouse's, and must be removed once the file is open.
 */
export class PrivateWarehouse implements Disposable {
  /** The path to open. */
  readonly path: string;
  /** A folder for what DuckDB spills. */
  readonly spill: string;
  /** Whether all bytes were copied, because the disk does not support hard links. */
  readonly isCopy: boolean;
  readonly #linkFolder: string | null;
  readonly #folder: string;
  readonly #alive: NodeJS.Timeout;

  private constructor(
    path: string,
    folders: { readonly own: string; readonly link: string | null },
    isCopy = false,
  ) {
    this.path = path;
    this.#folder = folders.own;
    this.#linkFolder = folders.link;
    this.spill = join(folders.own, 'spill');
    this.isCopy = isCopy;
    this.#alive = setInterval(() => touch(folders.own), ALIVE_MS).unref();
  }

  /**
   * Makes a hard link in a private folder (0700), under the state directory or, on another disk, next to the warehouse.
   * If neither supports it, uses the file itself if it is read-only for us, else a copy.
   */
  static async make(warehouse: string, stateDir: string | undefined): Promise<PrivateWarehouse> {
    const file = await realpath(warehouse);
    removeLeftovers(warehouse, stateDir);
    const own = await ownFolder(places(stateDir));
    const name = basename(warehouse);
    try {
      const near = join(own, name);
      if (await linked(file, near)) return new PrivateWarehouse(near, { own, link: own });
      // Where nothing may be made there, the file is copied.
      const beside = await ownFolder([dirname(file)]).catch(() => null);
      if (beside !== null) {
        if (await linked(file, join(beside, name)))
          return new PrivateWarehouse(join(beside, name), { own, link: beside });
        rmSync(beside, { recursive: true, force: true });
      }
      if (!existsSync(`${file}.wal`) && !(await isWritable(file)))
        return new PrivateWarehouse(file, { own, link: null });
      await copyFile(file, near, constants.COPYFILE_FICLONE);
      return new PrivateWarehouse(near, { own, link: own }, true);
    } catch (error) {
      rmSync(own, { recursive: true, force: true });
      throw error;
    }
  }

  /** Removes the name. Open connections keep reading the file. */
  hide(): void {
    if (this.#linkFolder === null) return;
    rmSync(this.path, { force: true });
    if (this.#linkFolder !== this.#folder) rmSync(this.#linkFolder, { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#alive);
    this.hide();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Removes folders of queries whose process is gone. Process ids say nothing of another machine or container. */
export function removeLeftovers(warehouse: string, stateDir: string | undefined): void {
  for (const place of [...places(stateDir), dirname(warehouse)]) {
    if (!existsSync(place)) continue;
    for (const name of readdirSync(place)) {
      const [, scope, pid, start] = NAME.exec(name) ?? [];
      if (pid === undefined) continue;
      try {
        if (scope === processScope() ? isAlive(Number(pid), start) : isRecent(join(place, name))) continue;
        rmSync(join(place, name), { recursive: true, force: true });
      } catch {
        // Another user's, or gone by now.
      }
    }
  }
}

async function ownFolder(candidates: readonly string[]): Promise<string> {
  const start = processStart(process.pid) ?? 'unknown';
  const name = `${PREFIX}${processScope()}-${process.pid}-${start}-${randomUUID()}`;
  let failure: unknown;
  for (const place of candidates) {
    try {
      makeFolder(place, { mode: 0o700 });
      makeFolder(join(place, name), { mode: 0o700 });
      return join(place, name);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Whether the hard link was made. It fails across disks, on some file systems, and for files of other users. */
async function linked(file: string, path: string): Promise<boolean> {
  return link(file, path).then(
    () => true,
    () => false,
  );
}

async function isWritable(file: string): Promise<boolean> {
  return access(file, constants.W_OK).then(
    () => true,
    () => false,
  );
}

function touch(folder: string): void {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // Whoever has removed the folder by hand, or made the disk read-only, has a reason.
  }
}

function isRecent(path: string): boolean {
  return Date.now() - statSync(path).mtimeMs < LEFT_MS;
}

function isAlive(pid: number, start: string | undefined): boolean {
  const known = processStart(pid);
  if (known !== undefined && start !== 'unknown') return known === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}
