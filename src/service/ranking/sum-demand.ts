import { z } from 'zod';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { countText } from '../../core/text/amounts.ts';
import { type Typed, typedRows } from '../../core/text/typed-rows.ts';
import { type DemandExport, dimensionsText, isDetailed } from '../../site/search-data/demand-row.ts';
import { STAGED } from './repeated-demand.ts';

const ComparedDemand = z.strictObject({
  clicks: z.bigint().nullable(),
  impressions: z.bigint().nullable(),
  total_clicks: z.bigint().nullable(),
  total_impressions: z.bigint().nullable(),
});

/** The rows of an export by the same dimensions, added up. */
export const DemandSums = z.strictObject({
  /** The dimensions, as in `date, url, query`. */
  by: z.string(),
  rows: z.bigint(),
  /** First and last day; null for totals of a period. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  days: z.bigint(),
  clicks: z.bigint(),
  impressions: z.bigint(),
  /** Clicks of queries that the search engine does not name, included in the clicks. */
  anonymized_clicks: z.bigint(),
  anonymized_impressions: z.bigint(),
});
export type DemandSums = Typed<typeof DemandSums>;

/** The difference between the rows by some dimensions and the export's own totals of the same days. */
export interface DemandDifference {
  readonly by: string;
  readonly clicks: bigint;
  readonly impressions: bigint;
  readonly total_clicks: bigint;
  readonly total_impressions: bigint;
  /** The difference and its likely cause; null if there is none. */
  readonly text: string | null;
}

interface Compared extends Omit<DemandDifference, 'text'> {
  readonly rows: bigint;
  /** Whether the export comes from a page, which has at most 1,000 rows per table. */
  readonly isFromPage: boolean;
}

const PAGE_ROWS = 1000n;

/** Returns the sums of the staged rows, and their comparison with the export's own totals. */
export async function sumDemand(
  connection: Connection,
  { tables, format }: DemandExport,
): Promise<{ readonly sums: readonly DemandSums[]; readonly differences: readonly DemandDifference[] }> {
  const sums = typedRows(
    DemandSums,
    await connection.rows(
      `SELECT counted_by AS "by", count(*) AS rows, min(date) AS "from", max(date) AS "to", count(DISTINCT date) AS days,
         CAST(sum(clicks) AS BIGINT) AS clicks, CAST(sum(impressions) AS BIGINT) AS impressions,
         CAST(coalesce(sum(clicks) FILTER (is_anonymized), 0) AS BIGINT) AS anonymized_clicks,
         CAST(coalesce(sum(impressions) FILTER (is_anonymized), 0) AS BIGINT) AS anonymized_impressions
       FROM ${STAGED} GROUP BY counted_by ORDER BY counted_by`,
    ),
  );
  const total = totalOf(tables.map(({ dimensions }) => dimensions));
  if (total === undefined) return { sums, differences: [] };
  const differences: DemandDifference[] = [];
  for (const { by, rows } of sums) {
    if (by === total) continue;
    const compared = await compare(connection, by, total);
    const isFromPage = format === 'search_console_page' || format === 'bing_page';
    if (compared !== null)
      differences.push({ ...compared, text: explainDifference({ ...compared, rows, isFromPage }) });
  }
  return { sums, differences };
}

/**
 * Returns the dimensions of the table that has the totals: the table by date only, or else the site's days without
 * URLs.
 */
function totalOf(all: readonly DemandExport['tables'][number]['dimensions'][]): string | undefined {
  const totals = all.filter((one) => one.includes('date') && !isDetailed(one));
  return totals.map(dimensionsText).sort((a, b) => a.length - b.length)[0];
}

/** Compares the sums of both over their common days. Rows without days are compared with all days. */
async function compare(
  connection: Connection,
  by: string,
  total: string,
): Promise<Omit<DemandDifference, 'text'> | null> {
  const [found] = typedRows(
    ComparedDemand,
    await connection.rows(
      `WITH part AS (SELECT date, clicks, impressions FROM ${STAGED} WHERE counted_by = $1),
         whole AS (SELECT date, clicks, impressions FROM ${STAGED} WHERE counted_by = $2),
         common AS (SELECT DISTINCT whole.date FROM whole JOIN part ON part.date IS NULL OR part.date = whole.date)
       SELECT
         (SELECT CAST(sum(clicks) AS BIGINT) FROM part WHERE date IS NULL OR date IN (FROM common)) AS clicks,
         (SELECT CAST(sum(impressions) AS BIGINT) FROM part WHERE date IS NULL OR date IN (FROM common)) AS impressions,
         (SELECT CAST(sum(clicks) AS BIGINT) FROM whole WHERE date IN (FROM common)) AS total_clicks,
         (SELECT CAST(sum(impressions) AS BIGINT) FROM whole WHERE date IN (FROM common)) AS total_impressions`,
      [by, total],
    ),
  );
  const { clicks = null, impressions = null, total_clicks = null, total_impressions = null } = found ?? {};
  if (clicks === null || impressions === null || total_clicks === null || total_impressions === null)
    return null;
  return { by, clicks, impressions, total_clicks, total_impressions };
}

/** Describes how the rows differ from the totals and the likely cause; null if they add up. */
function explainDifference(compared: Compared): string | null {
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

function causesOf(compared: Compared): string[] {
  const { by, rows, clicks, impressions, total_clicks, total_impressions, isFromPage } = compared;
  const names = by.split(', ');
  const causes: string[] = [];
  const isLess = clicks < total_clicks || impressions < total_impressions;
  const isMore = clicks > total_clicks || impressions > total_impressions;
  if (isLess && isFromPage && rows >= PAGE_ROWS)
    causes.push('the page exports at most 1,000 rows of a table');
  if (isLess && names.includes('query')) causes.push('queries that few people asked are not named');
  if (isLess && !isFromPage && !names.includes('query'))
    causes.push('the service leaves out rows beyond its limits');
  if (isMore && names.includes('url'))
    causes.push('a result with several pages counts once for the site, and once for each page');
  return causes;
}
