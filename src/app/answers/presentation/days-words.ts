import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';

/** The days of the clicks and hits of a crawl (mart.crawl_days); null if there are none. */
export const CrawlDays = z.strictObject({
  ranking_from_date: z.string().nullable(),
  ranking_to_date: z.string().nullable(),
  log_from_date: z.string().nullable(),
  log_to_date: z.string().nullable(),
});
export type CrawlDays = Typed<typeof CrawlDays>;

/** Returns the days of clicks and hits, or why they are unknown. */
export function daysWords(
  days: CrawlDays,
  rows: readonly { readonly clicks: number | null; readonly search_bot_hits: number | null }[],
): string {
  const clicks = rows.every((row) => row.clicks === null)
    ? 'Clicks are unknown: no search results for the days of this crawl have clicks by page.'
    : `Clicks: ${days.ranking_from_date} to ${days.ranking_to_date}.`;
  const hits = rows.some(({ search_bot_hits }) => search_bot_hits !== null)
    ? `Bot hits: requests of search engines, ${days.log_from_date} to ${days.log_to_date}.`
    : days.log_from_date === null
      ? 'Bot hits are unknown: there are no log files for the days of this crawl.'
      : 'Bot hits are unknown: the log files do not identify bots.';
  return `${clicks} ${hits}`;
}
