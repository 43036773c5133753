import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { FoundIssue } from '../../answers/explore/issues/found-issue.ts';
import { Count, UnitCounts } from '../layout/unit-counts.ts';
import { FigureAnswer } from './answer-figure.ts';

export const NamedCrawl = z.strictObject({
  crawl_id: z.string(),
  crawl_number: Count.nullable(),
  ended_at: z.string().nullable(),
});

export const CrawlRecord = z.strictObject({
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
  /** Whether other crawls can be compared with it: it is complete, or ended at its depth limit. */
  is_comparable: z.boolean().nullable(),
  /** Why the crawl does not cover the whole site; null if it does. */
  scope_note: z.string().nullable(),
  is_main: z.boolean().nullable(),
  fetched_urls: Count.nullable(),
  pages: Count.nullable(),
  /** The crawl that the figures are compared with. */
  previous_crawl_id: z.string().nullable(),
});
export type CrawlRecord = Typed<typeof CrawlRecord>;

export const CrawlPage = z.strictObject({
  ...CrawlRecord.shape,
  compared: NamedCrawl.nullable(),
  /** The adjacent crawls of its configuration, by number. */
  before: NamedCrawl.nullable(),
  after: NamedCrawl.nullable(),
  /** Issues of pages of this or the previous crawl, most severe first; null if unknown. */
  issues: z.array(FoundIssue).nullable(),
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
export type CrawlPage = Typed<typeof CrawlPage>;
