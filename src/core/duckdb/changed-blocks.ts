import type { BlockSet, DatabaseState } from './database-blocks.ts';

/**
 * The blocks of a DuckDB file that may have been written since one of its checkpoints. DuckDB never writes to a block
 * that the last checkpoint uses: it takes free blocks, and new ones at the end. Only metadata is written in place. So the
 * free blocks and the metadata of every checkpoint since then are all that can differ.
 *
 * Checksums can't tell: DuckDB's does not depend on the order of values in a block.
 */
export class ChangedBlocks implements BlockSet {
  #from: number;
  readonly #blocks: Set<number>;

  /** @param state as of which nothing was written; `add` each later one */
  constructor(state: DatabaseState);
  constructor(from: number, blocks: Iterable<number>);
  constructor(start: DatabaseState | number, blocks: Iterable<number> = []) {
    this.#blocks = new Set(blocks);
    this.#from = typeof start === 'number' ? start : start.blocks;
    if (typeof start !== 'number') this.add(start);
  }

  /** Takes in what is written after a checkpoint, until the next one. */
  add({ blocks, free, metadata }: DatabaseState): void {
    this.#from = Math.min(this.#from, blocks);
    for (const block of free) this.#blocks.add(block);
    for (const block of metadata) this.#blocks.add(block);
  }

  has(block: number): boolean {
    return block >= this.#from || this.#blocks.has(block);
  }

  toJSON(): { from: number; blocks: number[] } {
    return { from: this.#from, blocks: [...this.#blocks].filter((block) => block < this.#from) };
  }
}
