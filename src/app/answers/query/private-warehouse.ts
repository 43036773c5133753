import { constants, existsSync, rmSync, utimesSync } from 'node:fs';
import { access, copyFile, link, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { succeeds } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { processFolderName, removeDeadFolders } from '../../../core/host/process-folders.ts';

const PREFIX = '.crawlhouse-query-';
/** A running process renews its folder more often than this. */
const ALIVE_MS = 86_400_000;

/** Returns the candidates for folders of queries, preferred first. */
function places(stateDir: string | undefined): readonly string[] {
  return [...(stateDir === undefined ? [] : [join(stateDir, 'query')]), tmpdir()];
}

/**
 * A published file under a private name. DuckDB allows SQL to write to the opened path and to files named after it.
 * Therefore, the path must differ from that of the warehouse, and must be removed once the file is open.
 */
export class PrivateWarehouse implements Disposable {
  readonly path: string;
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
   * If neither works, it uses the file itself if the file is read-only for this user, or else a copy.
   */
  static async make(warehouse: string, stateDir: string | undefined): Promise<PrivateWarehouse> {
    const file = await realpath(warehouse);
    removeLeftovers(warehouse, stateDir);
    const own = await ownFolder(places(stateDir));
    const name = basename(warehouse);
    try {
      const near = join(own, name);
      if (await linked(file, near)) return new PrivateWarehouse(near, { own, link: own });
      // Copies the file if no folder can be created there.
      const beside = await ownFolder([dirname(file)]).catch(() => null);
      if (beside !== null) {
        if (await linked(file, join(beside, name)))
          return new PrivateWarehouse(join(beside, name), { own, link: beside });
        rmSync(beside, { recursive: true, force: true });
      }
      if (!existsSync(`${file}.wal`) && !(await succeeds(access(file, constants.W_OK))))
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

/** Removes query folders of processes that no longer exist. */
export function removeLeftovers(warehouse: string, stateDir: string | undefined): void {
  for (const place of [...places(stateDir), dirname(warehouse)]) removeDeadFolders(place, PREFIX);
}

async function ownFolder(candidates: readonly string[]): Promise<string> {
  const name = processFolderName(PREFIX);
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

/**
 * Returns whether the hard link was made. It fails across disks, on some file systems, and for files of other users.
 */
const linked = (file: string, path: string): Promise<boolean> => succeeds(link(file, path));

function touch(folder: string): void {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // A user removed the folder, or made the disk read-only.
  }
}
