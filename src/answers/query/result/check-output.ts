import type { Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CrawlhouseError, succeeds } from '../../../core/errors/errors.ts';

/** The files that a file of results must not replace. */
export interface Protected {
  readonly warehouse: string;
  /** The state directory with everything in it, also the ledger. */
  readonly stateDir: string;
  /** What gave the path, for errors: `--output` where absent. */
  readonly named?: string;
}

/**
 * Resolves `--output`, and refuses the warehouse and its files, the state directory and anything but a plain file.
 * Symbolic links, hard links, `..` and names in another case make no difference.
 *
 * @returns the path to write; for a symbolic link, its target
 * @throws CrawlhouseError `usage`
 */
export async function checkOutput(
  path: string,
  { warehouse, stateDir, named = '--output' }: Protected,
): Promise<string> {
  const target = await resolveOutput(path, named);
  const refused = (given: string, why: string): CrawlhouseError => refusal(`${named}: ${given} ${why}`);
  const found = await statOrNull(target);
  if (found !== null && !found.isFile()) throw refused(path, 'is not a plain file');
  const state = await statOrNull(stateDir);
  for (let folder = dirname(target); ; folder = dirname(folder)) {
    const above = await stat(folder);
    if (state !== null && isSame(above, state)) throw refused(path, `is in the state directory ${stateDir}`);
    if (folder === dirname(folder)) break;
  }
  if (
    basename(target).toLowerCase() === basename(stateDir).toLowerCase() &&
    (await sameFolder(target, stateDir))
  )
    throw refused(path, 'is the state directory');
  // A warehouse that is not there yet has no other path.
  for (const one of new Set([warehouse, await realpath(warehouse).catch(() => warehouse)])) {
    const name = basename(one).toLowerCase();
    const own = basename(target).toLowerCase();
    if ((own === name || own.startsWith(`${name}.`)) && (await sameFolder(target, one)))
      throw refused(path, `belongs to the warehouse ${warehouse}`);
  }
  if (found !== null && found.nlink > 1) {
    for (const file of [warehouse, ...(await filesBelow(stateDir))]) {
      const other = await statOrNull(file);
      if (other !== null && isSame(found, other)) throw refused(path, `is another name of ${file}`);
    }
  }
  return target;
}

/** The path behind all symbolic links; its last name need not exist. */
async function resolveOutput(path: string, named: string): Promise<string> {
  if (await succeeds(lstat(path))) {
    return await realpath(path).catch((cause: unknown) => {
      throw new CrawlhouseError('usage', `${named}: ${path} is a symbolic link without a target`, {
        cause,
      });
    });
  }
  const folder = await realpath(dirname(path)).catch((cause: unknown) => {
    throw new CrawlhouseError('usage', `${named}: there is no folder ${dirname(path)}`, { cause });
  });
  return join(folder, basename(path));
}

async function sameFolder(one: string, other: string): Promise<boolean> {
  const [left, right] = await Promise.all([statOrNull(dirname(one)), statOrNull(dirname(other))]);
  return left !== null && right !== null && isSame(left, right);
}

interface Identity {
  readonly dev: number;
  readonly ino: number;
}

function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

async function statOrNull(path: string): Promise<Stats | null> {
  // A user who can't look there can't write there either.
  return stat(path).catch(() => null);
}

async function filesBelow(folder: string): Promise<string[]> {
  // No such folder has no files.
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.map((name) => join(folder, name));
}

function refusal(message: string): CrawlhouseError {
  return new CrawlhouseError('usage', message, {
    hint: 'give the name of a new file, such as rows.csv',
  });
}
