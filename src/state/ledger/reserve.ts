import { join } from 'node:path';
import { FREE_SPACE, toCrawlhouseError } from '../../core/errors/errors.ts';
import { host } from '../../core/host/host.ts';

/** Room for the end of a run in the ledger and its log of changes. */
const BYTES = 256 * 1024;

/**
 * Room on the disk of the state directory that a run keeps, in `reserve`, to note its end on a full disk. Without an end
 * it would pass for a killed run.
 */
export class Reserve implements Disposable {
  readonly #path: string;

  /** @throws of the file system, such as on a disk that is full already */
  constructor(stateDir: string) {
    this.#path = join(stateDir, 'reserve');
    try {
      // Not zeros, which some file systems do not store.
      host().files.writeFileSync(this.#path, Buffer.alloc(BYTES, 1));
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Does some work; if the disk is full, once more with the room that was kept. */
  async spend(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (toCrawlhouseError(error).hint !== FREE_SPACE) throw error;
      this[Symbol.dispose]();
      await work();
    }
  }

  [Symbol.dispose](): void {
    host().files.rmSync(this.#path, { force: true });
  }
}
