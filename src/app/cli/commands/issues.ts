import type { CatalogReader } from '../../../etl/state/catalog/catalog.ts';
import { asking, onlyCrawl } from '../../answers/explore/chosen-crawls.ts';
import { ignoredCounts, withIgnored } from '../../answers/explore/issues/ignored-pages.ts';
import { issueBlocks } from '../../answers/explore/issues/issue-blocks.ts';
import { readIssueList, readIssueSubjects, withTickets } from '../../answers/explore/issues/issue-list.ts';
import { ticketsByIssue } from '../../answers/explore/issues/issue-tickets.ts';
import { type JudgedCrawl, readIssues } from '../../answers/explore/issues/read-issues.ts';
import { segmentParts } from '../../answers/explore/page-segments.ts';
import { type Block, section } from '../../answers/presentation/blocks.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import type { Command } from '../command.ts';
import { openInConsole } from '../console-address.ts';
import { printPaged } from '../pager.ts';
import { printDocument } from '../reports/documents.ts';
import { EXPLORE_FLAGS, formatOf, ROWS_FLAGS, SEGMENT_FLAGS, writeFound } from '../reports/explored.ts';

export const issues: Command = {
  name: 'issues',
  summary: 'list the issues of a crawl, and what changed since the previous crawl',
  flags: {
    project: { ...EXPLORE_FLAGS.project, help: 'only this project, by name or id' },
    crawl: EXPLORE_FLAGS.crawl,
    ...SEGMENT_FLAGS,
    ...ROWS_FLAGS,
  },
  async run(invocation) {
    const format = formatOf(invocation);
    const settings = await invocation.settings();
    const [project, crawl] = [invocation.text('project'), invocation.text('crawl')];
    const asked = { segment: invocation.text('segment'), segmentation: invocation.text('segmentation') };
    await using warehouse = await openWarehouse(invocation, settings);
    const crawls = await readIssues(warehouse, { project, crawl, ...asked }, invocation.signal);
    const found = () => foundIssues(crawls, settings.projectDir, warehouse, invocation.signal);
    if (invocation.has('open')) {
      const { project_id, crawl_id, ...within } = onlyCrawl(crawls);
      const query = new URLSearchParams({ crawl: crawl_id, ...segmentParts(within) });
      await openInConsole(
        invocation,
        settings,
        `/projects/${encodeURIComponent(project_id)}/issues?${query}`,
      );
    } else if (invocation.has('json')) await printDocument(invocation, 'issues', await found());
    else if (format !== 'table') await writeFound(invocation, format, await found());
    else {
      const blocks = await blocksOf(crawls, settings.projectDir, warehouse, invocation.signal);
      await printPaged(invocation, printBlocks(blocks, { width: invocation.terminal?.width }));
      if (crawls.length === 0) invocation.say('No crawl has pages yet.\n');
    }
    return 0;
  },
};

/** Returns the issues of crawls, with their tickets and ignored pages. */
async function foundIssues(
  crawls: readonly JudgedCrawl[],
  projectDir: string,
  warehouse: CatalogReader,
  signal: AbortSignal,
) {
  const found = [];
  for (const crawl of crawls) {
    const ignored = await ignoredCounts(crawl, projectDir, asking(warehouse, signal));
    const tickets = await ticketsByIssue(crawl, projectDir, asking(warehouse, signal));
    for (const issue of crawl.issues)
      found.push({
        ...issue,
        ignored: ignored?.get(issue.issue) ?? 0,
        tickets: tickets.get(issue.issue) ?? [],
      });
  }
  return found;
}

/** Renders issues. Sums by subject are shown only for a single crawl, because they read every page. */
async function blocksOf(
  crawls: readonly JudgedCrawl[],
  projectDir: string,
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (const crawl of crawls) {
    const listed = await readIssueList(warehouse, crawl, signal);
    const tickets = await ticketsByIssue(crawl, projectDir, asking(warehouse, signal));
    const list = withTickets(await withIgnored(listed, projectDir, asking(warehouse, signal)), tickets);
    const subjects = crawls.length === 1 ? await readIssueSubjects(warehouse, list, signal) : null;
    const { caption, scope, sum, table, notes } = issueBlocks({ ...list, subjects });
    blocks.push(section(null, caption, ...scope, sum, table, ...notes));
  }
  return blocks;
}
