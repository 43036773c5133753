import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { type Rehearsal, readRehearsal } from '../../answers/explore/rehearse/read-rehearsal.ts';
import { rehearsalBlocks } from '../../answers/explore/rehearse/rehearsal-blocks.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import type { Command } from '../command.ts';
import { readFlagFile } from '../flag-values.ts';
import { printPaged } from '../pager.ts';
import { EXPLORE_FLAGS, formatOf, partOf, ROWS_FLAGS, writePart } from '../reports/explored.ts';

const PARTS = {
  figures: ({ figures }) => figures,
  agents: ({ agents }) => agents,
  pages: ({ pages }) => pages,
  sitemaps: ({ sitemaps }) => sitemaps,
} as const satisfies Readonly<Record<string, (rehearsal: Rehearsal) => readonly object[]>>;

export const rehearse: Command = {
  name: 'rehearse',
  summary: 'show what a change would do to the pages of a crawl, and change nothing',
  flags: {
    robots: { value: 'FILE', help: 'a new robots.txt of the host of the start page' },
    ...EXPLORE_FLAGS,
    part: { value: 'PART', values: Object.keys(PARTS), help: 'only one of' },
    format: ROWS_FLAGS.format,
    names: ROWS_FLAGS.names,
    sql: { help: 'print the SQL statements whose rows are judged' },
  },
  async run(invocation) {
    const given = invocation.text('robots');
    if (given === undefined)
      throw new CrawlhouseError('usage', 'no change is named', {
        hint: 'crawlhouse rehearse --robots robots.txt',
      });
    const part = partOf(invocation, PARTS);
    const format = formatOf(invocation);
    const settings = await invocation.settings();
    const content = await readFlagFile(invocation, 'robots', given);
    await using warehouse = await openWarehouse(invocation, settings);
    const change = { kind: 'robots', given, content } as const;
    const asked = { project: invocation.text('project'), crawl: invocation.text('crawl'), change };
    const rehearsal = await readRehearsal(warehouse, asked, invocation.signal);
    if (invocation.has('json')) await invocation.printJson(rehearsal);
    else if (invocation.has('sql'))
      await invocation.write(rehearsal.sql.map(({ name, sql }) => `-- ${name}\n${sql};\n`).join('\n'));
    else if (part !== null) await writePart(invocation, format, part(rehearsal));
    else {
      const width = invocation.terminal?.width;
      const command = `crawlhouse rehearse --${change.kind} ${shellWord(change.given)}`;
      await printPaged(invocation, printBlocks(rehearsalBlocks(rehearsal, command), { width }));
    }
    return 0;
  },
};
