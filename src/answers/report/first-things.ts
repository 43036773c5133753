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
}

/** What to do first, of the rows of mart.issue_priorities that a condition lets through. */
export function firstThings(condition: string): string {
  return `SELECT found.crawl_id, found.priority, found.issue, found.title, found.severity, found.mended_by, found.pages,
  found.new_pages, found.clicks, found.new_clicks, found.search_bot_hits, found.example, found.fix,
  crawls.previous_crawl_id,  whole.ranking_from_date, whole.ranking_to_date, whole.log_from_date, whole.log_to_date
FROM mart.issue_priorities AS found
JOIN mart.crawls AS crawls ON crawls.crawl_id = found.crawl_id
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
      beside: (one) => ({ below: [`${one.fix}.`, example(one)] }),
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
