import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { keepSecret } from '../../core/secrets/redact.ts';

export interface Dialogue {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** The problem of an answer; undefined: it is valid. */
export type Problem = (answer: string) => string | undefined | Promise<string | undefined>;

/** Asks the user on a terminal. Ctrl-C and the end of the input, such as Ctrl-D, end the program. */
export class Questions implements Disposable {
  readonly #output: NodeJS.WritableStream;
  readonly #lines: Interface;
  /** Aborted when the user or the program ends it. */
  readonly signal: AbortSignal;
  #isHidden = false;

  constructor({ input, output }: Dialogue, signal: AbortSignal) {
    this.#output = output;
    const shown = new Writable({
      write: (piece, _encoding, done) => {
        if (!this.#isHidden) output.write(piece);
        done();
      },
    });
    this.#lines = createInterface({ input, output: shown, terminal: true, historySize: 0 });
    const ended = new AbortController();
    this.signal = AbortSignal.any([signal, ended.signal]);
    const end = (): void =>
      ended.abort(new CrawlhouseError('interrupted', 'interrupted: nothing was written'));
    this.#lines.on('close', end).on('SIGINT', end);
  }

  async askSecret(question: string, problem: Problem): Promise<string> {
    this.#output.write(`${question} (not shown): `);
    this.#isHidden = true;
    try {
      return await this.ask('', (answer) => {
        keepSecret(answer);
        this.#output.write('\n');
        return problem(answer);
      });
    } finally {
      this.#isHidden = false;
    }
  }

  async ask(question: string, problem: Problem = () => undefined): Promise<string> {
    for (;;) {
      const answer = (await this.#line(question === '' ? '' : `${question}: `)).trim();
      const wrong = await problem(answer);
      if (wrong === undefined) return answer;
      this.#output.write(`  ${wrong}\n${this.#isHidden ? 'Once more: ' : ''}`);
    }
  }

  async #line(prompt: string): Promise<string> {
    const { signal } = this;
    signal.throwIfAborted();
    try {
      return await this.#lines.question(prompt, { signal });
    } catch (thrown) {
      if (signal.aborted) this.#output.write('\n');
      throw signal.aborted ? signal.reason : thrown;
    }
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }
}
