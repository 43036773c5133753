import { EXIT_CODES } from '../../core/error-codes.ts';
import { CrawlhouseError } from '../../core/errors.ts';

/** The exit code of each signal that ends the program: 128 and the signal's number. */
const SIGNAL_CODES = { SIGINT: EXIT_CODES.interrupted, SIGTERM: 143 } as const;

/** The signals that end the program: the first asks everything to end, a second one does not wait. */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  #received: keyof typeof SIGNAL_CODES = 'SIGINT';

  constructor() {
    process.on('SIGINT', this.#stop).on('SIGTERM', this.#stop);
  }

  /** Aborted by the first signal, with a CrawlhouseError `interrupted` as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Of a program that was interrupted: 143 after SIGTERM, else 130. */
  get exitCode(): number {
    return SIGNAL_CODES[this.#received];
  }

  readonly #stop = (received: NodeJS.Signals): void => {
    if (received !== 'SIGINT' && received !== 'SIGTERM') return;
    if (this.signal.aborted) process.exit(SIGNAL_CODES[received]);
    this.#received = received;
    this.#controller.abort(
      new CrawlhouseError('interrupted', `interrupted by ${received}; the next run continues`),
    );
  };

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#stop).off('SIGTERM', this.#stop);
  }
}
