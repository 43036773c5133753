import type { AskCrawls } from '../chosen-crawls.ts';

/** Fields that are compared, as in mart.page_changes, by what people call them. */
export const FIELDS = {
  status_code: 'HTTP status',
  is_indexable: 'indexability',
  title: 'title',
  h1: 'H1',
  meta_description: 'description',
  rel_canonical: 'canonical',
} as const;

/** What the export of one of two crawls tells of a column, and that of the other does not. */
export interface UntoldPart {
  /** The crawl whose export does not tell it. */
  readonly crawl_id: string;
  /** A field, or a part of a column that is made of several (mart.crawl_columns). */
  readonly part: string;
}

const TOLD = `
  SELECT told.column_name, told.part, min(told.crawl_id) AS crawl_id, count(*) AS crawls
  FROM mart.crawl_columns AS told
  WHERE told.crawl_id IN ($from, $to) AND told.dataset = 'crawl_pages'
  GROUP BY told.column_name, told.part
  ORDER BY told.column_name, told.part`;

/**
 * Why columns of `mart.pages` can't be compared between two crawls; those that can are left out. A column is compared
 * where both exports tell the same parts of it: elsewhere one crawl has NULL for what nobody asked.
 */
export async function untoldParts(
  ask: AskCrawls,
  [from, to]: readonly [string, string],
  columns: readonly string[],
): Promise<ReadonlyMap<string, UntoldPart>> {
  const rows = await ask<{ column_name: string; part: string; crawl_id: string; crawls: number }>(TOLD, {
    from,
    to,
  });
  const told = Map.groupBy(rows, ({ column_name }) => column_name);
  return new Map(
    columns.flatMap((column): [string, UntoldPart][] => {
      const parts = told.get(column);
      if (parts === undefined) return [[column, { crawl_id: from, part: column }]];
      const lone = parts.find(({ crawls }) => Number(crawls) === 1);
      if (lone === undefined) return [];
      return [[column, { crawl_id: lone.crawl_id === from ? to : from, part: lone.part }]];
    }),
  );
}

/** What is read of an answer. */
export const OF_ANSWER: ReadonlySet<string> = new Set(['title', 'h1', 'meta_description', 'rel_canonical']);

/**
 * The columns of which a difference counts only where the status is the same, as in mart.page_changes: a page that stops
 * answering has changed once. None where a crawl does not tell the status.
 */
export const comparedOfAnswers = (untold: ReadonlyMap<string, UntoldPart>): ReadonlySet<string> =>
  untold.has('status_code') ? new Set() : OF_ANSWER;

/** Texts that people write: the same one in another form of Unicode (NFC, NFD) is no difference, as in mart.page_changes. */
const TEXTS: ReadonlySet<string> = new Set(['title', 'h1', 'meta_description']);

/** Whether a column differs, by its value in either crawl. */
export function isDifferent(column: string, [former, later]: readonly [unknown, unknown]): boolean {
  if (!TEXTS.has(column) || typeof former !== 'string' || typeof later !== 'string') return former !== later;
  return former.normalize() !== later.normalize();
}

/** The condition that a column differs, by its value in either crawl. */
export function valuesDiffer(column: string, [former, later]: readonly [string, string]): string {
  const differ = `${former} IS DISTINCT FROM ${later}`;
  return TEXTS.has(column)
    ? `${differ} AND nfc_normalize(${former}) IS DISTINCT FROM nfc_normalize(${later})`
    : differ;
}

/** Columns that a crawl knows of a page without reading it. */
const OF_LINKS: ReadonlySet<string> = new Set([
  ...['depth', 'sources', 'sitemaps_file_origin', 'inrank', 'inrank_decimal'],
  ...['nb_inlinks', 'follow_inlinks', 'nofollow_inlinks'],
  ...['fetched', 'fetch_status', 'fetch_date', 'processing_warnings', 'observation', 'observation_reason'],
]);
/** Columns that robots.txt decides, too: that it blocks a page now was seen. */
const OF_ROBOTS: ReadonlySet<string> = new Set([
  ...['is_indexable', 'non_indexable_reason', 'is_robots_denied', 'robots_txt_denied'],
]);
/** An answer is one, whatever its status. */
const OF_STATUS: ReadonlySet<string> = new Set(['status_code', 'status_code_range']);

/** Tables of a statement: a page in the earlier crawl and the later one, and what `pageChangeSql` says of it. */
type ComparedTables = Readonly<Record<'former' | 'later' | 'how', string>>;

/**
 * A condition, which follows others, that both crawls saw what a column tells, as in mart.page_changes: what was not read
 * did not change.
 */
export function seenByBoth(column: string, { former, later, how }: ComparedTables): string {
  if (OF_LINKS.has(column)) return '';
  const answered = (side: string): string => `coalesce(${side}.observation, 'read') IN ('read', 'gone')`;
  if (OF_ROBOTS.has(column))
    return ` AND ${answered(former)} AND (${answered(later)} OR ${later}.observation_reason = 'blocked_by_robots')`;
  const read = `coalesce(${how}.is_read, true)`;
  if (!OF_STATUS.has(column)) return ` AND ${read}`;
  return ` AND (${read} OR ${former}.status_code IS NOT NULL AND ${later}.status_code IS NOT NULL)`;
}

/** A page as a crawl saw it. */
interface SeenPage {
  readonly status_code: number | null;
  readonly observation: string | null;
  readonly observation_reason: string | null;
}

/**
 * Whether both crawls saw what a column tells of a page that is at hand.
 *
 * @param isRead whether both crawls read it as the same page
 */
export function wasSeen(
  column: string,
  [former, later]: readonly [SeenPage, SeenPage],
  isRead: boolean,
): boolean {
  if (OF_LINKS.has(column)) return true;
  const isAnswered = ({ observation }: SeenPage): boolean => ['read', 'gone', null].includes(observation);
  if (OF_ROBOTS.has(column))
    return isAnswered(former) && (isAnswered(later) || later.observation_reason === 'blocked_by_robots');
  return isRead || (OF_STATUS.has(column) && former.status_code !== null && later.status_code !== null);
}

/** A part as people are told of it. */
export function partWords(column: string, part: string): string {
  return part === column ? part : `a field that tells the ${part} of ${column}`;
}
