import { type ChildProcess, spawn } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import { extname, join } from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ERROR_CODES, type ErrorCode } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { underUserMask } from '../../../core/files/private-files.ts';
import { describeHolder, lockHolder } from '../../../core/locks/state-lock.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { readLiveRun } from '../../../state/ledger/live-run.ts';
import type { Audit } from '../access/audit.ts';
import { type Action, wordsOf } from './action.ts';
import { type ActionPlan, planOf } from './plan.ts';

/** Each is a process with the memory of a small run. */
const PLANS_AT_ONCE = 2;
/** One of them has the state lock; the others wait for it or are refused. */
const MOST_STARTED = 4;
const LOOK_MS = 100;

interface Going {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
}

interface ActionSettings {
  readonly projectDir: string;
  readonly state_dir: string;
  /** Seconds to end in. */
  readonly schedule_grace: number;
}

/** Starts what operators ask for, each as a process of its own, and keeps the audit of it. */
export class Actions implements AsyncDisposable {
  readonly audit: Audit;
  readonly #settings: ActionSettings;
  readonly #logger: Logger;
  readonly #plans = new Semaphore(PLANS_AT_ONCE);
  readonly #going = new Map<number, Going>();
  #stopping = false;

  constructor(settings: ActionSettings, audit: Audit, logger: Logger) {
    this.#settings = settings;
    this.audit = audit;
    this.#logger = logger;
  }

  /**
   * What an action would do and cost, by the same command with `--plan`.
   *
   * @throws CrawlhouseError as the command says
   */
  plan(action: Action, signal: AbortSignal): Promise<ActionPlan> {
    return this.#plans.run(async () => {
      signal.throwIfAborted();
      const [command = '', ...words] = wordsOf(action);
      const { child, ended } = startCrawlhouse(this.#settings.projectDir, [command, '--plan', ...words]);
      using _stop = addAbortListener(signal, () => child.kill('SIGTERM'));
      const { error, document, outcome } = await ended;
      signal.throwIfAborted();
      if (error !== null) throw error;
      if (document === null) throw new CrawlhouseError('internal', `the plan ended with ${outcome}`);
      return planOf(document);
    });
  }

  /** Who has the state lock now, in words; null: nobody. */
  holder(): string | null {
    const holder = lockHolder(this.#settings.state_dir);
    return holder === null ? null : describeHolder(holder);
  }

  commandOf(action: Action): string {
    return ['crawlhouse', ...wordsOf(action)].map(shellWord).join(' ');
  }

  /**
   * Starts an action for a person.
   *
   * @returns the id of its entry in the audit
   * @throws CrawlhouseError `locked` if too much is going on, or the console stops
   */
  start(action: Action, subject: string): number {
    if (this.#stopping || this.#going.size >= MOST_STARTED)
      throw new CrawlhouseError('locked', 'the console starts nothing more now', {
        hint: 'wait until a command that it started has ended',
      });
    const command = this.commandOf(action);
    const id = this.audit.begin(subject, command);
    this.#logger.info('action starts', { action: id, subject, command });
    const { child, ended } = startCrawlhouse(this.#settings.projectDir, wordsOf(action));
    this.#going.set(id, { child, ended: ended.then((end) => this.#end(id, end)) });
    return id;
  }

  #end(id: number, { outcome, document, error }: CommandEnd): void {
    const { run_id = null } = (document ?? {}) as { run_id?: string };
    const message = [error?.message, error?.hint].filter((text) => text != null).join('; ') || null;
    this.#going.delete(id);
    this.audit.end(id, { outcome, message, run_id });
    this.#logger.info('action ended', { action: id, outcome, run: run_id ?? undefined });
  }

  isGoing(id: number): boolean {
    return this.#going.has(id);
  }

  runOf(id: number): string | null {
    const known = this.audit.find(id)?.run_id ?? null;
    const pid = this.#going.get(id)?.child.pid;
    if (known !== null || pid === undefined) return known;
    const { state_dir: stateDir } = this.#settings;
    return lockHolder(stateDir)?.pid === pid ? (readLiveRun(stateDir)?.run_id ?? null) : null;
  }

  /** The run of an action, awaited for some time; null also if the action ends without one. */
  async runSoon(id: number, patienceMs: number): Promise<string | null> {
    const until = performance.now() + patienceMs;
    while (performance.now() < until && this.isGoing(id) && this.runOf(id) === null) await sleep(LOOK_MS);
    return this.runOf(id);
  }

  /**
   * Nothing new starts; what is going ends in order, as after Ctrl-C, within `schedule_grace` seconds. The next run
   * continues it.
   */
  stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#signal();
    // A second signal does not wait.
    setTimeout(() => this.#signal(), this.#settings.schedule_grace * 1000).unref();
  }

  #signal(): void {
    for (const { child } of this.#going.values()) child.kill('SIGTERM');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await Promise.all([...this.#going.values()].map(({ ended }) => ended));
  }
}

const MAIN = join(import.meta.dirname, '..', '..', 'cli', `main${extname(import.meta.filename)}`);

interface CommandEnd {
  /** The exit code, or the name of the signal. */
  readonly outcome: string;
  /** What it printed by `--json`; null for nothing whole. */
  readonly document: unknown;
  readonly error: CrawlhouseError | null;
}

interface StartedCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandEnd>;
}

/**
 * Starts a command of this program on a project as a process of its own, without a shell. It leads a process group, so
 * that Ctrl-C for the console is no second signal for it. It reads the settings itself.
 */
function startCrawlhouse(projectDir: string, [command = '', ...words]: readonly string[]): StartedCommand {
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
