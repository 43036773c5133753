import { countText } from '../../core/text/amounts.ts';
import { type Link, line, type ShownValue, tableOf } from '../../project/model/shown/blocks.ts';
import { type CrawlDays, daysWords } from '../../project/model/shown/days-words.ts';
import { severityTone } from './marks.ts';

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
  /** Null where there is no crawl to compare with. */
  readonly previous_crawl_id: string | null;
  readonly search_bot_hits: number | null;
  readonly example: string;
  /** Issues of the same cause that all its pages have too; null where there is none. */
  readonly within?: readonly string[] | null;
  /** Of these issues the first is above it: it is the same cause, seen elsewhere. */
  readonly seenAs?: readonly FirstThing[];
}

/** A page has one reason not to be indexable: of two of these on the same pages, the cause is the same. */
const OF_ONE_REASON = `
  became_non_indexable robots_denied no_answer linked_redirect client_error server_error other_status noindex canonicalised
  service_not_indexable robots_denied_in_sitemap redirect_in_sitemap error_in_sitemap noindex_in_sitemap
  canonicalised_in_sitemap client_error_with_demand demand_not_indexable robots_denied_with_demand
  bots_on_non_indexable`;

/** What to do first, of the rows of mart.issue_priorities that a condition lets through. */
export function firstThings(condition: string): string {
  return `WITH found AS (SELECT * FROM mart.issue_priorities AS found WHERE ${condition}),
reason AS (SELECT crawl_id, url, issue FROM mart.page_issues
  WHERE issue IN ('${OF_ONE_REASON.trim().split(/\s+/).join("', '")}') AND crawl_id IN (SELECT crawl_id FROM found)),
within AS (SELECT crawl_id, issue, array_agg(wider ORDER BY wider) AS within
  FROM (SELECT own.crawl_id, own.issue, wider.issue AS wider
    FROM reason AS own
    JOIN (SELECT crawl_id, issue, count(*) AS pages FROM reason GROUP BY crawl_id, issue) AS whole
      ON whole.crawl_id = own.crawl_id AND whole.issue = own.issue
    JOIN reason AS wider ON wider.crawl_id = own.crawl_id AND wider.url = own.url AND wider.issue <> own.issue
    GROUP BY own.crawl_id, own.issue, wider.issue HAVING count(*) = max(whole.pages)) AS pair
  GROUP BY crawl_id, issue)
SELECT found.crawl_id, found.priority, found.issue, found.title, found.severity, found.mended_by, found.pages,
  found.new_pages, found.clicks, found.new_clicks, found.search_bot_hits, found.example, found.fix,
  crawls.previous_crawl_id, within.within, whole.ranking_from_date, whole.ranking_to_date, whole.log_from_date, whole.log_to_date
FROM found
JOIN mart.crawls AS crawls ON crawls.crawl_id = found.crawl_id
JOIN mart.crawl_segments AS whole
  ON whole.crawl_id = found.crawl_id AND whole.segmentation = found.segmentation AND whole.segment = found.segment
LEFT JOIN within ON within.crawl_id = found.crawl_id AND within.issue = found.issue
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

/** One row for each cause: what is the same one, seen elsewhere, is said below the first of it. */
export function firstCauses(rows: readonly FirstThing[]): FirstThing[] {
  const causes: (FirstThing & { seenAs: FirstThing[] })[] = [];
  for (const row of rows) {
    const first = causes.find(({ issue }) => row.within?.includes(issue));
    if (first === undefined) causes.push({ ...row, seenAs: [] });
    else first.seenAs.push(row);
  }
  return causes;
}

/** Whose issues they are: the project, and the filter of all their pages; null where the project is not known. */
export type JudgedPages = Pick<Extract<Link, { to: 'pages' }>, 'project_id' | 'parts'> | null;

/** The first things to do, each with what is behind its place, and how that comes about. */
export function firstThingsBlocks(rows: readonly FirstThing[], name: string, judged: JudgedPages) {
  const pages = (value: number | string | null, issue: string, change?: 'new'): ShownValue => ({
    value,
    link:
      value === 0 ? null : judged && { ...judged, to: 'pages', parts: { ...judged.parts, issue, change } },
  });
  const example = ({ example: address }: FirstThing): ShownValue => ({
    value: address,
    link: judged && { to: 'web', address },
  });
  const table = tableOf<FirstThing>(
    `What to do first of ${name}`,
    [
      { name: 'priority', only: 'terminal', of: ({ priority }) => priority },
      { name: 'issue', only: 'terminal', of: ({ issue }) => issue },
      { name: 'issue', only: 'browser', of: ({ issue, title }) => pages(title, issue) },
      { name: 'severity', kind: 'severity', of: ({ severity }) => severity },
      { name: 'mended_by', of: ({ mended_by }) => mended_by },
      { name: 'pages', kind: 'count', of: (one) => pages(one.pages, one.issue) },
      { name: 'new', kind: 'count', of: (one) => pages(one.new_pages, one.issue, 'new') },
      { name: 'clicks', kind: 'count', of: ({ clicks }) => clicks },
      { name: 'bot_hits', kind: 'count', of: ({ search_bot_hits }) => search_bot_hits },
      {
        ...{ name: 'priority', kind: 'weight', only: 'browser' },
        of: ({ priority, severity }) => ({ value: priority, tone: severityTone(severity) }),
      },
      { name: 'example', only: 'terminal', of: example },
    ],
    rows,
    {
      ...{ names: 'columns', unknown: 'not known', empty: 'No issue was found.' },
      beside: ({ seenAs = [], ...one }) => {
        const elsewhere = seenAs.map((also) =>
          pages(`${countText(also.pages)} of them: ${also.title}`, also.issue),
        );
        return { below: [`${one.fix}.`, ...elsewhere, example(one)] };
      },
    },
  );
  const [first] = rows;
  return { table, notes: first === undefined ? [] : [line(formula(first, rows))] };
}

/** How a priority comes about, of which days it is, and what it lacks. */
function formula(first: FirstThing, rows: readonly FirstThing[]): string {
  const fresh =
    first.previous_crawl_id === null
      ? ' New pages are not known: there is no crawl to compare with.'
      : rows.some(({ new_pages }) => new_pages === null)
        ? ' New pages are not known of issues that differ by days or by a sample, or that the crawl before can not tell.'
        : '';
  return `Priority, 0 to 100: weight of the severity (high 1, medium 0.6, low 0.3) × (35 clicks + 20 pages + 20 new pages + 15 bot hits + 10 inrank); clicks, pages and hits by the logarithm of the share of all, new pages by their share of the pages. What is not known is left out, and the other parts count for more. ${daysWords(first, rows)}${fresh}`;
}
