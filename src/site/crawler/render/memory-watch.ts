import { readFile } from 'node:fs/promises';

const INTERVAL_MS = 250;
/** How often the browser is asked for its processes. */
const ASK_EVERY = 4;
const PAGE_BYTES = 4096;

interface BrowserSession {
  send(
    method: 'SystemInfo.getProcessInfo',
  ): Promise<{ readonly processInfo: readonly { readonly type: string; readonly id: number }[] }>;
}

/**
 * Ends page processes that exceed their memory limit. Only Linux shows the memory of a process to other programs.
 * On other systems, only the browser's own limit for scripts applies.
 */
export class MemoryWatch implements AsyncDisposable {
  readonly #cdp: BrowserSession;
  readonly #most: number;
  readonly #timer: NodeJS.Timeout | undefined;
  #pids: readonly number[] = [];
  #ticks = 0;
  #isLooking = false;
  /** When a process was last ended, by `performance.now()`. */
  endedAt = Number.NEGATIVE_INFINITY;

  /** @param most bytes of a process */
  constructor(cdp: BrowserSession, most: number) {
    this.#cdp = cdp;
    this.#most = most;
    if (process.platform === 'linux') this.#timer = setInterval(() => void this.#look(), INTERVAL_MS);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      if (this.#ticks++ % ASK_EVERY === 0) {
        const { processInfo } = await this.#cdp.send('SystemInfo.getProcessInfo');
        this.#pids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
      }
      for (const pid of this.#pids) if ((await residentBytes(pid)) > this.#most) this.#kill(pid);
    } catch {
      // The browser has ended; the next one has its own watch.
    } finally {
      this.#isLooking = false;
    }
  }

  #kill(pid: number): void {
    this.endedAt = performance.now();
    this.#pids = this.#pids.filter((one) => one !== pid);
    process.kill(pid, 'SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
  }
}

async function residentBytes(pid: number): Promise<number> {
  // A process that has ended has none.
  const text = await readFile(`/proc/${pid}/statm`, 'latin1').catch(() => '');
  return Number(text.split(' ')[1] ?? 0) * PAGE_BYTES;
}
