import fc from 'fast-check';
import { seededRandom } from '../support/random.ts';
import { type Below, mutate } from './mutate.ts';
import type { Target } from './target.ts';

/** Inputs by grammar that are made at once. */
const BATCH = 200;
/** Inputs that changes begin with, and the longest that is kept for it. */
const MOST_INPUTS = 3000;
const LONGEST_KEPT = 4 * 1024;

/** The inputs of a target: the same ones for the same seed. */
export class Inputs {
  readonly #target: Target;
  readonly #below: Below;
  readonly #pool: Buffer[];
  readonly #begins: number;
  #played = 0;
  #batch: Buffer[] = [];
  #seed: number;

  /** @param kept inputs of the corpus */
  constructor(target: Target, kept: readonly Buffer[], seed: number) {
    const random = seededRandom(seed);
    this.#target = target;
    this.#seed = seed;
    this.#below = (bound) => Math.floor(random() * bound);
    const seeds = target.seeds.map((one) => Buffer.from(one as string));
    this.#pool = [...seeds, ...kept.filter(({ length }) => length <= LONGEST_KEPT)];
    this.#begins = this.#pool.length;
    if (this.#pool.length === 0) this.#pool.push(Buffer.from('a'));
  }

  get poolSize(): number {
    return this.#pool.length;
  }

  next(): Buffer {
    const below = this.#below;
    // Each begins unchanged.
    const seed = this.#pool[this.#played];
    if (seed !== undefined && this.#played++ < this.#begins) return seed;
    if (this.#target.grammar !== undefined && below(3) === 0) {
      const made = this.#byGrammar();
      return below(3) > 0 ? made : this.#changed(made);
    }
    if (below(100) === 0) return noise(below);
    return this.#changed(this.#anyOf());
  }

  /** Begins changes with this input too. */
  add(input: Buffer): boolean {
    if (input.length > LONGEST_KEPT || this.#pool.length >= MOST_INPUTS) return false;
    this.#pool.push(Buffer.from(input));
    return true;
  }

  #anyOf(): Buffer {
    return this.#pool[this.#below(this.#pool.length)] as Buffer;
  }

  #changed(input: Buffer): Buffer {
    return mutate(input, { below: this.#below, words: this.#target.words, other: this.#anyOf() });
  }

  #byGrammar(): Buffer {
    if (this.#batch.length === 0 && this.#target.grammar !== undefined) {
      this.#seed++;
      const made = fc.sample(this.#target.grammar, { numRuns: BATCH, seed: this.#seed });
      this.#batch = made.map((one) => Buffer.from(one as string));
    }
    return this.#batch.pop() ?? Buffer.of();
  }
}

function noise(below: Below): Buffer {
  const isText = below(2) === 0;
  return Buffer.from(Array.from({ length: below(200) }, () => (isText ? 32 + below(95) : below(256))));
}
