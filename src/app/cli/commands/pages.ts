import { counted } from '../../../core/text/amounts.ts';
import { filterFlag, pagesAddress, partsOfFilter } from '../../answers/explore/pages/page-filter.ts';
import { pagesHead, pagesTable } from '../../answers/explore/pages/pages-blocks.ts';
import { type FoundPages, readInlinksOfPages, readPages } from '../../answers/explore/pages/read-pages.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import type { Command } from '../command.ts';
import { openInConsole } from '../console-address.ts';
import { namesOf, wholeNumber } from '../flag-values.ts';
import { printPaged } from '../pager.ts';
import { EXPLORE_FLAGS, formatOf, ROWS_FLAGS, SEGMENT_FLAGS, writeFound } from '../reports/explored.ts';

const ROWS = 100;

export const pages: Command = {
  name: 'pages',
  summary: 'list the pages of a crawl that have an issue or meet conditions',
  flags: {
    ...EXPLORE_FLAGS,
    issue: { value: 'NAME', help: 'only pages with this issue' },
    change: {
      value: 'CHANGE',
      help: 'added, removed, moved, missing, changed or a column; issues: new, fixed, remaining',
    },
    since: { value: 'CRAWL', help: 'the crawl that --change compares with' },
    ...SEGMENT_FLAGS,
    filter: {
      value: 'COLUMN=OPERATOR:VALUE',
      multiple: true,
      help: 'only pages that match, such as depth=gte:4 (operators: docs/explore.md)',
    },
    where: {
      value: 'CONDITION',
      multiple: true,
      help: "only pages that meet this SQL condition, as in 'status_code = 404'",
    },
    sort: {
      value: 'COLUMN',
      help: "sort by this column; 'COLUMN desc': largest first (inrank_decimal desc)",
    },
    columns: { value: 'COLUMN', multiple: true, help: 'show these columns too, separated by commas' },
    inlinks: { help: 'show every link to these pages, so you can fix the linking pages' },
    limit: { value: 'N', help: `the maximum number of rows (${ROWS})` },
    ...ROWS_FLAGS,
  },
  async run(invocation) {
    const text = (flag: string): string | undefined => invocation.text(flag);
    const filter = {
      project: text('project'),
      crawl: text('crawl'),
      issue: text('issue'),
      sort: text('sort'),
      change: text('change'),
      since: text('since'),
      segment: text('segment'),
      segmentation: text('segmentation'),
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
