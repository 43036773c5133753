import type fc from 'fast-check';
import { CrawlhouseError } from '../../src/core/errors/errors.ts';

/** What became of an input: both are right, but a target that takes nothing tests nothing. */
export type Verdict = 'taken' | 'refused';

/** Judges one input; throws where the product did what it must not. */
export type Check = (input: Buffer, signal: AbortSignal) => Verdict | Promise<Verdict>;

/** One reader of foreign input. */
export interface Target {
  /** As in `--target`, and the folder of its corpus. */
  readonly name: string;
  /** Inputs to begin with, beside the kept corpus. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Words that the reader knows: the mutator puts them in. */
  readonly words: readonly string[];
  /** Inputs by their grammar. */
  readonly grammar?: fc.Arbitrary<string | Uint8Array>;
  /** Cases of the short round, in `npm run test:long`; default: 300. */
  readonly shortRound?: number;
  /** Seconds of processor time that one case may take; default: 2. */
  readonly seconds?: number;
  /** Makes what the cases share, such as a warehouse; `close` takes it away. */
  open(): Promise<{ readonly check: Check; close?(): Promise<void> }>;
}

/** A target that shares nothing between its cases. */
export function plainTarget(target: Omit<Target, 'open'>, check: Check): Target {
  return { ...target, open: async () => ({ check }) };
}

/**
 * Calls the product. Only its own errors may come back, with a message that has more than one word.
 *
 * @returns undefined where it refused the input
 */
export async function called<T>(work: () => T | Promise<T>): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await work() };
  } catch (error) {
    checkRefusal(error);
    return undefined;
  }
}

/** What must not happen; `what` is the same for inputs that meet the same fault. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly what: string;

  constructor(what: string, detail: unknown) {
    super(`${what}: ${(typeof detail === 'string' ? detail : shown(detail)).slice(0, 1500)}`);
    this.what = what;
  }
}

/** Throws whatever is no refusal in words. */
export function checkRefusal(error: unknown): void {
  if (!(error instanceof CrawlhouseError) || error.code === 'internal') throw error;
  if (!/\S\s+\S/.test(error.message)) throw new Fault('a refusal says too little', error.message);
  // A message that repeats megabytes of the input helps nobody.
  if (error.message.length > 20_000) throw new Fault('a refusal repeats the input', error.message);
}

/** Throws if two results differ. */
export function same(found: unknown, right: unknown, what: string): void {
  const [a, b] = [shown(found), shown(right)];
  if (a === b) return;
  const at = [...a].findIndex((one, index) => one !== b[index]);
  const from = Math.max(0, at - 100);
  throw new Fault(
    what,
    `${a.slice(from, from + 400)} is read; a plain reader says ${b.slice(from, from + 400)}`,
  );
}

/** A value as text: unlike values differ, also NaN and null, -0 and 0, a BigInt and a number. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return { bigint: String(item) };
    if (typeof item === 'number' && (Object.is(item, -0) || !Number.isFinite(item)))
      return { number: Object.is(item, -0) ? '-0' : String(item) };
    if (item === undefined) return { undefined: true };
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
