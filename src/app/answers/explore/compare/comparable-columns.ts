import { z } from 'zod';
import type { AskCrawls } from '../chosen-crawls.ts';

/** The compared fields, as in mart.page_changes, with their names for people. */
export const FIELDS = {
  status_code: 'HTTP status',
  is_indexable: 'indexability',
  title: 'title',
  h1: 'H1',
  meta_description: 'description',
  rel_canonical: 'canonical',
} as const;

/** A part of a column that only one of the two crawls' exports contains. */
export interface UntoldPart {
  /** The crawl whose export lacks it. */
  readonly crawl_id: string;
  /** A field, or a part of a column that is made of several fields (mart.crawl_columns). */
  readonly part: string;
}

const Told = z.strictObject({
  column_name: z.string(),
  part: z.string(),
  crawl_id: z.string(),
  crawls: z.number(),
});
const TOLD = `
  SELECT told.column_name, told.part, min(told.crawl_id) AS crawl_id, count(*) AS crawls
  FROM mart.crawl_columns AS told
  WHERE told.crawl_id IN ($from, $to) AND told.dataset = 'crawl_pages'
  GROUP BY told.column_name, told.part
  ORDER BY told.column_name, told.part`;

/**
 * Returns the columns of `mart.pages` that cannot be compared between two crawls, with the reason. A column is
 * comparable if both exports contain the same parts of it; otherwise one crawl has NULL for fields that were not
 * requested.
 */
export async function untoldParts(
  ask: AskCrawls,
  [from, to]: readonly [string, string],
  columns: readonly string[],
): Promise<ReadonlyMap<string, UntoldPart>> {
  const rows = await ask(Told, TOLD, { from, to });
  const told = Map.groupBy(rows, ({ column_name }) => column_name);
  return new Map(
    columns.flatMap((column): [string, UntoldPart][] => {
      const parts = told.get(column);
      if (parts === undefined) return [[column, { crawl_id: from, part: column }]];
      const lone = parts.find(({ crawls }) => crawls === 1);
      if (lone === undefined) return [];
      return [[column, { crawl_id: lone.crawl_id === from ? to : from, part: lone.part }]];
    }),
  );
}

export const OF_ANSWER: ReadonlySet<string> = new Set(['title', 'h1', 'meta_description', 'rel_canonical']);

/**
 * Returns the columns whose difference counts only if the status is the same, as in mart.page_changes. A page that
 * stops responding thus counts as one change. Empty if a crawl lacks the status.
 */
export const comparedOfAnswers = (untold: ReadonlyMap<string, UntoldPart>): ReadonlySet<string> =>
  untold.has('status_code') ? new Set() : OF_ANSWER;

/**
 * Columns with human-written text. A different Unicode form (NFC, NFD) is not a difference, as in mart.page_changes.
 */
const TEXTS: ReadonlySet<string> = new Set(['title', 'h1', 'meta_description']);

/** Returns whether a column differs between its values in the two crawls. */
export function isDifferent(column: string, [former, later]: readonly [unknown, unknown]): boolean {
  if (!TEXTS.has(column) || typeof former !== 'string' || typeof later !== 'string') return former !== later;
  return former.normalize() !== later.normalize();
}

export function valuesDiffer(column: string, [former, later]: readonly [string, string]): string {
  const differ = `${former} IS DISTINCT FROM ${later}`;
  return TEXTS.has(column)
    ? `${differ} AND nfc_normalize(${former}) IS DISTINCT FROM nfc_normalize(${later})`
    : differ;
}

/** Columns that a crawl has for a page even if it did not read it. */
const OF_LINKS: ReadonlySet<string> = new Set([
  'depth',
  'sources',
  'sitemaps_file_origin',
  'inrank',
  'inrank_decimal',
  'nb_inlinks',
  'follow_inlinks',
  'nofollow_inlinks',
  'fetched',
  'fetch_status',
  'fetch_date',
  'processing_warnings',
  'observation',
  'observation_reason',
]);
/** Columns whose values robots.txt also determines, because the crawl saw that it blocks the page. */
const OF_ROBOTS: ReadonlySet<string> = new Set([
  'is_indexable',
  'non_indexable_reason',
  'is_robots_denied',
  'robots_txt_denied',
]);
/** Every response counts, whatever its status. */
const OF_STATUS: ReadonlySet<string> = new Set(['status_code', 'status_code_range']);

/** The tables of a statement: the page in the earlier crawl, in the later crawl, and its row of `pageChangeSql`. */
type ComparedTables = Readonly<Record<'former' | 'later' | 'how', string>>;

/**
 * Returns a condition, to append to others, that both crawls saw a column, as in mart.page_changes. Unread content did
 * not change.
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

/** A page as one crawl saw it. */
interface SeenPage {
  readonly status_code: number | null;
  readonly observation: string | null;
  readonly observation_reason: string | null;
}

/**
 * Returns whether both crawls could read a column. Works on pages that are already in memory.
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

/** Returns the name of a part for people. */
export function partWords(column: string, part: string): string {
  return part === column ? part : `a field with the ${part} of ${column}`;
}
