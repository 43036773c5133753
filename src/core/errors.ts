import { ERROR_CODES, type ErrorCode, type ErrorKind, EXIT_CODES } from './error-codes.ts';
import { redact } from './redact.ts';

export interface ErrorDetails {
  /** What would be right, or what to do next. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** Milliseconds that the other side asked us to wait before a retry. */
  readonly retryAfterMs?: number;
}

/** The one error class of the project: a stable code, whose kind says what can be done about it. */
export class CrawlhouseError extends Error {
  override readonly name = 'CrawlhouseError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    // Wherever an error ends up, in the ledger, a table or a terminal: an echoed secret is not in it.
    super(redact(message), { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.retryAfterMs = details.retryAfterMs;
  }

  get kind(): ErrorKind {
    return ERROR_CODES[this.code].kind;
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }
}

/** Of SQLite: SQLITE_FULL, and SQLITE_IOERR_WRITE, _FSYNC and _SHMSIZE, by which a full disk shows as well. */
const FULL: readonly unknown[] = [13, 778, 1034, 4874];

/** Wraps anything thrown; what is not ours is a fault of ours, save what the file system and an abort say. */
export function toCrawlhouseError(error: unknown): CrawlhouseError {
  if (error instanceof CrawlhouseError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && error.name === 'AbortError') {
    if (error.cause instanceof CrawlhouseError) return error.cause;
    return new CrawlhouseError('interrupted', 'interrupted', { cause: error });
  }
  // Of a signal made by AbortSignal.timeout; the time limits of sockets and stores are other classes.
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new CrawlhouseError('interrupted', 'the time given for it was over', { cause: error });
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS' || code === 'EACCES') {
    return new CrawlhouseError('disk', message, { cause: error, hint: 'free some space, then run again' });
  }
  if (
    FULL.includes((error as { errcode?: unknown } | null)?.errcode) ||
    /could not write|no space left/i.test(message)
  ) {
    return new CrawlhouseError('disk', message, { cause: error, hint: 'free some space, then run again' });
  }
  return new CrawlhouseError('internal', message, { cause: error });
}
