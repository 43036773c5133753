import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Write } from '../../answers/query/write-result.ts';

/** The screen of a person, who reads longer results in a pager. */
export interface Screen {
  /** Lines of the screen now. */
  readonly rows: () => number;
  /** A command of the shell, such as `less -S`. */
  readonly pager: string;
  /** Leaves the keyboard to the pager until it is disposed of. */
  readonly yieldKeys: () => Disposable;
}

/** Writes a result to the screen, or to a pager from the first line that no longer fits. */
export class PagedResult {
  readonly #screen: Screen;
  readonly #direct: Write;
  #held = '';
  #input: Writable | undefined;
  #ended: Promise<unknown> | undefined;
  #keys: Disposable | undefined;
  /** Aborted when the person leaves the pager before the result's end. */
  readonly left = new AbortController();

  constructor(screen: Screen, direct: Write) {
    this.#screen = screen;
    this.#direct = direct;
  }

  readonly write: Write = async (text) => {
    if (this.#input !== undefined) return await this.#send(text);
    this.#held += text;
    // The prompt, and the number of rows, take a line each.
    if (this.#held.split('\n').length <= this.#screen.rows() - 2) return;
    this.#open();
    await this.#send(this.#held);
    this.#held = '';
  };

  #open(): void {
    this.#keys = this.#screen.yieldKeys();
    const child = spawn('sh', ['-c', this.#screen.pager], { stdio: ['pipe', 'inherit', 'inherit'] });
    this.#input = child.stdin;
    // It may be left before it has read all.
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

  /** Waits until the person has read it. */
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
