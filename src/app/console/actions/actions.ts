import { type ChildProcess, spawn } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import { basename, extname, join } from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ERROR_CODES, type ErrorCode } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { underUserMask } from '../../../core/files/private-files.ts';
import { describeHolder, lockHolder } from '../../../core/locks/state-lock.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { readLiveRun } from '../../../etl/state/ledger/live-run.ts';
import { readLiveCrawl } from '../../operations/status/live-crawl.ts';
import type { Access } from '../access/access.ts';
import type { Audit } from '../access/audit-log.ts';
import type { UploadsLog } from '../access/uploads-log.ts';
import { type Action, wordsOf } from './action.ts';
import { type CrawlAction, wordsOfCrawl } from './crawl-action.ts';
import { type ActionPlan, planOf } from './plan-action.ts';
import { ReceivedFiles } from './received-files.ts';
import { StagedFiles } from './staged-files.ts';
import { type UploadAction, wordsOfUpload } from './upload-action.ts';
import { previewOf, type UploadPreview } from './upload-preview.ts';

/** Maximum parallel plans. Each plan is a process that uses the memory of a small run. */
const PLANS_AT_ONCE = 2;
/** Maximum running commands. One command holds the state lock; the others wait for it or are refused. */
const MOST_STARTED = 4;
const LOOK_MS = 100;

interface Going {
  readonly child: ChildProcess;
  readonly isCrawl: boolean;
  /** The uploaded file that the action adds or removes; null if there is none. */
  readonly file: string | null;
  /** The error of the command; null: none. */
  readonly ended: Promise<CrawlhouseError | null>;
  /** Whether the process was signaled: a second signal would end it immediately. */
  isStopping: boolean;
}

interface ActionSettings {
  readonly projectDir: string;
  readonly state_dir: string;
  /** Seconds within which running actions must end. */
  readonly schedule_grace: number;
}

/** Starts the actions of operators, each as its own process, and writes the audit. */
export class Actions implements AsyncDisposable {
  readonly audit: Audit;
  readonly uploads: UploadsLog;
  readonly staged: StagedFiles;
  readonly received = new ReceivedFiles();
  readonly #settings: ActionSettings;
  readonly #logger: Logger;
  readonly #plans = new Semaphore(PLANS_AT_ONCE);
  readonly #going = new Map<number, Going>();
  readonly #publicOnly: boolean;
  /** Why the last crawl failed before it began. Set only if no request was waiting for the crawl. */
  lateProblem: string | null = null;
  #stopping = false;

