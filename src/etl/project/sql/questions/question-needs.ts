import { z } from 'zod';
import { byName } from './question-parameters.ts';

/** What a question may need to return rows (`app/answers/questions/explain-empty.ts` explains each). */
const NEEDS = [
  'pages',
  'links',
  'crawl_before',
  'second_crawl',
  'segments',
  'sitemaps',
  'hreflangs',
  'logs',
  'log_lines',
  'rankings',
  'ranking_days',
  'ranking_queries',
] as const;
export type Need = (typeof NEEDS)[number];
/** Needs that can require several days, with the kind of their days in `mart.crawl_days`. */
export const BY_DAYS: ReadonlyMap<string, 'logs' | 'search'> = new Map([
  ['logs', 'logs'],
  ['log_lines', 'logs'],
  ['rankings', 'search'],
  ['ranking_days', 'search'],
  ['ranking_queries', 'search'],
]);

/** The needs of a question, with their amounts: days for dated data, else 1. */
export type Needs = Readonly<Partial<Record<Need, number>>>;

/** A list of names, or names with nothing or a number of days. */
export const NeedsHeader = z
  .preprocess(
    (value) => byName(value, (_name, least) => least ?? 1),
    z
      .partialRecord(z.enum(NEEDS), z.int().positive())
      .refine((needs) => Object.entries(needs).every(([name, least]) => least === 1 || BY_DAYS.has(name)), {
        error: `only ${[...BY_DAYS.keys()].join(', ')} have a number of days`,
      }),
  )
  .default({});
