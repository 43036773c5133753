import { join } from 'node:path';
import { CrawlhouseError } from '../errors/errors.ts';
import { makePrivateFolder } from '../files/private-files.ts';
import { host, timestamp } from '../host/host.ts';
import { openSqlite } from './open-sqlite.ts';

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  readonly command: string;
  readonly since: string;
  /** The system of its process id; hostnames are not unique. */
  readonly scope?: string;
  /** Distinguishes the process from a later one with the same id. */
  readonly started?: string | null | undefined;
  /** Yields between two units to a lock waiter (`acquire-lock.ts`). */
  readonly yields?: boolean;
}

/**
 * Acquires the lock for the only writer of a state directory. The system releases it even if the holder crashes.
 *
 * @throws CrawlhouseError `locked`, with the holder
 */
export function lockState(stateDir: string, command: string): Disposable {
  const taken = tryLockState(stateDir, command, false);
  if ('holder' in taken) throw lockedError(stateDir, taken.holder);
  return taken;
}

/** Tries the lock, for a command that may wait: returns the lock, or its holder (null if unknown). */
export function tryLockState(
  stateDir: string,
  command: string,
  yields: boolean,
): HeldLock | { readonly holder: LockHolder | null } {
  makePrivateFolder(stateDir);
  const holderFile = join(stateDir, 'lock.json');
  const lock = lockFile(join(stateDir, 'lock.sqlite'));
  if (lock === null) return { holder: readHolder(holderFile) };
  const holder: LockHolder = {
    pid: host().pid,
    host: host().hostname,
    command,
    since: timestamp(),
    scope: host().processScope(),
    started: host().processStart(host().pid),
    ...(yields ? { yields } : {}),
  };
  try {
    host().files.writeFileSync(holderFile, JSON.stringify(holder));
  } catch (error) {
    // A full disk: a process that lives on would lock everyone out.
    lock[Symbol.dispose]();
    throw error;
  }
  return lock;
}

export function isLocked(stateDir: string): boolean {
  const path = join(stateDir, 'lock.sqlite');
  const lock = host().files.existsSync(path) ? lockFile(path) : undefined;
  lock?.[Symbol.dispose]();
  return lock === null;
}

/** Returns the holder of the lock of a state directory; null if there is none, or it is unknown. */
export function lockHolder(stateDir: string): LockHolder | null {
  try {
    return isLocked(stateDir) ? readHolder(join(stateDir, 'lock.json')) : null;
  } catch {
    // On a read-only disk, or for another user.
    return null;
  }
}

/**
 * Returns the time since when the possible writer has the lock: ISO 8601, UTC; the current time if the lock is free. A
 * run that began earlier and still shows as running has lost its process. Null if the holder is unknown.
 */
export function lockedSince(stateDir: string): string | null {
  const now = timestamp();
  try {
    return isLocked(stateDir) ? (readHolder(join(stateDir, 'lock.json'))?.since ?? null) : now;
  } catch {
    // On a read-only disk, or for another user.
    return null;
  }
}

export function lockedError(stateDir: string, holder: LockHolder | null): CrawlhouseError {
  return new CrawlhouseError('locked', `${stateDir} is in use by ${describeHolder(holder)}`);
}

export function describeHolder(holder: LockHolder | null): string {
  if (holder === null) return 'another process';
  return `${holder.command} (process ${holder.pid} on ${holder.host}, since ${holder.since})`;
}

/** Returns null if a former holder wrote the file: the current holder has not written its name yet. */
function readHolder(file: string): LockHolder | null {
  try {
    const holder = JSON.parse(host().files.readFileSync(file, 'utf8')) as LockHolder;
    return isStill(holder) ? holder : null;
  } catch {
    // No such file, or an incomplete one after a kill.
    return null;
  }
}

function isStill({ pid, scope, started }: LockHolder): boolean {
  if (scope !== host().processScope() || started === undefined) return true;
  const start = host().processStart(pid);
  return start === undefined || start === started;
}

/** SQLite's code for a file that another connection has locked. */
const BUSY = 5;

/** The maximum time for which a process that only checks a lock holds it. */
const PATIENCE_MS = 100;

/** SQLite's codes for an invalid database file: SQLITE_CORRUPT, SQLITE_NOTADB. */
const DAMAGED: readonly unknown[] = [11, 26];

export interface HeldLock extends Disposable {
  /** Whether the file was no database, and was emptied to lock it. */
  readonly wasDamaged: boolean;
}

/**
 * Acquires SQLite's own lock on a file. The system releases the lock however the holder ends. Returns null if this or
 * another process already holds the lock.
 */
export function lockFile(path: string): HeldLock | null {
  try {
    return takeLock(path, false);
  } catch (error) {
    // SQLite reads the file only with the lock, so no other process holds it. The file is emptied, not replaced,
    // because others may be opening it now.
    if (!DAMAGED.includes((error as { errcode?: unknown }).errcode)) throw error;
    host().files.truncateSync(path);
    return takeLock(path, true);
  }
}

function takeLock(path: string, wasDamaged: boolean): HeldLock | null {
  const database = openSqlite(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE`);
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === BUSY) return null;
    throw error;
  }
  return {
    wasDamaged,
    [Symbol.dispose]() {
      database.exec('ROLLBACK');
      database.close();
    },
  };
}
