/** What is measured of a process or of the folders. */
export type Quantity = 'memory' | 'handles' | 'threads' | 'children' | 'temporary files' | 'temporary disk';

/** Values of one quantity, sample by sample; null where there is none, or of a process before its last start. */
export interface Series {
  readonly name: string;
  readonly quantity: Quantity;
  readonly values: readonly (number | null)[];
}

export interface Judgement {
  readonly series: Series;
  readonly verdict: 'flat' | 'rising' | 'not judged';
  /** Medians of the second and the last quarter, or their least values; null where it is not judged. */
  readonly second: number | null;
  readonly last: number | null;
  /** The highest median of the last quarter that is flat. */
  readonly limit: number | null;
}

const MIB = 1024 * 1024;
/** The last quarter's level may be so much above the second quarter's, as a part of it, */
const SHARE = 0.1;
/** or by so much, in the unit of the quantity: bytes, or a number. The larger of both holds. */
const LEAST: Readonly<Record<Quantity, number>> = {
  memory: 32 * MIB,
  handles: 10,
  threads: 8,
  children: 3,
  'temporary files': 10,
  'temporary disk': 8 * MIB,
};
/** Fewer samples have no quarters. */
export const FEWEST_JUDGED = 8;

/** Each run has such files for a while; what stays shows between the runs. */
const BY_LEAST: readonly Quantity[] = ['temporary files', 'temporary disk'];

export const RULE =
  'flat: the median of the last quarter (of temporary files: the least value) is at most 10 % above that of the second ' +
  'quarter, or at most 32 MiB of memory, 10 handles, 8 threads, 3 child processes, 10 temporary files, 8 MiB of ' +
  'temporary disk above it';

/**
 * Whether a quantity stays level: the first quarter is the start and counts for nothing. A process that was started anew
 * behind the first quarter is not judged.
 */
export function judgeSeries(series: Series): Judgement {
  const { values, quantity } = series;
  const quarter = Math.floor(values.length / 4);
  const judged = values.slice(quarter);
  if (values.length < FEWEST_JUDGED || judged.some((one) => one === null))
    return { series, verdict: 'not judged', second: null, last: null, limit: null };
  const level = BY_LEAST.includes(quantity) ? least : median;
  const second = level(values.slice(quarter, 2 * quarter) as number[]);
  const last = level(values.slice(values.length - quarter) as number[]);
  const limit = second + Math.max(second * SHARE, LEAST[quantity]);
  return { series, verdict: last <= limit ? 'flat' : 'rising', second, last, limit };
}

function least(numbers: readonly number[]): number {
  return Math.min(...numbers);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = 0, above = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 0 ? (below + above) / 2 : above;
}
