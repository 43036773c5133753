import { readFileSync } from 'node:fs';
import { redact } from '../secrets/redact.ts';
import { ERROR_CODES, type ErrorCode, type ErrorKind, EXIT_CODES } from './error-codes.ts';

export interface ErrorDetails {
  /** The allowed values, or the next step; default: the hint of the code in `ERROR_CODES`. */
  readonly hint?: string | null | undefined;
  readonly cause?: unknown;
  /** Milliseconds that the other side asked us to wait before a retry. */
  readonly retryAfterMs?: number | undefined;
}

/** The only error class of the project: a stable code, whose kind determines what can be done. */
export class CrawlhouseError extends Error {
  override readonly name = 'CrawlhouseError';
  readonly code: ErrorCode;
  readonly hint: string | null;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    // Text for people, in a table, the ledger or a terminal. It must not contain an echoed secret.
    super(redact(message), { cause: details.cause });
    this.code = code;
    const hint = details.hint ?? ERROR_CODES[code].hint;
    this.hint = hint === null ? null : redact(hint);
    this.retryAfterMs = details.retryAfterMs;
  }

  get kind(): ErrorKind {
    return ERROR_CODES[this.code].kind;
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }
}

/** Returns the error of a command that needs the published warehouse before any run has made one. */
export function nothingPublished(warehouse: string): CrawlhouseError {
  return new CrawlhouseError('nothing_published', `there is no warehouse at ${warehouse} yet`);
}

/** Codes of SQLite: SQLITE_FULL, and SQLITE_IOERR_WRITE, _FSYNC and _SHMSIZE, which also mean a full disk. */
const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT', 13, 778, 1034, 4874];
/** Failures of the disk itself. For SQLite: SQLITE_IOERR, and its _READ, _SHORT_READ and _FSTAT. */
const FAILED: readonly unknown[] = ['EIO', 10, 266, 522, 1802];
/** Codes of SQLite: SQLITE_PERM, SQLITE_READONLY and SQLITE_CANTOPEN. */
const DENIED: readonly unknown[] = ['EACCES', 'EPERM', 3, 8, 14];
/** The limit of open files, of the process and of the machine. */
const TOO_MANY: readonly unknown[] = ['EMFILE', 'ENFILE'];
/** Messages of DuckDB, and of the system, also when it loads a library. */
const NO_MEMORY = /^Out of Memory Error|\bENOMEM\b|cannot allocate memory|failed to map segment/i;
const READ_ONLY: readonly unknown[] = ['EROFS'];
/** System calls that fail with the codes above for reasons other than files. */
const OF_SOCKETS: readonly unknown[] = ['bind', 'connect', 'listen'];

/** Wraps any thrown value. Unknown errors are `internal`, except errors of the file system and aborts. */
export function toCrawlhouseError(error: unknown): CrawlhouseError {
  if (error instanceof CrawlhouseError) return error;
  // The first failure is the cause; failures during cleanup follow from it.
  if (error instanceof SuppressedError) return toCrawlhouseError(error.suppressed);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && error.name === 'AbortError') {
    if (error.cause instanceof CrawlhouseError) return error.cause;
    return new CrawlhouseError('interrupted', 'interrupted', { cause: error });
  }
  // The error of AbortSignal.timeout. Time limits of sockets and stores have other classes.
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new CrawlhouseError('interrupted', 'the time limit was reached', { cause: error });
  const misplaced = otherKind(error);
  if (misplaced !== null)
    return new CrawlhouseError('bad_project', misplaced, { cause: error, hint: MOVE_IT });
  const hint = diskHint(error, message);
  if (hint !== null) return new CrawlhouseError('disk', message, { cause: error, hint });
  if (NO_MEMORY.test(message)) return new CrawlhouseError('memory', message, { cause: error });
  if (saysDamage(error)) {
    return new CrawlhouseError('damaged_warehouse', message, {
      cause: error,
      hint: 'the next run replaces a damaged working copy with the published warehouse; check the disk',
    });
  }
  return new CrawlhouseError('internal', message, { cause: error });
}

