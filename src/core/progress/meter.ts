import { host } from '../host/host.ts';
import { describeProgress, type Progress, type UnitAtWork } from './progress.ts';
import { type DueUnit, UnitWork } from './unit-work.ts';

type Phase = Progress['phase'];

/** The completed work of a run at a moment, and its known remaining work. */
export interface RunFacts {
  /** Since the first unit began. */
  readonly seconds: number;
  /** Work on the units, in any measure; `total` is an estimate until all units are opened, and NaN without one. */
  readonly units: { readonly done: number; readonly total: number };
  /** Null while units are in progress: the later phases have not begun. */
  readonly after: {
    readonly unitsTook: number;
    /** Models, groups of tests and publications. */
    readonly done: number;
    readonly total: number;
  } | null;
  /** Expected seconds for models, tests and publication. */
  readonly expectedAfter: number;
}

/**
 * Seconds for models, tests and publication on two cores, from recordings in `test/core/progress/timelines` and larger
 * runs.
 */
const AFTER_SECONDS = 2.8;

const AFTER_SECONDS_A_VALUE = 4e-8;

/** The share of the units' work that must be done before an estimate is shown. */
const LEAST_DONE = 0.02;

/** Interval of prints without other changes, for example while a model is built. */
const BEAT_MS = 1000;

/** Follows a run and prints its progress after each change, and each second. */
export class Meter implements Disposable {
  readonly #print: (text: string, progress: Progress, atWork: readonly UnitAtWork[]) => void;
  readonly #now: () => number;
  readonly #formerPace: number;
  readonly #beat: Disposable;
  #work = new UnitWork([]);
  #due = 0;
  #done = 0;
  #bytes = 0;
  readonly #startedAt: number;
  #unitsStartedAt: number;
  #unitsTook: number | null = null;
  #elapsed: number | null = null;
  #phase: Phase | null = null;
  #steps: Progress['steps'] = null;
  #last = '';
  readonly #atWork = new Map<string, UnitAtWork['phase']>();

  /** @param formerPace the time after the units in a former run, as a multiple of its usual value */
  constructor(
    print: (text: string, progress: Progress, atWork: readonly UnitAtWork[]) => void,
    formerPace = 1,
    now: () => number = host().monotonic,
  ) {
    this.#print = print;
    this.#formerPace = formerPace;
    this.#now = now;
    this.#startedAt = now();
    this.#unitsStartedAt = this.#startedAt;
    this.#beat = host().every(BEAT_MS, () => this.#show());
  }

  /** Enters the phase in which the run looks for due units. */
  discover(): void {
    this.#enter('discover');
  }

  begin(due: readonly DueUnit[]): void {
    this.#work = new UnitWork(due);
    this.#due = due.length;
    this.#unitsStartedAt = this.#now();
    this.#unitsTook = null;
    this.#phase = 'download';
  }

  opened(unit: string, rows: number | null, columns: number): void {
    this.#work.opened(unit, rows, columns);
    this.#atWork.set(unit, 'download');
    this.#enterUnits('download');
  }

  /** @param rows so far */
  received(unit: string, rows: number): void {
    this.#work.received(unit, rows);
    this.#enterUnits('download');
  }

  /** Records that a unit in progress enters a phase. */
  unitPhase(unit: string, phase: 'stage' | 'load'): void {
    this.#atWork.set(unit, phase);
    this.#enterUnits(phase);
  }

  /** @param bytes null if nothing was received */
  unitDone(unit: string, status: string, bytes: number | null): void {
    this.#work.ended(unit, status === 'loaded' || status === 'unchanged');
    this.#atWork.delete(unit);
    this.#done++;
    this.#bytes += bytes ?? 0;
    this.#last = `${unit} ${status}`;
    this.#show();
    this.#last = '';
  }

  /** The phases after the units. */
  step(phase: 'models' | 'tests' | 'publish', done = 0, total = 1): void {
    this.#unitsTook ??= this.#seconds();
    this.#steps = { done, total };
    this.#enter(phase);
  }

  /** Records the end of the run, and prints once more. */
  end(seconds: number): void {
    this.#elapsed = seconds;
    this.#show();
  }

  /** Seconds for the units, seconds after them so far, and the usual seconds after this amount of work. */
  took(): { readonly units: number; readonly after: number; readonly usual: number } {
    const units = this.#unitsTook ?? this.#seconds();
    return { units, after: this.#seconds() - units, usual: usualAfter(this.#work.work().values) };
  }

  [Symbol.dispose](): void {
    this.#beat[Symbol.dispose]();
  }

  /** Returns to the phase of units, because a publication may have happened between units. */
  #enterUnits(phase: Phase): void {
    this.#unitsTook = null;
    this.#steps = null;
    this.#enter(phase);
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#show();
  }

  #seconds(): number {
    return (this.#now() - this.#unitsStartedAt) / 1000;
  }

  #show(): void {
    if (this.#phase === null) return;
    const seconds = this.#seconds();
    const unitsTook = this.#unitsTook;
    const units = this.#work.work();
    const left = estimateLeft({
      seconds,
      units,
      after: unitsTook === null ? null : { unitsTook, ...afterOf(this.#phase, this.#steps) },
      expectedAfter: usualAfter(units.values) * this.#formerPace,
    });
    const progress: Progress = {
      phase: this.#phase,
      steps: this.#steps,
      units: { done: this.#done, due: this.#due },
      rows: this.#work.rows(),
      bytes: this.#bytes,
      seconds: unitsTook ?? seconds,
      elapsed: this.#elapsed ?? (this.#now() - this.#startedAt) / 1000,
      left: this.#elapsed === null ? left : null,
    };
    const atWork = [...this.#atWork].map(([unit, phase]) => ({ unit, phase }));
    this.#print(describeProgress(progress) + (this.#last && ` · ${this.#last}`), progress, atWork);
  }
}

/** Shares of the time after the units, as measured with the shipped models. */
const PARTS = { models: [0, 0.45], tests: [0.45, 0.6], publish: [0.6, 1] } as const;

function afterOf(phase: Phase, steps: Progress['steps']): { readonly done: number; readonly total: number } {
  const [from, to] = PARTS[phase as keyof typeof PARTS] ?? [0, 0];
  const part = steps === null || steps.total === 0 ? 0 : steps.done / steps.total;
  return { done: from + (to - from) * part, total: 1 };
}

/** Usual seconds after units with this many values. It does not depend on the rate at which the values arrived. */
function usualAfter(values: number): number {
  return AFTER_SECONDS + values * AFTER_SECONDS_A_VALUE;
}

/** Estimates the seconds until a run ends; null if too little is known. */
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
  // The more steps are complete, the more their own pace counts.
  return (1 - done) * expected + done * ((elapsed / done) * (1 - done));
}
