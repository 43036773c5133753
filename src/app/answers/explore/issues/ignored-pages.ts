import { z } from 'zod';
import { loadTickets } from '../../../../etl/project/settings/tickets/tickets.ts';
import type { AskCrawls } from '../chosen-crawls.ts';
import { urlsOf } from '../page-segments.ts';
import { ignoredPages } from '../pages/beside-pages.ts';
import type { IssueList } from './issue-list.ts';
import type { JudgedCrawl } from './read-issues.ts';

type IgnoredIn = Pick<JudgedCrawl, 'crawl_id' | 'segmentation' | 'segment'>;

const Ignored = z.strictObject({ issue: z.string(), pages: z.number() });

/**
 * Counts the pages of ignored tickets by issue. Returns null without running a statement if tickets.yaml ignores
 * nothing.
 */
export async function ignoredCounts(
  { crawl_id: crawl, segmentation, segment }: IgnoredIn,
  projectDir: string,
  ask: AskCrawls,
): Promise<ReadonlyMap<string, number> | null> {
  const tickets = await loadTickets(projectDir);
  if (tickets.every(({ state }) => state !== 'ignored')) return null;
  const inSegment = urlsOf('found', { segmentation, segment }, '$crawl');
  const rows = await ask(
    Ignored,
    `SELECT found.issue, count(*) AS pages
     FROM mart.page_issues AS found
     JOIN (${ignoredPages('$crawl')}) AS ignored ON ignored.issue = found.issue AND ignored.url = found.url
     WHERE found.crawl_id = $crawl ${inSegment}
     GROUP BY found.issue`,
    {
      crawl,
      ...(segmentation !== '(site)' && { segment }),
      ...(inSegment.includes('$segmentation') && { segmentation }),
    },
  );
  return new Map(rows.map(({ issue, pages }) => [issue, pages]));
}

/** Adds the number of ignored pages to each issue. */
export async function withIgnored(list: IssueList, projectDir: string, ask: AskCrawls): Promise<IssueList> {
  const counts = await ignoredCounts(list, projectDir, ask);
  if (counts === null) return list;
  return {
    ...list,
    issues: list.issues.map((issue) => ({ ...issue, ignored: counts.get(issue.issue) ?? 0 })),
  };
}
