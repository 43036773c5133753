import { z } from 'zod';
import type { FoundIssue } from '../../../answers/explore/issues/read-issues.ts';
import { Count, UnitCounts } from '../layout/counts.ts';
import { FigureAnswer } from './answer-figure.ts';

export const NamedCrawl = z.strictObject({
  crawl_id: z.string(),
  crawl_number: Count.nullable(),
  ended_at: z.string().nullable(),
});

const FoundIssues = z.record(z.string(), z.unknown()) as unknown as z.ZodType<FoundIssue>;

export const CrawlPage = z.strictObject({
  crawl_id: z.string(),
  project_id: z.string().nullable(),
  project_name: z.string().nullable(),
  crawl_config_id: z.string().nullable(),
  crawl_config_name: z.string().nullable(),
  crawl_number: Count.nullable(),
  status: z.string().nullable(),
  created_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  end_reason: z.string().nullable(),
  is_complete: z.boolean().nullable(),
  /** Whether other crawls may be compared with it: it is complete, or ended by its limit of depth. */
  is_comparable: z.boolean().nullable(),
  /** Why it does not cover the whole site; null where it does. */
  scope_note: z.string().nullable(),
  is_main: z.boolean().nullable(),
  fetched_urls: Count.nullable(),
  pages: Count.nullable(),
  /** The one that the figures are compared with. */
  previous_crawl_id: z.string().nullable(),
  compared: NamedCrawl.nullable(),
  /** Of its configuration, by their numbers. */
  before: NamedCrawl.nullable(),
  after: NamedCrawl.nullable(),
  /** With pages that have them, or had them in the crawl before, the severest first; null where nobody knows. */
  issues: z.array(FoundIssues).nullable(),
  units: z.array(
    z.strictObject({
      unit: z.string(),
      status: z.string(),
      route: z.string().nullable(),
      ...UnitCounts.omit({ staged: true }).shape,
      error: z.string().nullable(),
    }),
  ),
  first: FigureAnswer,
  figures: FigureAnswer,
  changes: FigureAnswer,
  statuses: FigureAnswer,
  funnel: FigureAnswer,
});
export type CrawlPage = z.infer<typeof CrawlPage>;
