import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { CrawlhouseError } from '../errors/errors.ts';
import { host } from '../host/host.ts';

export interface FolderOptions {
  /** The setting, flag or variable (`TMPDIR`) that names the folder. */
  readonly from?: string;
  /** What a person may do, where nothing of these names it. */
  readonly hint?: string;
  readonly mode?: number;
}

/** Codes of a disk that fails or is full: no other folder helps, and a later try may. */
const OF_THE_DISK: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE'];
/** Codes of a place that a reader may look into and not write to. */
const NOT_OURS: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];
const NAME_OTHER = 'name another folder in the settings; crawlhouse config shows them';

/**
 * Makes a folder and those above it; idempotent. Each folder is tried at most twice. `mkdir` of Node with `recursive`
 * never ends where a folder is there and answers ENOENT, as `/proc` does.
 *
 * @returns the first folder that was made; undefined if all are there
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
 * Whether a folder is there or can be made, found out before any work.
 *
 * @param isReader does it do without the folder, where only rights are missing to make it?
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
        // Whatever is wrong with making one that is there, such as a read-only disk.
        if (isFolder(path)) return undefined;
        throw error;
      }
      first = made(dirname(path), mode);
    }
  }
  return first;
}

/** The nearest folder that is there. */
function nearest(path: string): string {
  if (isFolder(path)) return path;
  if (statOf(path, 'lstatSync') === undefined) return nearest(dirname(path));
  throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' });
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
  // The death of a simulated process, and what a later try may mend, stay as they are.
  if (typeof code !== 'string' || OF_THE_DISK.includes(code)) return cause;
  const name = from === undefined ? '' : ` (${from})`;
  return new CrawlhouseError('bad_project', `the folder ${path}${name} can't be made: ${why(path, code)}`, {
    hint,
    cause,
  });
}

function hintFor(from: string | undefined): string {
  if (from === undefined) return NAME_OTHER;
  if (from.startsWith('-')) return `name another folder with ${from}`;
  const variable = from.toUpperCase();
  const names = from === variable ? from : `${from} (CRAWLHOUSE_${variable})`;
  return `set ${names} to a folder that can be made`;
}

/** The folder in the way, and what it is. */
function why(path: string, code: string): string {
  if (code === 'ENAMETOOLONG') return 'its name is too long';
  if (code === 'ELOOP') return 'symbolic links lead back to themselves';
  const at = blocking(path);
  if (code === 'EROFS') return `${at} is on a read-only file system`;
  if (code === 'EACCES' || code === 'EPERM') return `no right to write to ${at}`;
  if (code === 'ENOENT') return `${at} takes no folders`;
  if (code === 'EEXIST' || code === 'ENOTDIR') return `${at} is ${kindOf(at)}`;
  return `${at} answers ${code}`;
}

/** The nearest of a path and those above it that is there, whatever it is. */
function blocking(path: string): string {
  try {
    if (statOf(path, 'lstatSync') !== undefined || dirname(path) === path) return path;
  } catch {
    // Below a file, or without the right to look: what is above tells.
  }
  return blocking(dirname(path));
}

function kindOf(path: string): string {
  if (statOf(path, 'lstatSync')?.isSymbolicLink() !== true) return 'a file';
  try {
    return statOf(path, 'statSync') === undefined ? 'a symbolic link to nothing' : 'a link to a file';
  } catch {
    // Links that lead back to themselves.
    return 'a symbolic link to nothing';
  }
}
