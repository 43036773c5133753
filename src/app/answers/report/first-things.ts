import { z } from 'zod';
import { countText } from '../../../core/text/amounts.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import { type Link, line, type ShownValue, tableOf } from '../presentation/blocks.ts';
import { CrawlDays, daysWords } from '../presentation/days-words.ts';
import { severityTone } from '../presentation/marks.ts';

/** An issue of some pages, by its priority (mart.issue_priorities). */
const FirstThingRow = z.object({
  ...CrawlDays.shape,
  issue: z.string(),
  title: z.string(),
  severity: z.string(),
  owner: z.string(),
  fix: z.string(),
  priority: z.number(),
  pages: z.number(),
  /** Null if unknown. Also applies to the next fields. */
  new_pages: z.number().nullable(),
  clicks: z.number().nullable(),
  new_clicks: z.number().nullable(),
  /** Null if there is no crawl to compare with. */
  previous_crawl_id: z.string().nullable(),
  search_bot_hits: z.number().nullable(),
  example: z.string(),
  /** Issues with the same cause that all its pages also have; null if there are none. */
  within: z.array(z.string()).nullable(),
});

export interface FirstThing extends Typed<typeof FirstThingRow> {
  /** Further issues with the same cause, shown below this one. */
  readonly seenAs?: readonly FirstThing[];
}

/** A page has only one reason why it is not indexable, so two of these issues on the same pages have the same cause. */
export const ISSUES_OF_ONE_REASON = `'${`
  became_non_indexable robots_denied no_answer linked_redirect client_error server_error other_status noindex canonicalised
  service_not_indexable robots_denied_in_sitemap redirect_in_sitemap error_in_sitemap noindex_in_sitemap
  canonicalised_in_sitemap client_error_with_demand demand_not_indexable robots_denied_with_demand
  bots_on_non_indexable`
  .trim()
  .split(/\s+/)
  .join("', '")}'`;

/** Selects the first things to do from the rows of mart.issue_priorities that meet a condition. */
export function firstThings(condition: string): string {
  return `WITH found AS (SELECT * FROM mart.issue_priorities AS found WHERE ${condition}),
reason AS (SELECT crawl_id, url, issue FROM mart.page_issues
  WHERE issue IN (${ISSUES_OF_ONE_REASON}) AND crawl_id IN (SELECT crawl_id FROM found)),
within AS (SELECT crawl_id, issue, array_agg(wider ORDER BY wider) AS within
  FROM (SELECT own.crawl_id, own.issue, wider.issue AS wider
    FROM reason AS own
    JOIN (SELECT crawl_id, issue, count(*) AS pages FROM reason GROUP BY crawl_id, issue) AS whole
      ON whole.crawl_id = own.crawl_id AND whole.issue = own.issue
    JOIN reason AS wider ON wider.crawl_id = own.crawl_id AND wider.url = own.url AND wider.issue <> own.issue
    GROUP BY own.crawl_id, own.issue, wider.issue HAVING count(*) = max(whole.pages)) AS pair
  GROUP BY crawl_id, issue)
SELECT found.crawl_id, found.priority, found.issue, found.title, found.severity, found.owner, found.mended_by, found.pages,
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

/** Converts rows of `firstThings` from a warehouse. */
export const firstThingsOf = (rows: readonly unknown[]): readonly FirstThing[] =>
  typedRows(FirstThingRow, rows);

/** Groups rows by cause: further issues of the same cause go below the first. */
export function firstCauses(rows: readonly FirstThing[]): FirstThing[] {
  const causes: (FirstThing & { seenAs: FirstThing[] })[] = [];
  for (const row of rows) {
    const first = causes.find(({ issue }) => row.within?.includes(issue));
    if (first === undefined) causes.push({ ...row, seenAs: [] });
    else first.seenAs.push(row);
  }
  return causes;
}

/** The project and the filter of all pages of the issues; null if the project is unknown. */
export type JudgedPages = Pick<Extract<Link, { to: 'pages' }>, 'project_id' | 'parts'> | null;

/** Shows the first things to do, each with the figures of its priority and how they are computed. */
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
      { name: 'owner', of: ({ owner }) => owner },
      { name: 'pages', kind: 'count', of: (thing) => pages(thing.pages, thing.issue) },
      { name: 'new', kind: 'count', of: (thing) => pages(thing.new_pages, thing.issue, 'new') },
      { name: 'clicks', kind: 'count', isOptional: true, of: ({ clicks }) => clicks },
      { name: 'bot_hits', kind: 'count', isOptional: true, of: ({ search_bot_hits }) => search_bot_hits },
      {
        name: 'priority',
        kind: 'weight',
        only: 'browser',
        of: ({ priority, severity }) => ({ value: priority, tone: severityTone(severity) }),
      },
      { name: 'example', only: 'terminal', of: example },
    ],
    rows,
    {
      names: 'columns',
      unknown: 'unknown',
      empty: 'No issue was found.',
      beside: ({ seenAs = [], ...one }) => {
        const elsewhere = seenAs.map((also) =>
          pages(`${countText(also.pages)} of these pages: ${also.title}`, also.issue),
        );
        return { below: [`${one.fix}.`, ...elsewhere, example(one)] };
      },
    },
  );
  const [first] = rows;
  return { table, notes: first === undefined ? [] : [line(formula(first, rows))] };
}

/** Returns how a priority is computed, of which days, and which figures it lacks. */
function formula(first: FirstThing, rows: readonly FirstThing[]): string {
  const fresh =
    first.previous_crawl_id === null
      ? ' New pages are unknown: there is no previous crawl.'
      : rows.some(({ new_pages }) => new_pages === null)
        ? ' New pages are unknown for issues that depend on days or on a sample, or that the previous crawl cannot show.'
        : '';
  return `Priority, 0 to 100: weight of the severity (high 1, medium 0.6, low 0.3) × (35 clicks + 20 pages + 20 new pages + 15 bot hits + 10 inrank); clicks, pages and hits by the logarithm of the share of all, new pages by their share of all pages. Unknown parts are left out, and the other parts count for more. ${daysWords(first, rows)}${fresh}`;
}
