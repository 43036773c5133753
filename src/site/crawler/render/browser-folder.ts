import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { childEnvironment } from '../../../core/host/child-environment.ts';
import { processFolderName, removeDeadFolders } from '../../../core/host/process-folders.ts';

const PREFIX = 'crawlhouse-';
/** Chromium creates a socket in its own folder there; the path of a socket has at most 107 characters. */
const LONGEST_PATH = 59;
const SHORT_PLACE = '/tmp';
const REMOVAL = { recursive: true, force: true, maxRetries: 5 } as const;

/**
 * The folder of a browser for its profile and its temporary files. The next browser removes the folder of a killed
 * process.
 */
export class BrowserFolder implements AsyncDisposable {
  readonly path: string;

  constructor() {
    const name = processFolderName(PREFIX);
    // Elsewhere Chromium would leave its own folders when it is killed.
    const place = join(tmpdir(), name).length > LONGEST_PATH ? SHORT_PLACE : tmpdir();
    removeDeadFolders(place, PREFIX);
    this.path = join(place, name);
    makeFolder(this.path, { mode: 0o700 });
  }

  /** Removes the folder also if the program ends without waiting. Call it when the browser has started. */
  removeAtExit(): void {
    // The launcher of browsers ends them by its own listener, which is registered before this one.
    process.on('exit', this.#remove);
  }

  readonly #remove = (): void => {
    try {
      rmSync(this.path, REMOVAL);
    } catch {
      // The browser still writes: the next one removes it.
    }
  };

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#remove);
    await rm(this.path, REMOVAL);
  }
}

export function browserEnvironment(folder: string): NodeJS.ProcessEnv {
  return childEnvironment({ TMPDIR: folder });
}
