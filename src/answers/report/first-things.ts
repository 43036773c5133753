import type { CrawlDays } from '../../project/model/shown/days-words.ts';

/** An issue of some pages, by how much it matters (mart.issue_priorities); counts of a warehouse may be bigint. */
export interface FirstThing extends CrawlDays {
  readonly issue: string;
  readonly title: string;
  readonly severity: string;
  readonly mended_by: string;
  readonly fix: string;
  readonly priority: number;
  readonly pages: number;
  /** Null where it is not known, as in the next. */
  readonly new_pages: number | null;
  readonly clicks: number | null;
  readonly new_clicks: number | null;
  readonly search_bot_hits: number | null;
  readonly example: string;
}

/** What to do first, of the rows of mart.issue_priorities that a condition lets through. */
export function firstThings(condition: string): string {
  return `SELECT found.crawl_id, found.priority, found.issue, found.title, found.severity, found.mended_by, found.pages,
  found.new_pages, found.clicks, found.new_clicks, found.search_bot_hits, found.example, found.fix,
  whole.ranking_from_date, whole.ranking_to_date, whole.log_from_date, whole.log_to_date
FROM mart.issue_priorities AS found
JOIN mart.crawl_segments AS whole
  ON whole.crawl_id = found.crawl_id AND whole.segmentation = found.segmentation AND whole.segment = found.segment
WHERE ${condition}
ORDER BY found.crawl_id, found.priority DESC, CASE found.severity WHEN 'high' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END,
  found.pages DESC, found.issue`;
}

/** Rows of `firstThings` as they come from a warehouse. */
export function firstThingsOf(rows: readonly Readonly<Record<string, unknown>>[]): FirstThing[] {
  const count = (value: unknown): number | null => (value === null ? null : Number(value));
  return rows.map((row) => ({
    ...(row as unknown as FirstThing),
    priority: Number(row.priority),
    pages: Number(row.pages),
    new_pages: count(row.new_pages),
    clicks: count(row.clicks),
    new_clicks: count(row.new_clicks),
    search_bot_hits: count(row.search_bot_hits),
  }));
}
