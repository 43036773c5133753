import { z } from 'zod';

/** The number of measured pages per template. */
export const PagesPerTemplate = z.union([z.int().min(0), z.literal('all')]);
export type PagesPerTemplate = z.output<typeof PagesPerTemplate>;

export interface VitalsSettings {
  /** 0: web vitals are not measured. */
  readonly pages_per_template: PagesPerTemplate;
  /** Loads of each page, whose medians count. */
  readonly loads: number;
}

/** How a crawl measures web vitals. It is not part of a crawl's configuration, because the pages stay the same. */
export interface VitalsOptions {
  readonly pagesPerTemplate: PagesPerTemplate;
  readonly loads: number;
}

/** The figures of the fields, by the fields' names. */
export const VITALS = [
  'cwv_bytes_saving',
  'cwv_cls',
  'cwv_fcp',
  'cwv_lcp',
  'cwv_performance_score',
  'cwv_si',
  'cwv_tbt',
  'cwv_tti',
  'cwv_time_saving',
] as const;

/** Milliseconds and bytes are whole. Null: Lighthouse could not determine it. */
export type Vitals = Readonly<Record<(typeof VITALS)[number], number | null>>;

/** Why a page has no vitals, or lacks some of its requests: values of `processing_warnings`. */
export type VitalsWarning =
  | `vitals_${'timeout' | 'memory' | 'crashed' | 'no_paint' | 'redirected'}`
  | `vitals_${'request_limit' | 'failed' | 'incomplete'}`;

/** A page that was measured by loading it once. */
export interface MeasuredLoad {
  readonly vitals: Vitals;
  /** The tool and the conditions of the measurement, as a text. */
  readonly instrument: string;
  /** A request of the page was refused. */
  readonly isIncomplete: boolean;
}

/** The result of loading a page once. */
export type PageLoad = MeasuredLoad | { readonly warning: VitalsWarning };

/** Returns the median of each figure, or the mean of the two middle values, over the loads that have it. */
export function medians(loads: readonly Vitals[]): Vitals {
  const told = VITALS.map((name) => [
    name,
    median(
      loads.map((load) => load[name]).filter((one) => one !== null),
      name,
    ),
  ]);
  return Object.fromEntries(told) as Record<keyof Vitals, number | null>;
}

function median(values: readonly number[], name: keyof Vitals): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return rounded(low === undefined || high === undefined ? null : (low + high) / 2, name);
}

/** To whole numbers; shares to four places. */
export function rounded(value: number | null, name: keyof Vitals): number | null {
  const places = name === 'cwv_cls' || name === 'cwv_performance_score' ? 10_000 : 1;
  return value === null ? null : Math.round(value * places) / places;
}
