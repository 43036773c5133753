import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { isDifferent, OF_ANSWER, wasSeen } from '../compare/comparable-columns.ts';
import { PAGE_CHANGES, pageChangeSql } from '../compare/page-comparison.ts';
import type { FoundOrWhy, UrlPlace } from './url-place.ts';

/** A year of daily crawls. */
const MOST_CRAWLS = 366;

const COMPARED = [
  'status_code',
  'is_indexable',
  'non_indexable_reason',
  'title',
  'h1',
  'meta_description',
  'rel_canonical',
  'depth',
] as const;
type ComparedField = (typeof COMPARED)[number];
const PageChanged = z.enum(PAGE_CHANGES);
const ChangedPart = z.enum([...PAGE_CHANGES, ...COMPARED]);
const Value = z.union([z.string(), z.number(), z.boolean()]).nullable();

/** What a crawl found at the URL; all null if it does not have the page, or its export lacks the field. */
const Seen = z.strictObject({
  status_code: z.number().nullable(),
  is_indexable: z.boolean().nullable(),
  non_indexable_reason: z.string().nullable(),
  title: z.string().nullable(),
  h1: z.string().nullable(),
  meta_description: z.string().nullable(),
  rel_canonical: z.string().nullable(),
  /** Clicks from the start. */
  depth: z.number().nullable(),
  nb_inlinks: z.number().nullable(),
});

/** A change since the previous crawl: of the page (`after` is its reason), or of a field, with its values. */
const UrlChange = z.strictObject({ change: ChangedPart, before: Value, after: Value });
type UrlChange = Typed<typeof UrlChange>;

export const UrlHistoryEntry = z.strictObject({
  ...Seen.shape,
  crawl_id: z.string(),
  crawl_number: z.number().nullable(),
  /** ISO 8601, UTC. */
  ended_at: z.string().nullable(),
  /** Whether the crawl read all links of the site; otherwise a page that it does not have is unknown. */
  has_all_links: z.boolean().nullable(),
  is_in_crawl: z.boolean(),
  /** What the crawl saw of the page, and why it did not read it (mart.pages.observation). */
  observation: z.string().nullable(),
  observation_reason: z.string().nullable(),
  /** The crawl that `changes` compares with; null if there is none. */
  previous_crawl_id: z.string().nullable(),
  changes: z.array(UrlChange),
});
export type UrlHistoryEntry = Typed<typeof UrlHistoryEntry>;

const HistoryRow = UrlHistoryEntry.omit({ changes: true }).extend({
  /** The change of the page since the previous crawl (mart.page_comparison). */
  change: PageChanged.nullable(),
  reason: z.string().nullable(),
  /** Whether both crawls read it as the same page. */
  is_read: z.boolean(),
  /** The exported parts of the columns of `COMPARED`: `COLUMN PART` (mart.crawl_columns), separated by commas. */
  told: z.string().nullable(),
});
type HistoryRow = Typed<typeof HistoryRow>;

const HISTORY = `
  WITH known AS (
    SELECT crawl_id, array_to_string(array_agg(column_name || ' ' || part ORDER BY column_name, part), ',') AS told
    FROM mart.crawl_columns
    WHERE dataset = 'crawl_pages' AND column_name IN (${COMPARED.map((column) => `'${column}'`).join(', ')})
    GROUP BY crawl_id
  )
  SELECT
    crawls.crawl_id, crawls.crawl_number, crawls.ended_at, crawls.has_all_links, crawls.previous_crawl_id,
    pages.url IS NOT NULL AS is_in_crawl, pages.status_code, pages.is_indexable, pages.non_indexable_reason,
    pages.title, pages.h1, pages.meta_description, pages.rel_canonical, pages.depth, pages.nb_inlinks,
    pages.observation, pages.observation_reason, known.told, how.change, coalesce(how.moved_to, how.reason) AS reason,
    coalesce(how.is_read, true) AS is_read
  FROM mart.crawls AS crawls
  LEFT JOIN known ON known.crawl_id = crawls.crawl_id
  LEFT JOIN mart.pages AS pages
    ON pages.crawl_id = crawls.crawl_id AND pages.project_id = $project AND pages.url = $url
  LEFT JOIN (${pageChangeSql(
    'SELECT * FROM mart.page_comparison WHERE project_id = $project AND url = $url',
  )}) AS how ON how.crawl_id = crawls.crawl_id
  WHERE crawls.project_id = $project AND coalesce(crawls.crawl_config_id, '') = $config AND crawls.has_pages
  ORDER BY crawls.ended_at DESC NULLS LAST, crawls.crawl_id DESC
  LIMIT ${MOST_CRAWLS}`;

/** Reads the URL in each crawl of the configuration, newest first; empty if none has the page. */
export async function readUrlHistory({ rows }: UrlPlace): Promise<FoundOrWhy<readonly UrlHistoryEntry[]>> {
  const history = await rows(HistoryRow, HISTORY);
  if (!history.some((row) => row.is_in_crawl))
    return { found: [], why: 'no crawl of this configuration contains this page' };
  const byCrawl = new Map(history.map((row) => [row.crawl_id, row]));
  const found = history.map((row) => {
    const { told: _, change: __, reason: ___, is_read: ____, ...entry } = row;
    const before = byCrawl.get(row.previous_crawl_id ?? '');
    return { ...entry, changes: before === undefined ? [] : urlChanges(before, row) };
  });
  return { found, why: null };
}

/**
 * A field counts only if both crawls read the page and both exports contain the same parts of it. A field from the
 * content of an answer also needs the same status in both.
 */
function urlChanges(before: HistoryRow, after: HistoryRow): UrlChange[] {
  const { change, reason } = after;
  const whole = change === null ? [] : [{ change, before: null, after: reason }];
  if (!before.is_in_crawl || !after.is_in_crawl) return whole;
  const parts = ({ told }: HistoryRow, field: ComparedField): string =>
    (told ?? '')
      .split(',')
      .filter((one) => one.startsWith(`${field} `))
      .join();
  const isKnown = (field: ComparedField): boolean =>
    parts(before, field) !== '' && parts(before, field) === parts(after, field);
  const isOtherAnswer = isKnown('status_code') && before.status_code !== after.status_code;
  const isOf = (field: ComparedField): boolean =>
    isKnown(field) &&
    !(isOtherAnswer && OF_ANSWER.has(field)) &&
    wasSeen(field, [before, after], after.is_read);
  const fields = COMPARED.filter(
    (field) => isOf(field) && isDifferent(field, [before[field], after[field]]),
  ).map((field) => ({ change: field, before: before[field], after: after[field] }));
  return [...whole, ...fields];
}
