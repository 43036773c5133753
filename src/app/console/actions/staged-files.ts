import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesOf } from '../../../core/files/disk-use.ts';
import { makePrivateFolder } from '../../../core/files/private-files.ts';

/** Maximum bytes of an uploaded file, and of all files that wait to be added. */
export const MOST_FILE_BYTES = 1_000_000_000;
const MOST_STAGED_BYTES = 4 * MOST_FILE_BYTES;
const MOST_RECEIVED = 2;
const MOST_NAME = 100;
/** After a day, the file is unlikely to be added. */
const KEPT_MS = 86_400_000;
/** `logs add` regards the last line of a younger file as incomplete. */
const SETTLED_MS = 2 * 3_600_000;

/** An uploaded file: its own folder and its name. */
export const StagedName = z.string().regex(/^[0-9a-f]{32}\/\w[\w.-]*$/, 'upload a file first');

/** The uploaded files that wait to be added, in `<state_dir>/console/uploads`. */
export class StagedFiles {
  readonly #folder: string;
  readonly #isInUse: (id: string) => boolean;
  readonly #receiving = new Set<string>();

  /** @param isInUse whether an action uses the file in a folder of this name */
  constructor(stateDir: string, isInUse: (id: string) => boolean) {
    this.#folder = join(stateDir, 'console', 'uploads');
    this.#isInUse = isInUse;
  }

  pathOf(file: string): string {
    return join(this.#folder, StagedName.parse(file));
  }

  has(file: string): boolean {
    return existsSync(this.pathOf(file));
  }

  /**
   * Stores a file while it arrives. Nothing remains of a file that arrives only in part.
   *
   * @param given the name of the file on the person's machine; it may be a path
   * @throws CrawlhouseError `locked` while too many other files are received or wait; the error of the stream
   */
  async receive(given: string, content: Readable, signal: AbortSignal): Promise<string> {
    if (this.#receiving.size >= MOST_RECEIVED) throw tooMany();
    const id = randomBytes(16).toString('hex');
    const file = `${id}/${safeName(given)}`;
    const path = this.pathOf(file);
    // Before any wait, so that simultaneous uploads count.
    this.#receiving.add(id);
    try {
      await this.removeOld(Date.now());
      const expected = this.#receiving.size * MOST_FILE_BYTES;
      if ((await bytesOf(this.#folder)) + expected > MOST_STAGED_BYTES) throw tooMany();
      makePrivateFolder(dirname(path));
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
      const settled = new Date(Date.now() - SETTLED_MS);
      await utimes(path, settled, settled);
      return file;
    } catch (error) {
      await this.remove(file);
      throw error;
    } finally {
      this.#receiving.delete(id);
    }
  }

  async remove(file: string): Promise<void> {
    await rm(dirname(this.pathOf(file)), { recursive: true, force: true });
  }

  /** Removes files that nobody added, unless they are in use. */
  async removeOld(now: number): Promise<void> {
    // Without uploads, there is no folder.
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (this.#receiving.has(name) || this.#isInUse(name)) continue;
      const path = join(this.#folder, name);
      // Another console may have removed it.
      const found = await stat(path).catch(() => null);
      if (found !== null && found.mtimeMs < now - KEPT_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

function tooMany(): CrawlhouseError {
  return new CrawlhouseError('locked', 'too many uploaded files wait to be added', {
    hint: 'add the uploaded files, or try again tomorrow: the console removes a file after a day',
  });
}

/** Returns the last part of a name or path, with letters, digits, `.`, `_` and `-` only. */
function safeName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const name = last
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^[.-]+/, '')
    .slice(-MOST_NAME)
    .replace(/^[.-]+/, '');
  return name === '' ? 'upload' : name;
}
