import { percentText, signedText } from '../../../../core/text/amounts.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { type Block, type Cell, line, section, tableOf } from '../../presentation/blocks.ts';
import { reasonsText } from '../../presentation/reason-words.ts';
import { columnName } from '../../presentation/value-text.ts';
import { segmentParts, segmentWords } from '../page-segments.ts';
import {
  type AddressParts,
  CHANGES_OF_ISSUE,
  type ChangeOfIssue,
  FIGURE_PAGES,
} from '../pages/page-filter.ts';
import type { ComparedKpi } from './compare-kpis.ts';
import { type ComparedCrawl, crawlCell } from './compared-crawls.ts';
import type { ComparedIssue, Comparison } from './read-compare.ts';

const BEHIND: Readonly<Record<string, AddressParts>> = {
  ...FIGURE_PAGES,
  client_error_pages: { status_code: ['gte:400', 'lt:500'] },
  server_error_pages: { status_code: ['gte:500', 'lt:600'] },
};

export function compareBlocks(comparison: Comparison): readonly Block[] {
  const { from, to, notes } = comparison;
  return [
    line([`${to.project}: `, crawlCell(from), ' and ', crawlCell(to), segmentWords(comparison)]),
    ...notes.map((note) => line(note, 'notice')),
    section('Figures', figures(comparison), ...unknownFigures(comparison)),
    section('Pages', changedPages(comparison)),
    section('Issues', issues(comparison)),
  ];
}

function figures({ from, to, kpis, ...within }: Comparison): Block {
  const side = (crawl: ComparedCrawl, kpi: string, value: number | null): Cell => {
    const behind = lookUp(BEHIND, kpi);
    const shown = value === null ? null : rounded(value, 2);
    return behind === undefined ? shown : pagesCell(crawl, shown, { ...behind, ...segmentParts(within) });
  };
  return tableOf(
    'Figures',
    [
      { name: 'Figure', of: ({ title }) => title },
      { name: 'Before', kind: 'count', of: ({ kpi, before }) => side(from, kpi, before) },
      { name: 'After', kind: 'count', of: ({ kpi, after }) => side(to, kpi, after) },
      { name: 'Change', kind: 'count', of: changeCell },
    ],
    kpis.filter((one) => !isUnknown(one)),
    { cause: { name: 'Why', of: ({ why }) => why }, isCut: true },
  );
}

const isUnknown = ({ before, after }: ComparedKpi): boolean => before === null && after === null;

/** Figures that neither crawl has, on one line instead of rows of dashes. */
function unknownFigures({ kpis }: Comparison): readonly Block[] {
  const titles = kpis.filter(isUnknown).map(({ title }) => title);
  return titles.length === 0 ? [] : [line(`Unknown for both crawls: ${titles.join(', ')}.`)];
}

function changeCell({ before, change, better }: ComparedKpi): Cell {
  if (change === null) return null;
  const value = signedText(change);
  const isBetter = change > 0 === (better === 'more');
  const shown =
    better === null || value === signedText(0)
      ? { value }
      : ({ value, tone: isBetter ? 'good' : 'bad' } as const);
  const percent = percentText(change, before);
  return percent === '' ? shown : [shown, percent];
}

const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

function changedPages({ from, to, pages, ...within }: Comparison): Block {
  const since = { since: from.crawl_id, ...segmentParts(within) };
  return tableOf(
    'Pages',
    [
      { name: 'What', of: ({ title }) => title },
      {
        name: 'Pages',
        kind: 'count',
        of: ({ change, pages: count }) => pagesCell(to, count, { ...since, change }),
      },
    ],
    pages,
    {
      cause: {
        name: 'Why',
        of: ({ why, reasons }) => why ?? (reasons.length === 0 ? null : reasonsText(reasons)),
      },
    },
  );
}

function issues({ from, to, issues: found, ...within }: Comparison): Block {
  const segment = segmentParts(within);
  const isShown = (change: ChangeOfIssue): boolean =>
    (change !== 'missing' && change !== 'unseen') || found.some((one) => Number(one[change]) > 0);
  const changed = (issue: string, count: number | null, change: string): Cell =>
    pagesCell(to, count, { since: from.crawl_id, issue, change, ...segment });
  return tableOf(
    'Issues',
    [
      { name: 'Issue', of: ({ title }) => title },
      { name: 'Severity', kind: 'severity', of: ({ severity }) => severity },
      {
        name: 'Before',
        kind: 'count',
        of: ({ issue, before }) => pagesCell(from, before, { issue, ...segment }),
      },
      { name: 'After', kind: 'count', of: ({ issue, after }) => pagesCell(to, after, { issue, ...segment }) },
      ...CHANGES_OF_ISSUE.filter(isShown).map((change) => ({
        name: columnName(change),
        kind: 'count' as const,
        of: (one: ComparedIssue) => changed(one.issue, one[change], change),
      })),
      { name: 'Name', kind: 'code', only: 'terminal', of: ({ issue }) => issue },
    ],
    found,
    {
      cause: { name: 'Not compared', of: ({ why }) => why },
      empty: 'No page of either crawl has an issue.',
      isCut: true,
    },
  );
}

function pagesCell(
  { project_id, crawl_id: crawl }: ComparedCrawl,
  value: number | null,
  parts: AddressParts,
): Cell {
  return value === null || value === 0
    ? value
    : { value, link: { to: 'pages', project_id, parts: { crawl, ...parts } } };
}