/** The hint of a full disk, until `nameFullDisk` names the place. */
export const FREE_SPACE = 'free some space, then run again';
const MOVE_IT = 'move it away, or name another path in the settings';

/** Returns the problem if a folder is in the place of a file, or vice versa; null for every other error. */
function otherKind(error: unknown): string | null {
  const { code, path, dest, syscall } = (error ?? {}) as Record<string, unknown>;
  // Node.js itself throws the latter, for example in `rm`.
  const isFolder = code === 'EISDIR' || code === 'ERR_FS_EISDIR';
  const where = isFolder && typeof dest === 'string' && syscall === 'rename' ? dest : path;
  if (typeof where !== 'string') return null;
  if (isFolder) return `${where} is a folder; a file is expected there`;
  if (code === 'ENOTDIR' || (code === 'EEXIST' && syscall === 'mkdir'))
    return `${where} is a file, or below one; a folder is expected there`;
  return null;
}

/** Returns the hint for a file that cannot be read or written; null for every other error. */
function diskHint(error: unknown, message: string): string | null {
  const facts = (error ?? {}) as { code?: unknown; errcode?: unknown; syscall?: unknown; path?: unknown };
  if (TOO_MANY.includes(facts.code) || /\bE[MN]FILE\b|too many open files/i.test(message))
    return `the limit of open files${openFilesLimit()} is reached; raise it (ulimit -n, or LimitNOFILE of systemd), or lower threads and concurrency`;
  if (OF_SOCKETS.includes(facts.syscall)) return null;
  const primary = typeof facts.errcode === 'number' ? facts.errcode & 0xff : facts.errcode;
  const is = (codes: readonly unknown[]): boolean =>
    codes.includes(facts.code) ||
    codes.includes(facts.errcode) ||
    (codes === DENIED && codes.includes(primary));
  const isDuckDb = message.startsWith('IO Error: ');
  const where = typeof facts.path === 'string' ? facts.path : 'the file named above';
  if (is(READ_ONLY) || (isDuckDb && /read-only file system/i.test(message)))
    return `${where} is on a read-only file system; mount it for writing, or set state_dir and warehouse to another disk`;
  if (is(DENIED) || (isDuckDb && /permission denied/i.test(message)))
    return `give the user that runs crawlhouse the right to read and write ${where}`;
  if (is(FAILED)) return `the disk has failed at ${where}: check it and its cables, then run again`;
  if (is(FULL) || /could not write|no space left/i.test(message)) return FREE_SPACE;
  return null;
}

/** ` of this process (1024)`, if the system provides it. */
function openFilesLimit(): string {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? '' : ` of this process (${soft})`;
  } catch {
    // Not on Linux, or no file can be opened to read it.
    return '';
  }
}

/** Returns whether an error, or its cause, is DuckDB's error for a block with a wrong checksum. */
function saysDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes('Corrupt database file') || saysDamage(error.cause);
}

/** Returns whether something succeeds, if the reason of a failure does not matter. */
export function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Returns the stack of a thrown value and of its causes. */
export function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown === 'object' ? JSON.stringify(thrown) : String(thrown);
  const cause = thrown.cause === undefined ? '' : `\ncaused by ${stackOf(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
}

/** Remembered stacks. Beyond this number, a stack may be logged again: a service may run for years. */
const MOST_STACKS = 1000;
const logged = new Set<string>();

/** Returns a log field for an error: the stack of an `internal` one that this process has not logged yet. */
export function firstStack(error: CrawlhouseError): { readonly stack?: string } {
  if (error.code !== 'internal') return {};
  const stack = stackOf(error.cause ?? error);
  if (logged.has(stack)) return {};
  if (logged.size >= MOST_STACKS) logged.clear();
  logged.add(stack);
  return { stack };
}
