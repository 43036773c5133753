import { createHash, hash } from 'node:crypto';
import { stringifyJson } from '../../../core/text/json.ts';
import type { TypedRows } from '../query/warehouse.ts';
import { rowText } from './row-text.ts';

/** Maximum rows in a proof. The hash covers all. */
const MOST_ROWS = 1000;
/** Characters of the kept rows after which no more are kept. */
const MOST_TEXT = 10_000_000;

/** Collects the first rows of an answer, and a hash of all its rows. */
export class ProvenRows {
  readonly #kept: (readonly unknown[])[] = [];
  #characters = 0;
  #total = 0;
  // A sum does not depend on the order of the rows, and needs no memory for them.
  #sum = 0n;

  get kept(): readonly (readonly unknown[])[] {
    return this.#kept;
  }

  /** Whether no further row is kept. */
  get isFull(): boolean {
    return this.#kept.length >= MOST_ROWS || this.#characters > MOST_TEXT;
  }

  add(row: readonly unknown[], columns: TypedRows['columns']): void {
    const text = rowText(row, columns);
    this.#total++;
    this.#sum += BigInt(`0x${hash('sha256', text)}`);
    if (this.isFull) return;
    this.#kept.push(row);
    this.#characters += text.length;
  }

  sha256(columns: TypedRows['columns']): string {
    return createHash('sha256')
      .update(stringifyJson([columns, this.#total, this.#sum.toString(16)]))
      .digest('hex');
  }
}