  /** @param publicOnly whether crawls refuse private addresses, even as the start URL */
  constructor(
    settings: ActionSettings,
    { audit, uploads }: Pick<Access, 'audit' | 'uploads'>,
    logger: Logger,
    publicOnly: boolean,
  ) {
    this.#settings = settings;
    this.audit = audit;
    this.uploads = uploads;
    this.staged = new StagedFiles(settings.state_dir, (id) =>
      [...this.#going.values()].some(({ file }) => file?.startsWith(`${id}/`)),
    );
    this.#logger = logger;
    this.#publicOnly = publicOnly;
  }

  /**
   * Returns the effects and the cost of an action, by the same command with `--plan`.
   *
   * @throws CrawlhouseError of the command
   */
  async plan(action: Action, signal: AbortSignal): Promise<ActionPlan> {
    const { error, document } = await this.#tried(action, '--plan', signal);
    if (error !== null) throw error;
    return planOf(document);
  }

  /** Returns how an uploaded file is read, by the command that would add it with `--dry-run`. */
  async preview(action: UploadAction, signal: AbortSignal): Promise<UploadPreview> {
    const { error, document } = await this.#tried(action, '--dry-run', signal);
    const [path, name] = [this.staged.pathOf(action.file), basename(action.file)];
    return previewOf(document, error, (text) => text.replaceAll(path, name));
  }

  #tried(action: Action | UploadAction, flag: string, signal: AbortSignal): Promise<CommandEnd> {
    return this.#plans.run(async () => {
      signal.throwIfAborted();
      const { child, ended } = startCrawlhouse(this.#settings.projectDir, this.#wordsOf(action), [flag]);
      using _stop = addAbortListener(signal, () => child.kill('SIGTERM'));
      const end = await ended;
      signal.throwIfAborted();
      if (end.document === null && end.error === null)
        throw new CrawlhouseError('internal', `the plan ended with ${end.outcome}`);
      return end;
    });
  }

  /** Returns the holder of the state lock as text, or null if the lock is free. */
  holder(): string | null {
    const holder = lockHolder(this.#settings.state_dir);
    return holder === null ? null : describeHolder(holder);
  }

  commandOf(action: Action | UploadAction | CrawlAction): string {
    return ['crawlhouse', ...this.#wordsOf(action)].map(shellWord).join(' ');
  }

  #wordsOf(action: Action | UploadAction | CrawlAction): readonly string[] {
    if (isCrawl(action)) return wordsOfCrawl(action, this.#publicOnly);
    return 'file' in action ? wordsOfUpload(action, this.staged.pathOf(action.file)) : wordsOf(action);
  }

  /**
   * Starts an action for a person.
   *
   * @returns the id of its entry in the audit
   * @throws CrawlhouseError `locked` if too many actions are running, or the console stops
   */
  start(action: Action | UploadAction | CrawlAction, subject: string): number {
    if (this.#stopping || this.#going.size >= MOST_STARTED)
      throw new CrawlhouseError('locked', 'the console cannot start another command now', {
        hint: 'wait until a console command ends',
      });
    if ('file' in action && action.action.endsWith('-add') && !this.staged.has(action.file))
      throw new CrawlhouseError('usage', 'the uploaded file no longer exists', { hint: 'upload it again' });
    const command = this.commandOf(action);
    const id = this.audit.begin(subject, command);
    this.#logger.info('action starts', { action: id, subject, command });
    const { child, ended } = startCrawlhouse(this.#settings.projectDir, this.#wordsOf(action));
    this.#going.set(id, {
      child,
      isCrawl: isCrawl(action),
      file: 'file' in action ? action.file : null,
      ended: ended.then((end) => this.#ended(id, action, end)),
      isStopping: false,
    });
    if ('file' in action) this.#noteUpload(action, id);
    return id;
  }

  #noteUpload({ action, file, site }: UploadAction, id: number): void {
    if (action.endsWith('-remove')) this.uploads.removed(file, id);
    else this.uploads.added({ file, kind: action === 'logs-add' ? 'logs' : 'demand', site, action: id });
  }

  /** @returns the error of the command */
  async #ended(
    id: number,
    action: Action | UploadAction | CrawlAction,
    end: CommandEnd,
  ): Promise<CrawlhouseError | null> {
    try {
      // A command that did not get the lock can start again.
      if ('file' in action && end.error?.code !== 'locked') await this.staged.remove(action.file);
    } finally {
      this.#end(id, end);
    }
    return end.error;
  }

  #end(id: number, { outcome, document, error }: CommandEnd): void {
    const run_id = runIdOf(document);
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

  /** Waits for the run of an action; null after `patienceMs`, or if the action ends without one. */
  async runSoon(id: number, patienceMs: number): Promise<string | null> {
    const until = performance.now() + patienceMs;
    while (performance.now() < until && this.isGoing(id) && this.runOf(id) === null) await sleep(LOOK_MS);
    return this.runOf(id);
  }

  /** The crawl that runs as an action of this console; null: none. */
  get crawl(): { readonly pid: number | undefined; readonly isPausing: boolean } | null {
    const going = this.#crawl();
    return going === undefined ? null : { pid: going.child.pid, isPausing: going.isStopping };
  }

  #crawl(): Going | undefined {
    return [...this.#going.values()].find((going) => going.isCrawl);
  }

  /**
   * Starts a crawl, and waits until it has begun, or for `patienceMs`.
   *
   * @throws CrawlhouseError of a command that ends before that
   */
  async startCrawl(action: CrawlAction, subject: string, patienceMs: number): Promise<void> {
    const id = this.start(action, subject);
    const going = this.#going.get(id);
    const until = performance.now() + patienceMs;
    const hasBegun = (): boolean => readLiveCrawl(this.#settings)?.pid === going?.child.pid;
    while (performance.now() < until && this.isGoing(id) && !hasBegun()) await sleep(LOOK_MS);
    this.lateProblem = null;
    if (!this.isGoing(id)) {
      const error = await going?.ended;
      if (error) throw error;
    } else if (!hasBegun())
      void going?.ended.then((error) => {
        this.lateProblem = error?.message ?? null;
      });
  }

  /** Pauses the crawl of this console, as after Ctrl-C, and waits for the end of its process. */
  async pauseCrawl(): Promise<void> {
    const going = this.#crawl();
    if (going === undefined) return;
    if (!going.isStopping) going.child.kill('SIGTERM');
    going.isStopping = true;
    await going.ended;
  }

  /**
   * Starts nothing new, and ends running actions in order, as after Ctrl-C, within `schedule_grace` seconds. The next
   * run continues them.
   */
  stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#signal(true);
    // A second signal ends them immediately.
    setTimeout(() => this.#signal(false), this.#settings.schedule_grace * 1000).unref();
  }

  #signal(isFirst: boolean): void {
    for (const going of this.#going.values()) {
      if (!isFirst || !going.isStopping) going.child.kill('SIGTERM');
      going.isStopping = true;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await Promise.all([...this.#going.values()].map(({ ended }) => ended));
  }
}

function isCrawl(action: Action | UploadAction | CrawlAction): action is CrawlAction {
  return action.action === 'crawl' || action.action === 'resume';
}

const MAIN = join(import.meta.dirname, '..', '..', 'cli', `main${extname(import.meta.filename)}`);

interface CommandEnd {
  /** The exit code, or the name of the signal. */
  readonly outcome: string;
  /** The JSON document it printed; null if it is incomplete. */
  readonly document: unknown;
  readonly error: CrawlhouseError | null;
}

interface StartedCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandEnd>;
}

/**
 * Starts a command of this program on a project as a separate process, without a shell. It leads a process group, so
 * that Ctrl-C for the console is not a second signal for it. It reads the settings itself.
 */
function startCrawlhouse(
  projectDir: string,
  words: readonly string[],
  flags: readonly string[] = [],
): StartedCommand {
  const first = words.findIndex((word) => word.startsWith('-'));
  const name = first === -1 ? words : words.slice(0, first);
  const common = ['--json', '--quiet', `--project-dir=${projectDir}`, ...flags];
  const args = [MAIN, ...name, ...common, ...words.slice(name.length)];
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
    // Null is an error for the caller.
    return null;
  }
}

/** Returns the id of the run in the document of a command, which has the run as a whole or as a key. */
function runIdOf(document: unknown): string | null {
  const { run_id, run } = (document ?? {}) as { run_id?: string; run?: { run_id?: string } | null };
  return run_id ?? run?.run_id ?? null;
}

/** Returns the error in a document (docs/errors.md). */
function errorOf(document: unknown): CrawlhouseError | null {
  const { error } = (document ?? {}) as { error?: { code: string; message: string; hint?: string | null } };
  if (error == null) return null;
  const code = Object.hasOwn(ERROR_CODES, error.code) ? (error.code as ErrorCode) : 'internal';
  return new CrawlhouseError(code, error.message, { hint: error.hint });
}
