import { type ChildProcess, spawn } from 'node:child_process';
import { addAbortListener } from 'node:events';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { underUserMask } from '../../../core/files/private-files.ts';
import { commandEnvironment } from '../../../etl/project/settings/command-environment.ts';

/** Maximum length of a command's stderr in an error. */
const MOST_SAID = 500;

/**
 * Runs a program with its arguments, without a shell, and writes a text to its standard input. After `timeoutMs`, it is
 * killed with all its child processes.
 *
 * @throws CrawlhouseError with the exit code or signal, unless the code is 0
 */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  input: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const late = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, late]);
  // Its own process group, so that its children can be killed with it.
  const child = underUserMask(() =>
    spawn(program, args, { detached: true, env: commandEnvironment(), stdio: ['pipe', 'ignore', 'pipe'] }),
  );
  using _kill = addAbortListener(either, () => killGroup(child));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said = `${said}${piece}`.slice(0, MOST_SAID);
  });
  // A command may ignore its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  try {
    const ended = await endOf(child);
    if (signal.aborted) throw signal.reason;
    if (late.aborted) throw failed(program, `was killed after ${timeoutMs / 1000} s`, said);
    if (ended !== 0) throw failed(program, `ended with ${ended}`, said);
  } finally {
    // Its background processes must not block the run.
    child.stderr.destroy();
  }
}

/**
 * Returns the exit code, or the name of the signal. It does not wait for the end of the streams, which a background
 * child may keep open.
 */
function endOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      reject(new CrawlhouseError('bad_settings', `alerts.command: ${cause.message}`, { cause }));
    });
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'nothing'));
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

function failed(program: string, how: string, said: string): CrawlhouseError {
  const words = said.trim();
  return new CrawlhouseError('connection', `${program} ${how}${words === '' ? '' : `: ${words}`}`, {
    hint: 'fix the command; crawlhouse alerts test runs it again',
  });
}

/**
 * Finds a program in the same way as `runCommand`.
 *
 * @throws CrawlhouseError `bad_settings` if there is no executable one
 */
export function findCommand(program: string): void {
  const { PATH = '' } = commandEnvironment();
  const places = program.includes('/')
    ? [program]
    : PATH.split(delimiter).map((folder) => join(folder, program));
  if (!places.some(isProgram))
    throw new CrawlhouseError('bad_settings', `alerts.command: ${program} is not an executable program`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // No such program: the caller reports it.
    return false;
  }
}
