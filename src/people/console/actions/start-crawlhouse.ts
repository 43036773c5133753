import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import { ERROR_CODES, type ErrorCode } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { underUserMask } from '../../../core/files/private-files.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'cli', `main${extname(import.meta.filename)}`);

export interface CommandEnd {
  /** The exit code, or the name of the signal. */
  readonly outcome: string;
  /** What it printed by `--json`; null for nothing whole. */
  readonly document: unknown;
  readonly error: CrawlhouseError | null;
}

export interface StartedCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandEnd>;
}

/**
 * Starts a command of this program on a project as a process of its own, without a shell. It leads a process group, so
 * that Ctrl-C for the console is no second signal for it. It reads the settings itself.
 */
export function startCrawlhouse(
  projectDir: string,
  [command = '', ...words]: readonly string[],
): StartedCommand {
  const args = [MAIN, command, '--json', '--quiet', `--project-dir=${projectDir}`, ...words];
  const child = underUserMask(() =>
    spawn(process.execPath, args, { cwd: projectDir, detached: true, stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  return { child, ended: endOf(child) };
}

async function endOf(child: ReturnType<typeof startCrawlhouse>['child']): Promise<CommandEnd> {
  try {
    const [printed, [code, signal]] = await Promise.all([
      child.stdout === null ? '' : streamText(child.stdout),
      once(child, 'exit') as Promise<[number | null, string | null]>,
    ]);
    const document = parsed(printed);
    return { outcome: String(code ?? signal), document, error: errorOf(document) };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return {
      outcome: 'not started',
      document: null,
      error: new CrawlhouseError('internal', message, { cause }),
    };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Null is an error of the caller's.
    return null;
  }
}

/** The error in a document (docs/errors.md). */
function errorOf(document: unknown): CrawlhouseError | null {
  const { error } = (document ?? {}) as { error?: { code: string; message: string; hint?: string | null } };
  if (error == null) return null;
  const code = Object.hasOwn(ERROR_CODES, error.code) ? (error.code as ErrorCode) : 'internal';
  return new CrawlhouseError(code, error.message, { hint: error.hint });
}
