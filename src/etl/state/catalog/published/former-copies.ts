import { hash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import {
  ChangedBlocks,
  type DatabaseState,
  readIteration,
  readState,
} from '../../../../core/duckdb/database-blocks.ts';
import { succeeds } from '../../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../../core/files/atomic-file.ts';
import { freeBytes } from '../../../../core/files/disk-use.ts';

const NOTE = 'spare.json';
const VERSION = 1;
export const SPARE_FILE = 'spare.duckdb';

const Copy = z.object({
  stamp: z.string(),
  changed: z.object({ from: z.number(), blocks: z.array(z.number()) }),
  next: z.number(),
  replacedAt: z.number().nullable(),
});
const Note = z.object({
  version: z.literal(VERSION),
  work: z.string(),
  iteration: z.string(),
  published: Copy.nullable(),
  spare: Copy.nullable(),
});

/** A file that was copied from the working copy. */
export interface FormerCopy {
  /** A stamp that shows that no program has written to the file. */
  readonly stamp: string;
  /** The blocks that may differ from the working copy now. */
  readonly changed: ChangedBlocks;
  /** The block where its next comparison begins. */
  readonly next: number;
  /** When another file replaced it, in milliseconds since 1970; null for the published file. */
  readonly replacedAt: number | null;
}

/**
 * Tracks the blocks that the published file and the spare file still share with the working copy. Follows each
 * checkpoint of the working copy, and forgets all blocks after a missed checkpoint. A process that exits normally
 * leaves a note for the next process. A killed process leaves no note, so the next publication copies everything.
 */
export class FormerCopies {
  readonly #workPath: string;
  #fd: number | undefined;
  /** The last checkpoint of the working copy that was followed. */
  #iteration = 0n;
  #published: FormerCopy | null = null;
  #spare: FormerCopy | null = null;

  private constructor(workPath: string) {
    this.#workPath = workPath;
  }

  /** Opens the known state of the copies before the working copy is open. Reading it removes the note. */
  static open(workPath: string): FormerCopies {
    const copies = new FormerCopies(workPath);
    const path = join(dirname(workPath), NOTE);
    const note = readNote(path);
    rmSync(path, { force: true });
    if (note !== undefined && note.work === stampOf(workPath) && !existsSync(`${workPath}.wal`)) {
      copies.#iteration = BigInt(note.iteration);
      copies.#published = toCopy(note.published);
      copies.#spare = toCopy(note.spare);
    }
    return copies;
  }

  get published(): FormerCopy | null {
    return this.#published;
  }

  /** The previous publication, unless another program has changed or renamed it. */
  get spare(): FormerCopy | null {
    const found = statSync(this.sparePath, { throwIfNoEntry: false });
    return found?.nlink === 1 && this.#spare?.stamp === stampOf(this.sparePath) ? this.#spare : null;
  }

  get sparePath(): string {
    return join(dirname(this.#workPath), SPARE_FILE);
  }

  /** Begins to follow the checkpoints of the working copy. */
  follow(): void {
    // It stays open as long as the file: closing it would end DuckDB's lock on the file.
    this.#fd = openSync(this.#workPath, 'r');
    this.observe();
  }

  /** Follows another file as the working copy. No former copy shares blocks with it. */
  followAnew(): void {
    this.#forget();
    this.follow();
  }

  /** Records a checkpoint, if there was one. Call it after every statement. */
  observe(): void {
    if (this.#fd === undefined) return;
    try {
      const iteration = readIteration(this.#fd, this.#workPath);
      if (iteration === this.#iteration) return;
      if (iteration !== this.#iteration + 1n) this.#forget();
      this.#iteration = iteration;
      if (!this.#published && !this.#spare) return;
      const state = readState(this.#fd, this.#workPath);
      this.#published?.changed.add(state);
      this.#spare?.changed.add(state);
    } catch {
      // DuckDB reports it when it reads the file.
      this.#forget();
    }
  }

  #forget(): void {
    this.#published = null;
    this.#spare = null;
  }

  /** Releases the spare file to the caller for writing. */
  takeSpare(): void {
    this.#spare = null;
  }

  /** Returns whether this is still the unchanged published file. A query renames the file for a moment. */
  isPublished(path: string): boolean {
    return this.#published !== null && this.#published.stamp === contentStampOf(path);
  }

  /** Keeps the previous publication, if the disk has room for another copy. */
  async keepSpare(former: string): Promise<void> {
    const published = this.#published;
    const { size, nlink } = statSync(former);
    const free = await freeBytes(dirname(former));
    const isKept =
      published !== null &&
      nlink === 1 &&
      free !== null &&
      free >= size &&
      // Not across file systems.
      (await succeeds(rename(former, this.sparePath)));
    if (isKept) this.#spare = { ...published, stamp: stampOf(this.sparePath), replacedAt: Date.now() };
    else await rm(former, { force: true });
  }

  /**
   * Records a publication.
   *
   * @param state of the working copy when it was copied
   */
  publishedFrom(state: DatabaseState, path: string, next: number): void {
    this.#published = {
      stamp: contentStampOf(path),
      changed: new ChangedBlocks(state),
      next,
      replacedAt: null,
    };
  }

  /** Leaves the note for the next process, after the working copy is closed. */
  async keep(): Promise<void> {
    this.observe();
    this.close();
    const note: z.input<typeof Note> = {
      version: VERSION,
      work: stampOf(this.#workPath),
      iteration: String(this.#iteration),
      published: this.#published && { ...this.#published, changed: this.#published.changed.toJSON() },
      spare: this.#spare && { ...this.#spare, changed: this.#spare.changed.toJSON() },
    };
    const text = JSON.stringify(note);
    await writeFileAtomic(join(dirname(this.#workPath), NOTE), `${hash('sha256', text)}\n${text}`, 0o600);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

function toCopy(copy: z.infer<typeof Copy> | null): FormerCopy | null {
  return copy && { ...copy, changed: new ChangedBlocks(copy.changed.from, copy.changed.blocks) };
}

/** Reads the note. A damaged one counts as missing. */
function readNote(path: string): z.infer<typeof Note> | undefined {
  try {
    const [sum, text = ''] = readFileSync(path, 'utf8').split('\n');
    return sum === hash('sha256', text) ? Note.parse(JSON.parse(text)) : undefined;
  } catch {
    // Without a note, the next publication copies everything.
    return undefined;
  }
}

/** Returns a stamp that changes when a file is written, renamed or linked; empty if there is no file. */
function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${contentStampOf(path)} ${found.ctimeNs}` : '';
}

/** Returns a stamp that changes when a file is written, unless its time is reset; empty if there is no file. */
function contentStampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? [found.ino, found.size, found.mtimeNs].join(' ') : '';
}
