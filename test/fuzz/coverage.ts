import { Session } from 'node:inspector/promises';

/** Scripts whose coverage guides: ours, and the libraries that read foreign input for us. */
const GUIDING =
  /\/src\/(?!core\/redact)|node_modules\/(?:csv-parse|rison|saxes|yaml|parse5|linkedom|css-select)\//;

/** The blocks of code that run, by V8's own coverage. */
export class Coverage implements AsyncDisposable {
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
  }

  static async start(): Promise<Coverage> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return new Coverage(session);
  }

  /**
   * The blocks that ran since the last call. A block has the order of magnitude of its runs: a loop that goes round more
   * often is another one.
   */
  async take(): Promise<string[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => GUIDING.test(url))
      .flatMap(({ scriptId, functions }) =>
        functions.flatMap(({ ranges }) =>
          ranges
            .filter(({ count }) => count > 0)
            .map(({ startOffset, endOffset, count }) => {
              const often = count > 1000 ? 3 : count > 50 ? 2 : 1;
              return `${scriptId}:${startOffset}:${endOffset}:${often}`;
            }),
        ),
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }
}
