import { bytesText, countText, durationText } from './amounts.ts';

/** How far the units of a run are. */
export interface Progress {
  readonly done: number;
  readonly due: number;
  /** Rows received so far, also by units in progress. */
  readonly rows: number;
  /** Bytes on the wire, of finished units. */
  readonly bytes: number;
  readonly seconds: number;
}

/** Counts rows, bytes and units of a run, and prints the progress after each change. */
export class Meter {
  readonly #due: number;
  readonly #print: (text: string) => void;
  readonly #startedAt = performance.now();
  #done = 0;
  #rows = 0;
  #bytes = 0;

  constructor(due: number, print: (text: string) => void) {
    this.#due = due;
    this.#print = print;
  }

  received(rows: number): void {
    this.#rows += rows;
    this.#show('');
  }

  /** @param bytes null where nothing came */
  unitDone(what: string, bytes: number | null): void {
    this.#done++;
    this.#bytes += bytes ?? 0;
    this.#show(` · ${what}`);
  }

  #show(last: string): void {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const progress = { done: this.#done, due: this.#due, rows: this.#rows, bytes: this.#bytes, seconds };
    this.#print(describeProgress(progress) + last);
  }
}

/** `12 of 44 units · 253,000 rows · 96.0 MB · 8,400 rows/s · about 3 min left` */
export function describeProgress({ done, due, rows, bytes, seconds }: Progress): string {
  const pace = seconds > 0 && rows > 0 ? [`${countText(Math.round(rows / seconds))} rows/s`] : [];
  const left = done > 0 && done < due ? [`about ${durationText((seconds / done) * (due - done))} left`] : [];
  return [`${done} of ${due} units`, `${countText(rows)} rows`, bytesText(bytes), ...pace, ...left].join(
    ' · ',
  );
}
