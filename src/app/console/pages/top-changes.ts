import { z } from 'zod';
import { counted } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import { pagesAddress } from '../../answers/explore/pages/page-filter.ts';
import { ISSUES_OF_ONE_REASON } from '../../answers/report/first-things.ts';
import { inTime } from '../page-parts/answer-figure.ts';
import type { Readers } from '../readers/readers.ts';

const MOST = 2;

/** An issue that pages have since the previous crawl. */
export const TopChange = z.strictObject({
  issue: z.string(),
  title: z.string(),
  /** Titles of further issues that are new on exactly these pages, for the same reason. */
  also: z.array(z.string()),
  pages: z.number(),
  /** Clicks on these pages; null if unknown. */
  clicks: z.number().nullable(),
  /** The number of days of the clicks. */
  days: z.number(),
});
export type TopChange = Typed<typeof TopChange>;

const ChangeRow = z.object({
  ...TopChange.omit({ also: true }).shape,
  /** Further issues that are new on exactly these pages; null if there are none. */
  same: z.array(z.string()).nullable(),
});
type ChangeRow = Typed<typeof ChangeRow>;

/** Selects the issues of some crawls that have new pages, those with the highest priority first. */
const changesOf = (crawls: string): string => `WITH found AS (
  SELECT crawl_id, issue, title, severity, priority, pages, new_pages, new_clicks FROM mart.issue_priorities
  WHERE crawl_id IN (${crawls}) AND segmentation = '(site)' AND new_pages > 0),
fresh AS (SELECT found.crawl_id, found.issue, found.new_pages, rows.url
  FROM found
  JOIN mart.page_issue_changes AS rows ON rows.crawl_id = found.crawl_id AND rows.issue = found.issue
  WHERE rows.change = 'new' AND rows.issue IN (${ISSUES_OF_ONE_REASON}) AND rows.crawl_id IN (${crawls})),
same AS (SELECT crawl_id, issue, array_agg(other ORDER BY other) AS same
  FROM (SELECT own.crawl_id, own.issue, other.issue AS other
    FROM fresh AS own
    JOIN fresh AS other ON other.crawl_id = own.crawl_id AND other.url = own.url AND other.issue <> own.issue
      AND other.new_pages = own.new_pages
    GROUP BY own.crawl_id, own.issue, other.issue, own.new_pages HAVING count(*) = own.new_pages) AS pair
  GROUP BY crawl_id, issue)
SELECT found.crawl_id, found.issue, found.title, found.new_pages AS pages, found.new_clicks AS clicks,
  whole.ranking_days AS days, same.same
FROM found
JOIN mart.crawl_segments AS whole ON whole.crawl_id = found.crawl_id AND whole.segmentation = '(site)'
LEFT JOIN same ON same.crawl_id = found.crawl_id AND same.issue = found.issue
ORDER BY found.crawl_id, found.priority DESC, CASE found.severity WHEN 'high' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END,
  found.pages DESC, found.issue`;

/**
 * Reads the most important changes of some crawls since their previous crawls, by crawl. A crawl without any has no
 * entry.
 *
 * @returns null while they are being read
 */
export async function readTopChanges(
  readers: Readers,
  crawls: readonly string[],
  isPatient: boolean,
): Promise<ReadonlyMap<string, readonly TopChange[]> | null> {
  if (crawls.length === 0) return new Map();
  const named = crawls.map((id, index) => [`c${index}`, id] as const);
  const sql = changesOf(named.map(([name]) => `$${name}`).join(', '));
  const read = readers.once(`changes: ${JSON.stringify(crawls)}`, () =>
    readers.lanes.slowPages.run(() => readers.rows(sql, readers.closing, new Map(named))),
  );
  const rows = await inTime(read, isPatient);
  if (rows === null) return null;
  const byCrawl = Map.groupBy(rows, ({ crawl_id }) => String(crawl_id));
  return new Map([...byCrawl].map(([crawl, own]) => [crawl, topChanges(typedRows(ChangeRow, own))]));
}

/**
 * Returns the changes with the most clicks at risk, then those with the highest priority.
 *
 * @param rows of one crawl, the highest priority first
 */
function topChanges(rows: readonly ChangeRow[]): readonly TopChange[] {
  return rows
    .filter(({ issue }, place) => !rows.slice(0, place).some(({ same }) => same?.includes(issue)))
    .toSorted((a, b) => (b.clicks ?? 0) - (a.clicks ?? 0))
    .slice(0, MOST)
    .map(({ same, issue, title, pages, clicks, days }) => {
      const also = rows.filter((other) => same?.includes(other.issue)).map((other) => other.title);
      return { issue, title, also, pages, clicks, days };
    });
}

/** Returns the changes as sentences, each with a link to its pages. */
export function drawTopChanges(project: string, crawl: string, changes: readonly TopChange[]): Html {
  const line = ({ issue, title, also, pages, clicks, days }: TopChange): Html => {
    const href = pagesAddress(project, { crawl, issue, change: 'new', sort: 'clicks desc' });
    const risk = clicks === null ? null : `: ${counted(clicks, 'click')} in ${counted(days, 'day')}`;
    return html`<li>${title}${also.length > 0 && ` (also: ${also.join(', ')})`} on <a href="${href}">${counted(pages, 'page')}</a>${risk}</li>\n`;
  };
  return html`<p class="facts">Since the previous crawl:</p>
<ul class="changes">${changes.map(line)}</ul>
`;
}
