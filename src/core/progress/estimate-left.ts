/** The work that a run has done at a moment, and its known remaining work. */
export interface RunFacts {
  /** Since the first unit began. */
  readonly seconds: number;
  /** Work on the units, in any measure; `total` is a guess while units are not opened yet, and NaN if there is none. */
  readonly units: { readonly done: number; readonly total: number };
  /** Null while units are at work: then what follows them has not begun. */
  readonly after: {
    /** Seconds that the units took. */
    readonly unitsTook: number;
    /** Models, groups of tests and publications. */
    readonly done: number;
    readonly total: number;
  } | null;
  /** Seconds that models, tests and publication take. */
  readonly expectedAfter: number;
}

/** Models, tests and publication on two cores, by the recordings of `test/core/timelines` and of larger runs. */
const AFTER_SECONDS = 2.8;
const AFTER_SECONDS_A_VALUE = 4e-8;
/** Before this part of the units is done, nothing is foretold. */
const LEAST_DONE = 0.02;

/** Seconds that usually follow units of so many values. How fast the values came says nothing about it. */
export function usualAfter(values: number): number {
  return AFTER_SECONDS + values * AFTER_SECONDS_A_VALUE;
}

/** Seconds until a run ends; null where too little is known. */
export function estimateLeft({ seconds, units, after, expectedAfter }: RunFacts): number | null {
  if (after === null) {
    const done = units.total > 0 ? units.done / units.total : 0;
    if (!(done >= LEAST_DONE) || seconds <= 0) return null;
    return seconds / done - seconds + expectedAfter;
  }
  const elapsed = seconds - after.unitsTook;
  const expected = Math.max(expectedAfter - elapsed, 0);
  const done = after.total > 0 ? after.done / after.total : 0;
  if (done === 0) return Math.max(expected, elapsed);
  // The more steps are through, the more their own pace counts.
  return (1 - done) * expected + done * ((elapsed / done) * (1 - done));
}
