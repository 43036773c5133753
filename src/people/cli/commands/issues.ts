import { type FoundIssue, type JudgedCrawl, readIssues } from '../../../answers/explore/read-issues.ts';
import { openWarehouse } from '../../../answers/query/open-warehouse.ts';
import { counted } from '../../../core/amounts.ts';
import { textTable } from '../../../core/text-table.ts';
import type { Command } from '../command.ts';

export const issues: Command = {
  name: 'issues',
  summary: 'what is wrong with the pages of a crawl, and what changed since the one before',
  positionals: { shown: '', most: 0 },
  flags: {
    project: { type: 'string', value: 'PROJECT', help: 'only this project, by name or id' },
    crawl: {
      type: 'string',
      value: 'CRAWL',
      help: 'an identifier, latest, previous, -N or a day (the main crawl)',
    },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const asked = { project: invocation.text('project'), crawl: invocation.text('crawl') };
    await using warehouse = await openWarehouse(invocation, settings);
    const crawls = await readIssues(warehouse, asked, invocation.signal);
    if (invocation.has('json')) {
      await invocation.printJson(crawls.flatMap((crawl) => crawl.issues));
      return 0;
    }
    for (const [index, crawl] of crawls.entries()) {
      const width = invocation.terminal?.width ?? null;
      await invocation.print(`${index === 0 ? '' : '\n'}${shown(crawl, width)}`);
    }
    if (crawls.length === 0) invocation.say('No crawl has pages yet.\n');
    return 0;
  },
};

function shown(crawl: JudgedCrawl, width: number | null): string {
  const { project, issues, unknown, none } = crawl;
  const end = (time: string | null): string =>
    time === null ? 'an unknown day' : `${time.slice(0, 16).replace('T', ' ')} UTC`;
  const since =
    crawl.previous_ended_at === null ? 'the first one' : `compared with ${end(crawl.previous_ended_at)}`;
  const lines = [`${project}, crawl of ${end(crawl.ended_at)} (${crawl.crawl_id}), ${since}\n`];
  if (issues.length > 0)
    lines.push(
      textTable(['severity', 'issue', 'title', 'pages', 'new', 'fixed'], issues.map(cells), {
        width,
        below: ['title'],
      }),
    );
  const rest = [`${counted(none, 'issue')} on no page`];
  if (unknown > 0)
    rest.push(`${counted(unknown, 'issue')} not known: the export lacks a field that shows them`);
  lines.push(`${rest.join(', ')}.\n`);
  return lines.join('');
}

const cells = ({ severity, issue, title, pages, new: added, fixed }: FoundIssue) =>
  [severity, issue, title, pages, added, fixed] as const;
