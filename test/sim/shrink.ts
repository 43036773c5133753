import { decide } from './decisions.ts';
import { type LifeResult, live } from './life.ts';

export interface Shrunk {
  /** Places of the faults among those of the seed that are needed for the failure. */
  readonly only: readonly number[];
  readonly result: LifeResult;
}

/** Leaves out faults for as long as the same oracle still objects: first halves, then one at a time. */
export async function shrink(seed: number): Promise<Shrunk | null> {
  const all = decide(seed).map((_, index) => index);
  const attempt = (only: readonly number[]): Promise<LifeResult> => lifeOf(seed, only);
  const first = await attempt(all);
  if (first.violation === null) return null;
  const { oracle } = first.violation;
  let best: Shrunk = { only: all, result: first };
  for (let size = Math.ceil(all.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < best.only.length; ) {
      const only = best.only.filter((_, place) => place < from || place >= from + size);
      const result = await attempt(only);
      if (result.violation?.oracle === oracle) best = { only, result };
      else from += size;
    }
  }
  return best;
}

/** The life of a seed with some of its faults. */
export function lifeOf(seed: number, only: readonly number[] | null, trace = false): Promise<LifeResult> {
  const all = decide(seed);
  return live(seed, {
    decisions: only === null ? all : all.filter((_, index) => only.includes(index)),
    trace,
  });
}
