import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { redact } from '../../core/secrets/redact.ts';
import { visible } from '../../core/text/visible.ts';
import type { Write } from '../answers/query/result/write-result.ts';
import { asCalled } from './as-called.ts';
import type { Invocation } from './command.ts';

/** The user's screen. Longer results open in a pager. */
export interface Screen {
  /** The current number of lines. */
  readonly rows: () => number;
  /** A shell command, such as `less -S`. */
  readonly pager: string;
  /** Gives the keyboard to the pager until the result is disposed. */
  readonly yieldKeys: () => Disposable;
}

/** Writes a result to the screen, or to a pager if it does not fit. */
class PagedResult {
  readonly #screen: Screen;
  readonly #direct: Write;
  #held = '';
  #input: Writable | undefined;
  #ended: Promise<unknown> | undefined;
  #keys: Disposable | undefined;
  /** Aborted when the user leaves the pager before the result's end. */
  readonly left = new AbortController();

  constructor(screen: Screen, direct: Write) {
    this.#screen = screen;
    this.#direct = direct;
  }

  readonly write: Write = async (given) => {
    const text = visible(given);
    if (this.#input !== undefined) return await this.#send(text);
    this.#held += text;
    // The prompt and the number of rows need one line each.
    if (this.#held.split('\n').length <= this.#screen.rows() - 2) return;
    this.#open();
    await this.#send(this.#held);
    this.#held = '';
  };

  #open(): void {
    this.#keys = this.#screen.yieldKeys();
    const child = spawn('sh', ['-c', this.#screen.pager], { stdio: ['pipe', 'inherit', 'inherit'] });
    this.#input = child.stdin;
    // The user may leave it before it has read everything.
    child.stdin.on('error', () => this.left.abort());
    this.#ended = once(child, 'exit').then(
      () => this.left.abort(),
      () => this.left.abort(),
    );
  }

  async #send(text: string): Promise<void> {
    if (this.left.signal.aborted || this.#input === undefined) return;
    if (this.#input.write(text)) return;
    await Promise.race([once(this.#input, 'drain'), this.#ended]);
  }

  async end(): Promise<void> {
    if (this.#input === undefined) return await this.#direct(this.#held);
    try {
      this.#input.end();
      await this.#ended;
    } finally {
      this.#keys?.[Symbol.dispose]();
    }
  }
}

/**
 * Writes through a pager, or directly if the output is not a terminal.
 *
 * @returns null if the user left the pager before the end
 */
export async function throughPager<T>(
  { screen, write, signal }: { screen: Screen | null; write: Write; signal: AbortSignal },
  work: (write: Write, signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  if (screen === null) return await work(write, signal);
  const paged = new PagedResult(screen, write);
  try {
    const result = await work(paged.write, AbortSignal.any([signal, paged.left.signal]));
    await paged.end();
    return result;
  } catch (thrown) {
    // Leaving the pager is not an error.
    const isLeft = paged.left.signal.aborted;
    await paged.end();
    if (!isLeft) throw thrown;
    return null;
  }
}

/** Prints a report for people, in a pager if it is longer than the screen. */
export async function printPaged(invocation: Invocation, text: string): Promise<void> {
  const { print: write, signal } = invocation;
  const screen = screenOf(invocation);
  await throughPager({ screen, write, signal }, (to) => to(redact(asCalled(text))));
}

/** Returns the screen, if both input and output are a terminal. An empty PAGER means none. */
export function screenOf({ terminal }: Pick<Invocation, 'terminal'>): Screen | null {
  const pager = process.env.PAGER ?? (hasLess() ? 'less -S' : '');
  if (terminal === null || !process.stdin.isTTY || pager.trim() === '') return null;
  return {
    rows: () => process.stdout.rows || 24,
    pager,
    yieldKeys: () => {
      const { isRaw, readableFlowing } = process.stdin;
      const listeners = process.listeners('SIGINT');
      const ignore = (): void => {};
      process.stdin.pause();
      process.stdin.setRawMode(false);
      // The pager handles Ctrl-C, which would otherwise end this program.
      process.on('SIGINT', ignore);
      for (const listener of listeners) process.off('SIGINT', listener);
      return {
        [Symbol.dispose]() {
          for (const listener of listeners) process.on('SIGINT', listener);
          process.off('SIGINT', ignore);
          process.stdin.setRawMode(isRaw);
          // Otherwise a command that reads no keys would not end.
          if (readableFlowing === true) process.stdin.resume();
        },
      };
    },
  };
}

function hasLess(): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, 'less')));
}
