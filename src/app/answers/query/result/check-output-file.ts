import type { Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { CrawlhouseError, succeeds } from '../../../../core/errors/errors.ts';

/** The files that a written file must not replace. Outside of any project, only those of the projects above it. */
export interface Protected {
  readonly warehouse?: string;
  /** The state directory with all its contents, including the ledger and the data of the local service. */
  readonly stateDir?: string;
  /** Its settings, schedules, pipelines and SQL are protected under every name. */
  readonly projectDir?: string;
  /** The source of the path, for errors; default: `--output`. */
  readonly named?: string;
  /** Lines are appended, so a device or a pipe is allowed. */
  readonly isAppended?: boolean;
}

export function filesOfProject(settings: {
  readonly warehouse: string;
  readonly state_dir: string;
  readonly projectDir: string;
}): Protected {
  return { warehouse: settings.warehouse, stateDir: settings.state_dir, projectDir: settings.projectDir };
}

/** A project folder's own files, and folders with all their contents, whatever the settings. */
const OWN_FOLDERS: readonly string[] = ['.crawlhouse', '.git', 'crawls', 'pipelines', 'sql'];
const OWN_FILES =
  /^(?:\.env(?:\..*)?|crawlhouse\.yaml|schedules\.yaml|notes\.yaml|tickets\.yaml|warehouse\.duckdb(?:\..*)?)$/;

/**
 * Checks every path that a user chooses for writing. It resolves the path, and refuses the files of every project, the
 * warehouse, the state directory and everything but plain files. Symbolic links, hard links, `..` and names in another
 * case do not bypass it.
 *
 * @returns the path to write; for a symbolic link, its target
 * @throws CrawlhouseError `usage`
 */
export async function checkOutput(path: string, own: Protected): Promise<string> {
  const named = own.named ?? '--output';
  const target = await resolveOutput(path, named);
  const found = await statOrNull(target);
  if (found !== null && !found.isFile() && (own.isAppended !== true || found.isDirectory()))
    throw refusal(`${named}: ${path} is not a plain file`);
  await refuseOwn(path, target, own);
  return target;
}

/**
 * Checks a folder that files will be written to. The folder need not exist yet.
 *
 * @throws CrawlhouseError `usage`
 */
export async function checkOutputFolder(path: string, own: Protected): Promise<void> {
  const missing: string[] = [];
  let above = path;
  while (!(await succeeds(realpath(above))) && above !== dirname(above)) {
    missing.unshift(basename(above));
    above = dirname(above);
  }
  await refuseOwn(path, join(await realpath(above), ...missing, 'a file'), own);
}

async function refuseOwn(path: string, target: string, own: Protected): Promise<void> {
  const { warehouse, stateDir, projectDir, named = '--output' } = own;
  const refused = (why: string): CrawlhouseError => refusal(`${named}: ${path} ${why}`);
  const state = stateDir === undefined ? null : await statOrNull(stateDir);
  for (let folder = dirname(target); folder !== dirname(folder); folder = dirname(folder)) {
    const above = await statOrNull(folder);
    if (above !== null && state !== null && isSame(above, state))
      throw refused(`is in the state directory ${stateDir}`);
    const [first = '', ...below] = relative(folder, target).toLowerCase().split(sep);
    const isOwn = below.length === 0 ? OWN_FILES.test(first) : OWN_FOLDERS.includes(first);
    const isThere = (name: string): Promise<boolean> => succeeds(stat(join(folder, name)));
    if ((isOwn || OWN_FOLDERS.includes(first)) && (await isThere('schedules.yaml')))
      throw refused(`belongs to the project ${folder}`);
  }
  const isNamed = (file: string): boolean => basename(target).toLowerCase() === basename(file).toLowerCase();
  if (stateDir !== undefined && isNamed(stateDir) && (await sameFolder(target, stateDir)))
    throw refused('is the state directory');
  // A warehouse that does not exist yet has no other path.
  const warehouses =
    warehouse === undefined ? [] : [warehouse, await realpath(warehouse).catch(() => warehouse)];
  for (const one of new Set(warehouses)) {
    const isBeside = basename(target)
      .toLowerCase()
      .startsWith(`${basename(one).toLowerCase()}.`);
    if ((isNamed(one) || isBeside) && (await sameFolder(target, one)))
      throw refused(`belongs to the warehouse ${warehouse}`);
  }
  const found = await statOrNull(target);
  if (found === null || found.nlink <= 1) return;
  for (const file of [...warehouses, ...(await filesBelow(stateDir)), ...(await filesOf(projectDir))]) {
    const other = await statOrNull(file);
    if (other !== null && isSame(found, other)) throw refused(`is another name of ${file}`);
  }
}

/** Resolves all symbolic links of a path; its last name need not exist. */
async function resolveOutput(path: string, named: string): Promise<string> {
  if (await succeeds(lstat(path))) {
    return await realpath(path).catch((cause: unknown) => {
      throw new CrawlhouseError('usage', `${named}: ${path} is a symbolic link without a target`, { cause });
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

function isSame(identity: Identity, other: Identity): boolean {
  return identity.dev === other.dev && identity.ino === other.ino;
}

async function statOrNull(path: string): Promise<Stats | null> {
  // A user who cannot read there cannot write there either.
  return stat(path).catch(() => null);
}

async function filesBelow(folder: string | undefined): Promise<string[]> {
  // A missing folder has no files.
  const names = folder === undefined ? [] : await readdir(folder, { recursive: true }).catch(() => []);
  return names.map((name) => join(folder ?? '', name));
}

/** Returns a project folder's own files, in addition to those of its settings. */
async function filesOf(projectDir: string | undefined): Promise<string[]> {
  if (projectDir === undefined) return [];
  // A missing folder has no files.
  const all = await readdir(projectDir).catch(() => []);
  const names = all.filter((name) => OWN_FILES.test(name.toLowerCase()));
  const below = await Promise.all(OWN_FOLDERS.map((name) => filesBelow(join(projectDir, name))));
  return [...names.map((name) => join(projectDir, name)), ...below.flat()];
}

function refusal(message: string): CrawlhouseError {
  return new CrawlhouseError('usage', message, { hint: 'use a new file name, such as rows.csv' });
}
