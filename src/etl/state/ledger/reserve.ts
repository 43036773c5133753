import { join } from 'node:path';
import { FREE_SPACE, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';

/** Space for the end of a run in the ledger and its log of changes. */
const BYTES = 256 * 1024;

/**
 * Disk space that a run reserves in the state directory, in the file `reserve`, so that it can record its end on a full
 * disk. A run without a recorded end would appear as killed.
 */
export class Reserve implements Disposable {
  readonly #path: string;

  /** @throws errors of the file system, such as on a full disk */
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

  /** Runs `work`. If the disk is full, frees the reserve and repeats the work once. */
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
