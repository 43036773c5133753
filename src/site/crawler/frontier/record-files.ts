import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { makeFolder } from '../../../core/files/make-folder.ts';
import type { Lines } from '../parse/threads/parse-messages.ts';
import type { RecordFile, RecordKind } from './frontier.ts';

const compress = promisify(zstdCompress);
const NAME = /^[a-z]+-\d+\.ndjson\.zst$/;

/**
 * Files with records as lines of JSON, in the folder of a crawl. A file is valid once the frontier contains its name.
 */
export class RecordFiles {
  readonly #folder: string;
  #last: number;

  private constructor(folder: string, last: number) {
    this.#folder = folder;
    this.#last = last;
  }

  /** Removes the files that the frontier does not name. Their URLs are fetched again. */
  static async open(folder: string, recorded: readonly RecordFile[]): Promise<RecordFiles> {
    makeFolder(folder);
    const names = new Set(recorded.map(({ name }) => name));
    for (const name of await readdir(folder))
      if (NAME.test(name) && !names.has(name)) await rm(join(folder, name));
    const numbers = recorded.map(({ name }) => Number(/\d+/.exec(name)?.[0]));
    return new RecordFiles(folder, Math.max(0, ...numbers));
  }

  /** Writes one file for each kind that has lines. */
  async write(lines: Readonly<Record<RecordKind, readonly Lines[]>>): Promise<RecordFile[]> {
    const number = String(++this.#last).padStart(6, '0');
    const kinds = (Object.keys(lines) as RecordKind[]).filter((kind) => lines[kind].length > 0);
    return Promise.all(
      kinds.map(async (kind) => {
        const name = `${kind}-${number}.ndjson.zst`;
        const file = await open(join(this.#folder, name), 'w');
        try {
          const bytes = (isCompressed: boolean) =>
            Buffer.concat(
              lines[kind].filter((one) => one.isCompressed === isCompressed).map((one) => one.bytes),
            );
          const plain = bytes(false);
          if (plain.length > 0) await file.writeFile(await compress(plain));
          await file.writeFile(bytes(true));
          await file.sync();
        } finally {
          await file.close();
        }
        return { name, kind };
      }),
    );
  }
}
