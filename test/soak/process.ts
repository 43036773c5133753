import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..', '..');
/** What a person starts: the built program (`npm run build`). */
export const PROGRAM = join(ROOT, 'dist', 'app', 'cli', 'main.js');

/** How a command of the program is started. */
export interface Start {
  readonly name: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The folder for its log; `<name>.log` grows over all starts. */
  readonly logs: string;
}

/** A long-running command that can be killed, paused and started again. */
export class SoakProcess {
  readonly name: string;
  readonly #start: Start;
  #child: ChildProcess;
  #isExpected = false;
  /** When it was started last, UTC milliseconds. */
  startedAt = 0;
  /** When and how it ended without being asked to; a code or a signal. */
  readonly surprises: { readonly at: number; readonly how: string }[] = [];

  constructor(start: Start) {
    this.name = start.name;
    this.#start = start;
    this.#child = this.#spawn();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get log(): string {
    return join(this.#start.logs, `${this.name}.log`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Ends it by a signal. @returns its exit code; null if the signal ended it */
  async end(name: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.#isExpected = true;
    const child = this.#child;
    if (!this.isAlive) return child.exitCode;
    const ended = once(child, 'exit');
    // A paused process takes no signal but SIGKILL.
    child.kill('SIGCONT');
    child.kill(name);
    const [code] = (await ended) as [number | null];
    return code;
  }

  /** Starts it again where it ended by itself, as systemd does. */
  revive(): void {
    if (!this.isAlive && !this.#isExpected) this.restart();
  }

  restart(): void {
    this.#isExpected = false;
    this.#child = this.#spawn();
  }

  /** Waits until its log, over all starts, has a text. */
  async heard(pattern: RegExp, timeoutMs = 300_000): Promise<RegExpExecArray> {
    for (const latest = Date.now() + timeoutMs; Date.now() < latest; await sleep(100)) {
      const found = pattern.exec(await readFile(this.log, 'utf8'));
      if (found !== null) return found;
      if (!this.isAlive) break;
    }
    const said = (await readFile(this.log, 'utf8')).slice(-2000);
    throw new Error(`${this.name} does not say ${pattern}: ${said}`);
  }

  #spawn(): ChildProcess {
    const { args, folder, environment, logs } = this.#start;
    const log = openSync(join(logs, `${this.#start.name}.log`), 'a');
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...environment },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.startedAt = Date.now();
    child.once('exit', (code, signal) => {
      if (!this.#isExpected) this.surprises.push({ at: Date.now(), how: String(code ?? signal) });
    });
    return child;
  }
}

/** A command that ends by itself. */
export async function command(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** A moment as `04:36:02 UTC`. */
export function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(11, 19)} UTC`;
}
