import { nameOfCrawl } from '../../../answers/explore/compare/compared-crawls.ts';
import { type Comparison, readComparison } from '../../../answers/explore/compare/read-compare.ts';
import { openWarehouse } from '../../../answers/query/open-warehouse.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { countText } from '../../../core/text/amounts.ts';
import type { Command } from '../command.ts';
import { openInConsole } from '../console-address.ts';
import { printPaged } from '../pager.ts';
import { EXPLORE_FLAGS, formatOf, foundTable, partOf, writePart } from '../reports/explored.ts';

/** The parts of a comparison, each as a table has it. */
const PARTS = {
  kpis: ({ kpis }) => kpis,
  issues: ({ issues }) => issues,
  pages: ({ pages }) => pages,
} as const satisfies Readonly<Record<string, (comparison: Comparison) => readonly object[]>>;

export const compare: Command = {
  name: 'compare',
  summary: 'two crawls of a project side by side: figures, issues, and pages that changed',
  positionals: { shown: 'CRAWL CRAWL', most: 2 },
  flags: {
    project: EXPLORE_FLAGS.project,
    part: { type: 'string', value: 'PART', values: Object.keys(PARTS), help: 'only one of' },
    format: EXPLORE_FLAGS.format,
    open: EXPLORE_FLAGS.open,
  },
  async run(invocation) {
    const [from, to] = invocation.positionals;
    if (from === undefined || to === undefined)
      throw new CrawlhouseError('usage', 'two crawls are compared: name both', {
        hint: 'crawlhouse compare previous latest',
      });
    const part = partOf(invocation, PARTS);
    const format = formatOf(invocation);
    const settings = await invocation.settings();
    await using warehouse = await openWarehouse(invocation, settings);
    const asked = { project: invocation.text('project'), from, to };
    const comparison = await readComparison(warehouse, asked, invocation.signal);
    if (invocation.has('open')) await openInConsole(invocation, settings, addressOf(comparison));
    else if (invocation.has('json')) await invocation.printJson(comparison);
    else if (part !== null) await writePart(invocation, format, part(comparison));
    else await printPaged(invocation, shown(comparison, invocation.terminal?.width));
    return 0;
  },
};

function addressOf({ from, to }: Comparison): string {
  const query = new URLSearchParams({ from: from.crawl_id, to: to.crawl_id });
  return `/projects/${encodeURIComponent(to.project_id)}/compare?${query}`;
}

function shown({ from, to, notes, kpis, issues, pages }: Comparison, width: number | undefined): string {
  const named = [from, to].map((crawl) => `${nameOfCrawl(crawl)} (${crawl.crawl_id})`);
  const figures = kpis.map(({ title, before, after, change, change_percent, why }) => ({
    ...{ figure: title, before: rounded(before), after: rounded(after) },
    ...{ change: signed(change), percent: signed(change_percent, ' %'), why },
  }));
  const found = issues.map(({ severity, issue, before, after, new: added, fixed, remaining, why }) => {
    return { severity, issue, before, after, new: added, fixed, remaining, why };
  });
  const changes = pages.map(({ title, pages: count, why }) => ({ change: title, pages: count, why }));
  return [
    `${to.project}: ${named.join(' and ')}\n${notes.map((note) => `${note}\n`).join('')}`,
    foundTable(figures, width),
    found.length === 0 ? 'Issues: neither crawl has any.\n' : foundTable(found, width),
    foundTable(changes, width),
  ].join('\n');
}

/** At most two digits behind the point. */
const rounded = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 100) / 100;

function signed(value: number | null, unit = ''): string | null {
  const shown = rounded(value);
  return shown === null ? null : `${shown > 0 ? '+' : ''}${countText(shown)}${unit}`;
}
