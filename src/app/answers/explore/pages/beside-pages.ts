import { z } from 'zod';
import type { AskCrawls } from '../chosen-crawls.ts';
import { ANY_FIELD } from './page-differences.ts';

const HITS = [
  'search_bot_hits',
  'google_bot_hits',
  'bing_bot_hits',
  'ai_bot_hits',
  'unverified_bot_hits',
  'visits',
];

/** The data of a page outside `mart.pages`, joined on request. */
export const BESIDES: readonly {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
  /** Returns the join for the crawl that a parameter names. */
  readonly join: (crawl: string, issue: string | undefined) => string;
  /** The SQL of the column's value; by default, the column itself. */
  readonly value?: (column: string) => string;
}[] = [
  {
    name: 'demand',
    columns: { clicks: 'BIGINT', impressions: 'BIGINT', average_position: 'DOUBLE', top_query: 'VARCHAR' },
    join: () =>
      'LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url',
  },
  {
    name: 'hits',
    columns: Object.fromEntries(HITS.map((name) => [name, 'BIGINT'])),
    join: (
      crawl,
    ) => `LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
  CROSS JOIN (SELECT ${HITS.map((name) => `count(${name}) = count(*) AND count(*) > 0 AS ${name}`).join(', ')}
    FROM mart.page_hits WHERE crawl_id = ${crawl}) AS counted`,
    // If hits of other URLs on all the days are known, this URL had none.
    value: (column) => `CASE WHEN hits.url IS NULL AND counted.${column} THEN 0 ELSE hits.${column} END`,
  },
  {
    name: 'issue_count',
    columns: { issues: 'BIGINT' },
    join: (
      crawl,
    ) => `LEFT JOIN (SELECT url, count(*) AS issues FROM mart.page_issues WHERE crawl_id = ${crawl} GROUP BY url) AS issue_count
    ON issue_count.url = pages.url`,
  },
  {
    name: 'action',
    columns: { priority: 'INTEGER' },
    // The given issue, or else the one that matters most on the page.
    join: (crawl, issue) => {
      const actions = `FROM mart.page_actions WHERE crawl_id = ${crawl}`;
      const priorities =
        issue === undefined
          ? `SELECT url, max(priority) AS priority ${actions} GROUP BY url`
          : `SELECT url, priority ${actions} AND issue = $issue`;
      return `LEFT JOIN (${priorities}) AS action\n    ON action.url = pages.url`;
    },
  },
  {
    name: 'ticket',
    columns: { is_ignored: 'BOOLEAN' },
    join: (crawl, issue) =>
      `LEFT JOIN (SELECT DISTINCT url FROM (${ignoredPages(crawl)}) AS ignored${
        issue === undefined ? '' : ' WHERE issue = $issue'
      }) AS ticket ON ticket.url = pages.url`,
    value: () => 'ticket.url IS NOT NULL',
  },
];

/** Returns a SELECT of issue and url: the pages of ignored tickets, for the project of a crawl. */
export function ignoredPages(crawl: string): string {
  return `SELECT DISTINCT pages.issue, pages.url
    FROM mart.ticket_pages AS pages
    JOIN mart.tickets AS tickets ON tickets.ticket_id = pages.ticket_id AND tickets.effective_state = 'ignored'
    JOIN mart.crawls AS crawls ON crawls.crawl_id = ${crawl} AND crawls.project_id = pages.project_id`;
}

/** Columns outside `mart.pages`. Their changes are unknown. */
export const BESIDE_PAGES: ReadonlySet<string> = new Set([
  ...BESIDES.flatMap(({ columns }) => Object.keys(columns)),
  'why',
  'related_url',
  'before',
  'after',
  'reason',
  'moved_to',
  ANY_FIELD,
]);

/** Clicks and hits are shown if days of the crawl have search data and log files. */
export async function trafficColumns(ask: AskCrawls, crawl: string): Promise<readonly string[]> {
  const kinds = await ask(
    z.strictObject({ kind: z.string() }),
    'SELECT DISTINCT kind FROM mart.crawl_days WHERE crawl_id = $crawl ORDER BY kind DESC',
    { crawl },
  );
  return kinds.map(({ kind }) => (kind === 'logs' ? 'search_bot_hits' : 'clicks'));
}
