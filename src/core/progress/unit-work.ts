/** A due unit, with its expected rows; null if unknown. */
export interface DueUnit {
  readonly unit: string;
  readonly dataset: string;
  readonly rows: number | null;
}

/** Work is measured in values: a unit counts as this many before its first row, and a row as its number of columns. */
const UNIT_VALUES = 100_000;
const ROW_VALUES = 5;
/** The share of a unit's work that is done when its rows are received; the rest is staging and loading. */
const RECEIVED_PART = 0.85;
const USUAL_COLUMNS = 20;

interface Known {
  readonly dataset: string;
  rows: number | null;
  columns: number | null;
  received: number;
  state: 'waiting' | 'open' | 'done' | 'failed';
}

/** Measures the completed work on a run's units. Unopened units are estimated from the opened ones. */
export class UnitWork {
  readonly #units: ReadonlyMap<string, Known>;

  constructor(due: readonly DueUnit[]) {
    this.#units = new Map(
      due.map(({ unit, dataset, rows }) => [
        unit,
        { dataset, rows, columns: null, received: 0, state: 'waiting' },
      ]),
    );
  }

  /** @param rows as the service reports; null if there is no count */
  opened(unit: string, rows: number | null, columns: number): void {
    const known = this.#units.get(unit);
    if (!known) return;
    Object.assign(known, { rows: rows ?? known.rows, columns, received: 0, state: 'open' });
  }

  /** @param rows so far */
  received(unit: string, rows: number): void {
    const known = this.#units.get(unit);
    if (known) known.received = Math.max(known.received, rows);
  }

  ended(unit: string, isLoaded: boolean): void {
    const known = this.#units.get(unit);
    if (known) known.state = isLoaded ? 'done' : 'failed';
  }

  /** Returns rows received and expected; an estimate while a unit's count is unknown. */
  rows(): { readonly received: number; readonly expected: number; readonly isGuess: boolean } {
    const usual = this.#usualRows();
    let received = 0;
    let expected = 0;
    let isGuess = false;
    for (const unit of this.#units.values()) {
      received += unit.received;
      const isOver = unit.state === 'done' || unit.state === 'failed';
      isGuess ||= unit.state === 'waiting';
      expected += isOver ? unit.received : Math.max(unit.received, unit.rows ?? usual(unit.dataset));
    }
    return { received, expected, isGuess };
  }

  /**
   * Returns the work in values of all rows. The total is NaN while most units belong to datasets without known figures.
   */
  work(): { readonly done: number; readonly total: number; readonly values: number } {
    const rows = this.#usualRows();
    const columns = usualOf(this.#units, (known) => known.columns, USUAL_COLUMNS);
    let done = 0;
    let total = 0;
    let values = 0;
    for (const unit of this.#units.values()) {
      const all = Math.max(unit.received, unit.rows ?? rows(unit.dataset));
      const aRow = ROW_VALUES + (unit.columns ?? columns(unit.dataset));
      const gone = unit.received * aRow * RECEIVED_PART + (unit.state === 'waiting' ? 0 : UNIT_VALUES / 2);
      const whole = all * aRow + UNIT_VALUES;
      const own = unit.state === 'done' ? whole : gone;
      done += own;
      total += unit.state === 'failed' ? own : whole;
      if (unit.state !== 'failed') values += all * aRow;
    }
    return { done, total: this.#isKnown() ? total : Number.NaN, values };
  }

  #isKnown(): boolean {
    const all = [...this.#units.values()];
    const known = new Set(
      all.filter(({ rows, state }) => rows !== null || state !== 'waiting').map(({ dataset }) => dataset),
    );
    return all.filter(({ dataset }) => !known.has(dataset)).length * 2 <= all.length;
  }

  #usualRows(): (dataset: string) => number {
    return usualOf(this.#units, (known) => known.rows, 0);
  }
}

/** Returns the mean of a dataset's known units, or of all known units. */
function usualOf(
  units: ReadonlyMap<string, Known>,
  value: (known: Known) => number | null,
  otherwise: number,
): (dataset: string) => number {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const unit of units.values()) {
    const own = value(unit);
    if (own === null) continue;
    for (const key of [unit.dataset, '']) {
      const { sum, count } = sums.get(key) ?? { sum: 0, count: 0 };
      sums.set(key, { sum: sum + own, count: count + 1 });
    }
  }
  return (dataset) => {
    const { sum, count } = sums.get(dataset) ?? sums.get('') ?? { sum: otherwise, count: 1 };
    return sum / count;
  };
}
