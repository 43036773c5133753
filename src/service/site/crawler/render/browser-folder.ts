import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../../../core/files/make-folder.ts';
import { childEnvironment } from '../../../../core/host/child-environment.ts';
import { processFolderName, removeDeadFolders } from '../../../../core/host/process-folders.ts';

const PREFIX = 'crawlhouse-';
/** Chromium makes a socket in a folder of its own there; the path of a socket has at most 107 characters. */
const LONGEST_PATH = 59;
const SHORT_PLACE = '/tmp';
const REMOVAL = { recursive: true, force: true, maxRetries: 5 } as const;

/** The folder of a browser for its profile and its temporary files. One that a killed process left goes with the next. */
export class BrowserFolder implements AsyncDisposable {
  readonly path: string;

  constructor() {
    const name = processFolderName(PREFIX);
    // Elsewhere Chromium would leave its own folders behind when it is killed.
    const place = join(tmpdir(), name).length > LONGEST_PATH ? SHORT_PLACE : tmpdir();
    removeDeadFolders(place, PREFIX);
    this.path = join(place, name);
    makeFolder(this.path, { mode: 0o700 });
  }

  /** Removes the folder also where the program ends without waiting. To be called when the browser has started. */
  removeAtExit(): void {
    // What starts browsers ends them by a listener of its own, which stands before this one by now.
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
