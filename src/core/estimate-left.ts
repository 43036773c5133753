/** What a run has done at a moment, and what it is known to have before it. */
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
  /** Of the last run that loaded units: seconds after its units by seconds of its units; null if there is none. */
  readonly formerShare: number | null;
}

/** Of the units' time, what models, tests and publication take where no former run tells: measured (docs/performance.md). */
const USUAL_SHARE = 0.4;
/** Before this part of the units is done, nothing is foretold. */
const LEAST_DONE = 0.02;

/** Seconds until a run ends; null where too little is known. */
export function estimateLeft({ seconds, units, after, formerShare }: RunFacts): number | null {
  const share = formerShare ?? USUAL_SHARE;
  if (after === null) {
    const done = units.total > 0 ? units.done / units.total : 0;
    if (!(done >= LEAST_DONE) || seconds <= 0) return null;
    const all = seconds / done;
    return all - seconds + all * share;
  }
  const elapsed = seconds - after.unitsTook;
  const expected = Math.max(after.unitsTook * share - elapsed, 0);
  const done = after.total > 0 ? after.done / after.total : 0;
  if (done === 0) return Math.max(expected, elapsed);
  // The more steps are through, the more their own pace counts.
  return (1 - done) * expected + done * ((elapsed / done) * (1 - done));
}
