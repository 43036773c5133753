import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makePrivateFolder } from '../../../core/files/private-files.ts';
import { processFolderName, removeDeadFolders } from '../../../core/host/process-folders.ts';

const PREFIX = 'download-';
/** Time limit for a peer to receive a sent piece. */
const PEER_MS = 60_000;
/** Per person: downloads that wait for a slot, are written, or are sent. */
const MOST_OF_A_PERSON = 4;

export class TooManyDownloads extends CrawlhouseError {
  constructor() {
    super('usage', `you already have ${MOST_OF_A_PERSON} downloads in progress, the maximum`, {
      hint: 'wait until a download ends, or cancel a download',
    });
  }
}

/** Answers that are written before they are sent, each in its own folder until then. */
export class DownloadFiles {
  readonly #parent: string;
  readonly #counts = new Map<string, number>();

  /** Removes files of a killed console. */
  constructor(stateDir: string) {
    this.#parent = join(stateDir, 'console');
    removeDeadFolders(this.#parent, PREFIX);
  }

  /**
   * Provides the path of a file that is removed afterwards.
   *
   * @param work receives the path
   * @throws TooManyDownloads
   */
  async use(person: string, work: (path: string) => Promise<void>): Promise<void> {
    if ((this.#counts.get(person) ?? 0) >= MOST_OF_A_PERSON) throw new TooManyDownloads();
    this.#count(person, 1);
    const folder = join(this.#parent, processFolderName(PREFIX));
    try {
      makePrivateFolder(this.#parent);
      makePrivateFolder(folder);
      await work(join(folder, 'answer'));
    } finally {
      this.#count(person, -1);
      await rm(folder, { recursive: true, force: true });
    }
  }

  #count(person: string, more: 1 | -1): void {
    const count = (this.#counts.get(person) ?? 0) + more;
    if (count > 0) this.#counts.set(person, count);
    else this.#counts.delete(person);
  }
}

/** Sends a file. Closes the connection if the client receives nothing for a minute. */
export async function sendPieces(
  path: string,
  peer: Writable,
  signal: AbortSignal,
  patience = PEER_MS,
): Promise<void> {
  for await (const piece of createReadStream(path, { signal }))
    if (!peer.write(piece))
      await once(peer, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]) });
}
