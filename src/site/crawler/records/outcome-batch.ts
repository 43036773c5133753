import type { CrawlSession } from '../crawl-session.ts';
import type { Frontier, Outcome, RecordKind } from '../frontier/frontier.ts';
import type { RecordFiles } from '../frontier/record-files.ts';
import type { Lines, ParseReply } from '../parse/threads/parse-messages.ts';

const KINDS = ['pages', 'links', 'items'] as const;
/** The maximum work that a crawl loses when its process is killed. */
const MOST_PAGES = 500;
const MOST_BYTES = 16_000_000;
const LONGEST_MS = 2_000;

/**
 * Gathers the outcomes of URLs, and writes them: first the records to files, then the outcomes with their files' names
 * and the cookies.
 */
export class OutcomeBatch {
  readonly #frontier: Frontier;
  readonly #files: RecordFiles;
  readonly #session: CrawlSession;
  #outcomes: Outcome[] = [];
  #lines = noLines();
  #bytes = 0;
  #startedAt = performance.now();
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  /** The error of a failed write. After it nothing is added. */
  #failure: unknown;

  constructor(frontier: Frontier, files: RecordFiles, session: CrawlSession) {
    this.#frontier = frontier;
    this.#files = files;
    this.#session = session;
  }

  /** @param reply null for a URL that is tried again */
  add(outcome: Outcome, reply: ParseReply | null): void {
    if (this.#outcomes.length === 0) this.#startedAt = performance.now();
    this.#outcomes.push(outcome);
    if (reply !== null) {
      for (const kind of KINDS) {
        const { length } = reply[kind].bytes;
        if (length > 0) this.#lines[kind].push(reply[kind]);
        this.#bytes += length;
      }
    }
  }

  /**
   * Writes the batch when it is large or old. Resolves immediately unless the previous batch is still being written.
   *
   * @throws the error of a failed write, from then on each time
   */
  async writeIfDue(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const isLarge = this.#outcomes.length >= MOST_PAGES || this.#bytes >= MOST_BYTES;
    const isOld = this.#outcomes.length > 0 && performance.now() - this.#startedAt >= LONGEST_MS;
    if (!isLarge && !isOld) return;
    if (!this.#isWriting)
      void this.write().catch(() => {}); // It is kept: the next caller gets it.
    else if (isLarge) await this.#writing;
  }

  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeBatch());
    return this.#writing;
  }

  async #writeBatch(): Promise<void> {
    if (this.#outcomes.length === 0) return;
    const [outcomes, lines] = [this.#outcomes, this.#lines];
    this.#outcomes = [];
    this.#lines = noLines();
    this.#bytes = 0;
    this.#isWriting = true;
    try {
      const files = await this.#files.write(lines);
      this.#frontier.commit(outcomes, files, this.#session.takeNewCookies());
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      this.#isWriting = false;
    }
  }
}

function noLines(): Record<RecordKind, Lines[]> {
  return { pages: [], links: [], items: [] };
}
