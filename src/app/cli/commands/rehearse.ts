import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { type Rehearsal, readRehearsal } from '../../answers/explore/rehearse/read-rehearsal.ts';
import { rehearsalBlocks } from '../../answers/explore/rehearse/rehearsal-blocks.ts';
import { rehearsalCommand } from '../../answers/explore/rehearse/rehearsal-command.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import type { Command, Invocation } from '../command.ts';
import { readFlagFile } from '../flag-values.ts';
import { printPaged } from '../pager.ts';
import { EXPLORE_FLAGS, formatOf, partOf, ROWS_FLAGS, writePart } from '../reports/explored.ts';

const PARTS = {
  figures: ({ figures }) => figures,
  agents: ({ agents }) => agents,
  pages: ({ pages }) => pages,
  sitemaps: ({ sitemaps }) => sitemaps,
  links: ({ links }) => links,
  redirects: ({ redirects }) => redirects,
} as const satisfies Readonly<Record<string, (rehearsal: Rehearsal) => readonly object[]>>;

export const rehearse: Command = {
  name: 'rehearse',
  summary: 'show what a change would do to the pages of a crawl, and change nothing',
  flags: {
    robots: { value: 'FILE', help: 'a new robots.txt of the host of the start page' },
    remove: {
      value: 'CONDITION',
      help: `pages with this SQL condition answer 404 or 410, as in "url LIKE '%/sale/%'"`,
    },
    noindex: { value: 'CONDITION', help: 'pages with this SQL condition get noindex' },
    redirects: {
      value: 'FILE',
      help: 'new redirects: a CSV file with the columns from, to and optionally status',
    },
    ...EXPLORE_FLAGS,
    part: { value: 'PART', values: Object.keys(PARTS), help: 'only one of' },
    format: ROWS_FLAGS.format,
    names: ROWS_FLAGS.names,
    sql: { help: 'print the SQL statements whose rows are judged' },
  },
  async run(invocation) {
    const { kind, given } = namedChange(invocation);
    const part = partOf(invocation, PARTS);
    const format = formatOf(invocation);
    const settings = await invocation.settings();
    const change =
      kind === 'robots' || kind === 'redirects'
        ? { kind, given, content: await readFlagFile(invocation, kind, given) }
        : { kind, given };
    await using warehouse = await openWarehouse(invocation, settings);
    const asked = { project: invocation.text('project'), crawl: invocation.text('crawl'), change };
    const rehearsal = await readRehearsal(warehouse, asked, invocation.signal);
    if (invocation.has('json')) await invocation.printJson(rehearsal);
    else if (invocation.has('sql'))
      await invocation.write(rehearsal.sql.map(({ name, sql }) => `-- ${name}\n${sql};\n`).join('\n'));
    else if (part !== null) await writePart(invocation, format, part(rehearsal));
    else {
      const width = invocation.terminal?.width;
      const blocks = rehearsalBlocks(rehearsal, rehearsalCommand(change, asked));
      await printPaged(invocation, printBlocks(blocks, { width }));
    }
    return 0;
  },
};

const KINDS = ['robots', 'remove', 'noindex', 'redirects'] as const;

/** @throws CrawlhouseError `usage` unless one change is named */
function namedChange(invocation: Invocation) {
  const named = KINDS.flatMap((kind) => {
    const given = invocation.text(kind);
    return given === undefined ? [] : [{ kind, given }];
  });
  const [change, second] = named;
  if (change === undefined)
    throw new CrawlhouseError('usage', 'no change is named', {
      hint: `crawlhouse rehearse --robots robots.txt; changes: ${KINDS.map((kind) => `--${kind}`).join(', ')}`,
    });
  if (second === undefined) return change;
  throw new CrawlhouseError(
    'usage',
    `only one change can be rehearsed at a time: --${change.kind} or --${second.kind}`,
  );
}
