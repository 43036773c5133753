/** Days that clicks and hits of a crawl are of (mart.crawl_days); null where there are none. */
export interface CrawlDays {
  readonly ranking_from_date: string | null;
  readonly ranking_to_date: string | null;
  readonly log_from_date: string | null;
  readonly log_to_date: string | null;
}

/** Which days clicks and hits are of, or why they are not known. */
export function daysWords(
  days: CrawlDays,
  rows: readonly { readonly clicks: number | null; readonly search_bot_hits: number | null }[],
): string {
  const clicks = rows.every((one) => one.clicks === null)
    ? 'Clicks are not known: no search results of the days of this crawl say them by page.'
    : `Clicks are of ${days.ranking_from_date} to ${days.ranking_to_date}.`;
  const hits = rows.some(({ search_bot_hits }) => search_bot_hits !== null)
    ? `Bot hits are requests of search engines of ${days.log_from_date} to ${days.log_to_date}.`
    : days.log_from_date === null
      ? 'Bot hits are not known: there are no log files of the days of this crawl.'
      : 'Bot hits are not known: the log files do not tell the bots.';
  return `${clicks} ${hits}`;
}
