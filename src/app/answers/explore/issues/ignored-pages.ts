import { z } from 'zod';
import { loadTickets } from '../../../../etl/project/settings/tickets/tickets.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';
import { asking } from '../chosen-crawls.ts';
import { urlsOf } from '../page-segments.ts';
import { ignoredPages } from '../pages/beside-pages.ts';
import type { IssueList } from './issue-list.ts';

const Ignored = z.strictObject({ issue: z.string(), pages: z.number() });

/** Adds the number of ignored pages to each issue. A project that ignores nothing needs no statement. */
export async function withIgnored(
  list: IssueList,
  projectDir: string,
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<IssueList> {
  const tickets = await loadTickets(projectDir);
  if (tickets.every(({ state }) => state !== 'ignored')) return list;
  const { crawl_id: crawl, segmentation, segment } = list;
  const inSegment = urlsOf('found', { segmentation, segment }, '$crawl');
  const rows = await asking(warehouse, signal)(
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
  const of = new Map(rows.map(({ issue, pages }) => [issue, pages]));
  return { ...list, issues: list.issues.map((one) => ({ ...one, ignored: of.get(one.issue) ?? 0 })) };
}
