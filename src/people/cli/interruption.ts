import { EXIT_CODES } from '../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';

/** The exit code of each signal that ends the program: 128 and the signal's number. */
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: EXIT_CODES.interrupted, SIGTERM: 143 } as const;
type Ending = keyof typeof SIGNAL_CODES;
const ENDINGS = Object.keys(SIGNAL_CODES) as Ending[];

/** The signals that end the program: the first asks everything to end, a second one does not wait. */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  #received: Ending = 'SIGINT';

  constructor() {
    for (const name of ENDINGS) process.on(name, this.#stop);
  }

  /** Aborted by the first signal, with a CrawlhouseError `interrupted` as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Of a program that was interrupted: 129 after SIGHUP, 143 after SIGTERM, else 130. */
  get exitCode(): number {
    return SIGNAL_CODES[this.#received];
  }

  /** As after SIGHUP, where the terminal is gone without one. */
  hangUp(): void {
    if (!this.signal.aborted) this.#stop('SIGHUP');
  }

  readonly #stop = (name: NodeJS.Signals): void => {
    const received = ENDINGS.find((one) => one === name);
    if (received === undefined) return;
    if (this.signal.aborted) process.exit(SIGNAL_CODES[received]);
    this.#received = received;
    this.#controller.abort(
      new CrawlhouseError('interrupted', `interrupted by ${received}; the next run continues`),
    );
  };

  [Symbol.dispose](): void {
    for (const name of ENDINGS) process.off(name, this.#stop);
  }
}
