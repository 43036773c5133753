import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorCode } from '../errors/error-codes.ts';
import { CrawlhouseError, toCrawlhouseError } from '../errors/errors.ts';
import { Database } from './duckdb.ts';

export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'skip';
  readonly message: string;
  /** The next step, or null. */
  readonly hint: string | null;
  /** The code of a failed check. */
  readonly code: ErrorCode | null;
}

/** The finding of a check; a hint makes it a warning. */
export interface Finding {
  readonly message: string;
  readonly hint?: string;
}

/** Runs one check. A thrown error is a failed check. */
export async function look(
  name: string,
  signal: AbortSignal,
  at: () => Finding | Promise<Finding>,
): Promise<Check> {
  try {
    const { message, hint } = await at();
    return { name, status: hint === undefined ? 'ok' : 'warn', message, hint: hint ?? null, code: null };
  } catch (thrown) {
    signal.throwIfAborted();
    const { message, hint, code } = toCrawlhouseError(thrown);
    return { name, status: 'fail', message, hint, code };
  }
}

/** Checks by name, in order. */
export type Looks<Given> = Readonly<Record<string, (given: Given) => Finding | Promise<Finding>>>;

export async function lookAll<Given>(
  looks: Looks<Given>,
  given: Given,
  signal: AbortSignal,
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [name, at] of Object.entries(looks)) checks.push(await look(name, signal, () => at(given)));
  return checks;
}

export function skipped(names: readonly string[], why: string): Check[] {
  return names.map((name) => ({
    name,
    status: 'skip',
    message: `not checked: ${why}`,
    hint: null,
    code: null,
  }));
}

/** Returns the errors of failed checks, for the exit code. */
export function errorsOf(checks: readonly Check[]): CrawlhouseError[] {
  return checks.flatMap(({ code, message }) => (code ? [new CrawlhouseError(code, message)] : []));
}

/** Opens a small engine for a quick check, whatever the settings. */
export function smallEngine(): Promise<Database> {
  return Database.open({
    memoryLimit: '200MB',
    threads: 1,
    tempDirectory: join(tmpdir(), 'crawlhouse-doctor'),
  });
}
