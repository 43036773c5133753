import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makePrivateFolder } from '../../../core/files/private-files.ts';
import { processFolderName, removeDeadFolders } from '../../../core/host/process-folders.ts';

const PREFIX = 'download-';
/** A peer has this long to take what was sent. */
const PEER_MS = 60_000;
/** Of one person: they wait for their place, are written, or are sent. */
const MOST_OF_A_PERSON = 4;

export class TooManyDownloads extends CrawlhouseError {
  constructor() {
    super('usage', `${MOST_OF_A_PERSON} downloads of yours are under way, and no more may be at once`, {
      hint: 'wait until one of them ends, or cancel it',
    });
  }
}

/** Answers that are written before they are sent, each in a folder of its own until it is sent. */
export class DownloadFiles {
  readonly #parent: string;
  readonly #counts = new Map<string, number>();

  /** Removes what a killed console has left behind. */
  constructor(stateDir: string) {
    this.#parent = join(stateDir, 'console');
    removeDeadFolders(this.#parent, PREFIX);
  }

  /**
   * @param work takes the path of a file that is there until it ends
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

/** Sends a file. A peer that takes nothing for a minute is left. */
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
