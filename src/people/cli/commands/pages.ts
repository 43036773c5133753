import { filterFlag, pagesAddress, partsOfFilter } from '../../../answers/explore/pages/page-filter.ts';
import { pagesHead, pagesTable } from '../../../answers/explore/pages/pages-blocks.ts';
import { type FoundPages, readInlinksOfPages, readPages } from '../../../answers/explore/pages/read-pages.ts';
import { openWarehouse } from '../../../answers/query/open-warehouse.ts';
import { counted } from '../../../core/text/amounts.ts';
import type { Command } from '../command.ts';
import { openInConsole } from '../console-address.ts';
import { namesOf, wholeNumber } from '../flag-values.ts';
import { printPaged } from '../pager.ts';
import { EXPLORE_FLAGS, formatOf, ROWS_FLAGS, SEGMENT_FLAGS, writeFound } from '../reports/explored.ts';
import { printBlocks } from '../reports/print-blocks.ts';

const ROWS = 100;

export const pages: Command = {
  name: 'pages',
  summary: 'the pages of a crawl that have an issue or meet conditions',
  flags: {
    ...EXPLORE_FLAGS,
    issue: { value: 'NAME', help: 'only pages with this issue' },
    change: {
      value: 'CHANGE',
      help: 'added, removed, moved, missing, changed, a column; of issues new, fixed, remaining',
    },
    since: { value: 'CRAWL', help: 'the crawl that --change compares with' },
    ...SEGMENT_FLAGS,
    filter: {
      value: 'COLUMN=OPERATOR:VALUE',
      multiple: true,
      help: 'only pages whose column is so, as in depth=gte:4 (docs/explore.md: operators)',
    },
    where: {
      value: 'CONDITION',
      multiple: true,
      help: "only pages for which this SQL holds, as in 'status_code = 404'",
    },
    sort: { value: 'COLUMN', help: "by this column; 'COLUMN desc': the largest first (inrank_decimal desc)" },
    columns: { value: 'COLUMN', multiple: true, help: 'show these columns too, with commas between' },
    inlinks: { help: 'show all links to these pages, for those who mend them' },
    limit: { value: 'N', help: `the most rows (${ROWS})` },
    ...ROWS_FLAGS,
  },
  async run(invocation) {
    const text = (flag: string): string | undefined => invocation.text(flag);
    const filter = {
      ...{ project: text('project'), crawl: text('crawl'), issue: text('issue'), sort: text('sort') },
      ...{ change: text('change'), since: text('since') },
      ...{ segment: text('segment'), segmentation: text('segmentation') },
      conditions: invocation.texts('filter').map(filterFlag),
      where: invocation.texts('where'),
      columns: invocation.texts('columns').flatMap((text) => text.split(',').filter((one) => one !== '')),
    };
    const limit = wholeNumber(invocation, 'limit', 1, 9_999_999) ?? ROWS;
    const format = formatOf(invocation);
    const settings = await invocation.settings();
    await using warehouse = await openWarehouse(invocation, settings);
    const isLinks = invocation.has('inlinks') && !invocation.has('open');
    const read = isLinks ? readInlinksOfPages : readPages;
    const found = await read(warehouse, filter, invocation.has('open') ? 1 : limit, invocation.signal);
    const totalText = counted(found.total, isLinks ? 'link' : 'page');
    if (invocation.has('open')) await openInConsole(invocation, settings, addressOf(found));
    else if (invocation.has('json')) await invocation.printJson({ total: found.total, rows: found.rows });
    else if (format === 'table') {
      const width = invocation.terminal?.width;
      await printPaged(
        invocation,
        printBlocks([pagesHead(found), pagesTable(found, namesOf(invocation, 'people'))], { width }),
      );
    } else {
      await writeFound(invocation, format, found.rows);
      if (found.rows.length < found.total)
        invocation.say(`${found.rows.length} of ${totalText}; --limit ${found.total} gives all\n`);
    }
    return 0;
  },
};

const addressOf = ({ crawl, filter }: FoundPages): string =>
  pagesAddress(crawl.project_id, partsOfFilter(filter));
