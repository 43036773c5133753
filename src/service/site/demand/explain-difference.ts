import { countText } from '../../../core/text/amounts.ts';

/** The sums of the rows by some dimensions, and the export's own totals of the same days. */
export interface ComparedTotals {
  /** The dimensions of the rows, as in `url`. */
  readonly by: string;
  readonly rows: bigint;
  readonly clicks: bigint;
  readonly impressions: bigint;
  readonly total_clicks: bigint;
  readonly total_impressions: bigint;
  /** Whether the export comes from a page, which has 1,000 rows of a table at the most. */
  readonly isFromPage: boolean;
}

const PAGE_ROWS = 1000n;

/** Says how the rows differ from the totals, and what the likely cause is; null where they add up. */
export function explainDifference(compared: ComparedTotals): string | null {
  const { by, clicks, impressions, total_clicks, total_impressions } = compared;
  if (clicks === total_clicks && impressions === total_impressions) return null;
  const amounts = [
    amount('clicks', clicks, total_clicks),
    amount('impressions', impressions, total_impressions),
  ].filter((one) => one !== null);
  const causes = causesOf(compared);
  const likely = causes.length === 0 ? 'The export does not say why.' : `Likely: ${causes.join('; ')}.`;
  return `By ${by}: ${amounts.join(', ')}. ${likely}`;
}

function amount(what: string, part: bigint, total: bigint): string | null {
  if (part === total) return null;
  const difference = part > total ? part - total : total - part;
  const percent = total === 0n ? '' : ` (${((100 * Number(difference)) / Number(total)).toFixed(1)} %)`;
  return `${countText(difference)} ${what} ${part > total ? 'more' : 'fewer'} than in the totals${percent}`;
}

function causesOf(compared: ComparedTotals): string[] {
  const { by, rows, clicks, impressions, total_clicks, total_impressions, isFromPage } = compared;
  const names = by.split(', ');
  const causes: string[] = [];
  const isLess = clicks < total_clicks || impressions < total_impressions;
  const isMore = clicks > total_clicks || impressions > total_impressions;
  if (isLess && isFromPage && rows >= PAGE_ROWS)
    causes.push('the page exports 1,000 rows of a table at the most');
  if (isLess && names.includes('query')) causes.push('queries that few people asked are not named');
  if (isLess && !isFromPage && !names.includes('query'))
    causes.push('the service leaves out rows beyond its limits');
  if (isMore && names.includes('url'))
    causes.push('a result with several pages counts once for the site, and once for each page');
  return causes;
}
