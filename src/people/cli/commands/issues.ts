import { onlyCrawl } from '../../../answers/explore/chosen-crawls.ts';
import { type JudgedCrawl, readIssues } from '../../../answers/explore/read-issues.ts';
import { openWarehouse } from '../../../answers/query/open-warehouse.ts';
import { counted } from '../../../core/text/amounts.ts';
import type { Command } from '../command.ts';
import { openInConsole } from '../console-address.ts';
import { printPaged } from '../pager.ts';
import { EXPLORE_FLAGS, endText, formatOf, foundTable, writeFound } from '../reports/explored.ts';

export const issues: Command = {
  name: 'issues',
  summary: 'what is wrong with the pages of a crawl, and what changed since the one before',
  positionals: { shown: '', most: 0 },
  flags: {
    project: { ...EXPLORE_FLAGS.project, help: 'only this project, by name or id' },
    crawl: EXPLORE_FLAGS.crawl,
    format: EXPLORE_FLAGS.format,
    names: EXPLORE_FLAGS.names,
    open: EXPLORE_FLAGS.open,
  },
  async run(invocation) {
    const format = formatOf(invocation);
    const settings = await invocation.settings();
    const asked = { project: invocation.text('project'), crawl: invocation.text('crawl') };
    await using warehouse = await openWarehouse(invocation, settings);
    const crawls = await readIssues(warehouse, asked, invocation.signal);
    const found = crawls.flatMap((crawl) => crawl.issues);
    if (invocation.has('open')) {
      const { project_id, crawl_id } = onlyCrawl(crawls);
      const path = `/projects/${encodeURIComponent(project_id)}/issues`;
      await openInConsole(invocation, settings, `${path}?${new URLSearchParams({ crawl: crawl_id })}`);
    } else if (invocation.has('json')) await invocation.printJson(found);
    else if (format !== 'table') await writeFound(invocation, format, found);
    else {
      const width = invocation.terminal?.width;
      await printPaged(invocation, crawls.map((crawl) => shown(crawl, width)).join('\n'));
      if (crawls.length === 0) invocation.say('No crawl has pages yet.\n');
    }
    return 0;
  },
};

function shown(crawl: JudgedCrawl, width: number | undefined): string {
  const { project, issues, unknown, none } = crawl;
  const since =
    crawl.previous_ended_at === null
      ? 'compared with none'
      : `compared with ${endText(crawl.previous_ended_at)}`;
  const lines = [`${project}, crawl of ${endText(crawl.ended_at)} (${crawl.crawl_id}), ${since}\n`];
  if (issues.length > 0)
    lines.push(
      foundTable(
        issues.map(({ severity, issue, title, pages, new: added, fixed }) => {
          return { severity, issue, title, pages, new: added, fixed };
        }),
        width,
      ),
    );
  const rest = [`${counted(none, 'issue')} on no page`];
  if (unknown > 0)
    rest.push(`${counted(unknown, 'issue')} not known: their fields, hits or search results are not loaded`);
  lines.push(`${rest.join(', ')}.\n`);
  return lines.join('');
}
