import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { CrawlhouseError } from '../errors/errors.ts';
import { host } from '../host/host.ts';

export interface FolderOptions {
  /** The setting, flag or variable (`TMPDIR`) that names the folder. */
  readonly from?: string;
  /** The next step for the user, if `from` is not given. */
  readonly hint?: string;
  readonly mode?: number;
}

/** Codes of a failing or full disk: no other folder helps, but a later attempt may. */
const OF_THE_DISK: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE'];
/** Codes of a folder that allows reading but not writing. */
const NOT_OURS: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];
const NAME_OTHER = 'name another folder in the settings; crawlhouse config shows them';

/**
 * Creates a folder and its parents. Idempotent. Tries each folder at most twice. Node's recursive `mkdir` never ends if
 * an existing folder returns ENOENT, like `/proc` does.
 *
 * @returns the first folder that was made; undefined if all exist
 * @throws CrawlhouseError `bad_project`
 */
export function makeFolder(
  path: string,
  { from, hint, mode = 0o777 }: FolderOptions = {},
): string | undefined {
  try {
    return made(path, mode);
  } catch (error) {
    throw refusal(path, error, from, hint);
  }
}

/**
 * Checks that a folder exists or can be created, before any work starts.
 *
 * @param isReader whether a missing folder is acceptable if only the permission to make it is missing
 * @throws CrawlhouseError `bad_project`
 */
export function checkFolder(path: string, from: string, isReader: boolean): void {
  let isTried = false;
  try {
    if (isFolder(path)) return;
    const { files, uuid } = host();
    // Not the folder itself: another process may be about to use it when this one removes it again.
    const tried = join(nearest(path), `.crawlhouse-${uuid()}`);
    isTried = true;
    files.mkdirSync(tried);
    files.rmSync(tried, { recursive: true });
  } catch (error) {
    if (isTried && isReader && NOT_OURS.includes(codeOf(error))) return;
    throw refusal(path, error, from);
  }
}

function made(path: string, mode: number): string | undefined {
  const { files } = host();
  let first: string | undefined;
  for (const isLast of [false, true]) {
    try {
      files.mkdirSync(path, { mode });
      return first ?? path;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || isLast || dirname(path) === path) {
        // Any error of making an existing folder, such as on a read-only disk.
        if (isFolder(path)) return undefined;
        throw error;
      }
      first = made(dirname(path), mode);
    }
  }
  return first;
}

/** Returns the nearest existing folder. */
function nearest(path: string): string {
  if (isFolder(path)) return path;
  if (statOf(path, 'lstatSync') === undefined) return nearest(dirname(path));
  throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' });
}

function isFolder(path: string): boolean {
  return statOf(path, 'statSync')?.isDirectory() === true;
}

function statOf(path: string, how: 'statSync' | 'lstatSync'): Stats | undefined {
  return host().files[how](path, { throwIfNoEntry: false });
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}

function refusal(path: string, cause: unknown, from?: string, hint = hintFor(from)): unknown {
  const code = codeOf(cause);
  // The death of a simulated process, and errors that a retry may fix, are unchanged.
  if (typeof code !== 'string' || OF_THE_DISK.includes(code)) return cause;
  const name = from === undefined ? '' : ` (${from})`;
  return new CrawlhouseError(
    'bad_project',
    `the folder ${path}${name} cannot be created: ${why(path, code)}`,
    { hint, cause },
  );
}

function hintFor(from: string | undefined): string {
  if (from === undefined) return NAME_OTHER;
  if (from.startsWith('-')) return `name another folder with ${from}`;
  const variable = from.toUpperCase();
  const names = from === variable ? from : `${from} (CRAWLHOUSE_${variable})`;
  return `set ${names} to another folder`;
}

/** Returns the obstacle in the path, and its type. */
function why(path: string, code: string): string {
  if (code === 'ENAMETOOLONG') return 'its name is too long';
  if (code === 'ELOOP') return 'symbolic links lead back to themselves';
  const at = blocking(path);
  if (code === 'EROFS') return `${at} is on a read-only file system`;
  if (code === 'EACCES' || code === 'EPERM') return `no right to write to ${at}`;
  if (code === 'ENOENT') return `${at} accepts no folders`;
  if (code === 'EEXIST' || code === 'ENOTDIR') return `${at} is ${kindOf(at)}`;
  return `${at} answers ${code}`;
}

/** Returns the nearest existing parent of a path, or the path itself, whatever its type. */
function blocking(path: string): string {
  try {
    if (statOf(path, 'lstatSync') !== undefined || dirname(path) === path) return path;
  } catch {
    // Below a file, or without permission: a parent shows the reason.
  }
  return blocking(dirname(path));
}

function kindOf(path: string): string {
  if (statOf(path, 'lstatSync')?.isSymbolicLink() !== true) return 'a file';
  try {
    return statOf(path, 'statSync') === undefined ? 'a symbolic link to nothing' : 'a link to a file';
  } catch {
    // Links that form a cycle.
    return 'a symbolic link to nothing';
  }
}
