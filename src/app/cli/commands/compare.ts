import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { compareBlocks } from '../../answers/explore/compare/compare-blocks.ts';
import { type Comparison, readComparison } from '../../answers/explore/compare/read-compare.ts';
import { segmentParts } from '../../answers/explore/page-segments.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import type { Command } from '../command.ts';
import { openInConsole } from '../console-address.ts';
import { printPaged } from '../pager.ts';
import {
  EXPLORE_FLAGS,
  formatOf,
  partOf,
  ROWS_FLAGS,
  SEGMENT_FLAGS,
  writePart,
} from '../reports/explored.ts';

const PARTS = {
  kpis: ({ kpis }) => kpis,
  issues: ({ issues }) => issues,
  pages: ({ pages }) => pages,
} as const satisfies Readonly<Record<string, (comparison: Comparison) => readonly object[]>>;

export const compare: Command = {
  name: 'compare',
  summary: 'compare two crawls of a project: figures, issues, and changed pages',
  positionals: { shown: 'CRAWL CRAWL', most: 2 },
  flags: {
    project: EXPLORE_FLAGS.project,
    ...SEGMENT_FLAGS,
    part: { value: 'PART', values: Object.keys(PARTS), help: 'only one of' },
    ...ROWS_FLAGS,
  },
  async run(invocation) {
    const [from, to] = invocation.positionals;
    if (from === undefined || to === undefined)
      throw new CrawlhouseError('usage', 'compare needs two crawls', {
        hint: 'crawlhouse compare previous latest',
      });
    const part = partOf(invocation, PARTS);
    const format = formatOf(invocation);
    const settings = await invocation.settings();
    await using warehouse = await openWarehouse(invocation, settings);
    const [segment, segmentation] = [invocation.text('segment'), invocation.text('segmentation')];
    const asked = { project: invocation.text('project'), from, to, segment, segmentation };
    const comparison = await readComparison(warehouse, asked, invocation.signal);
    if (invocation.has('open')) await openInConsole(invocation, settings, addressOf(comparison));
    else if (invocation.has('json')) await invocation.printJson(comparison);
    else if (part !== null) await writePart(invocation, format, part(comparison));
    else {
      const width = invocation.terminal?.width;
      await printPaged(invocation, printBlocks(compareBlocks(comparison), { width }));
    }
    return 0;
  },
};

function addressOf({ from, to, ...within }: Comparison): string {
  const query = new URLSearchParams({ from: from.crawl_id, to: to.crawl_id, ...segmentParts(within) });
  return `/projects/${encodeURIComponent(to.project_id)}/compare?${query}`;
}
