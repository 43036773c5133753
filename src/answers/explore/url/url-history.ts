import { isDifferent, OF_ANSWER, wasSeen } from '../compare/comparable-columns.ts';
import { type PageChange, pageChangeSql } from '../compare/page-comparison.ts';
import type { FoundOrWhy, UrlPlace } from './url-place.ts';

/** A crawl knows a page for a year of days. */
const MOST_CRAWLS = 366;

const COMPARED = [
  ...['status_code', 'is_indexable', 'non_indexable_reason', 'title', 'h1', 'meta_description'],
  ...['rel_canonical', 'depth'],
] as const;
type ComparedField = (typeof COMPARED)[number];

/** What a crawl found at the URL; all null where it does not have the page, or its export lacks the field. */
interface Seen {
  readonly status_code: number | null;
  readonly is_indexable: boolean | null;
  readonly non_indexable_reason: string | null;
  readonly title: string | null;
  readonly h1: string | null;
  readonly meta_description: string | null;
  readonly rel_canonical: string | null;
  /** Clicks from the start. */
  readonly depth: number | null;
  readonly nb_inlinks: number | null;
}

/** A change since the previous crawl: of the page (`after` is its reason), or of a field, with its values. */
interface UrlChange {
  readonly change: PageChange | ComparedField;
  readonly before: string | number | boolean | null;
  readonly after: string | number | boolean | null;
}

export interface UrlHistoryEntry extends Seen {
  readonly crawl_id: string;
  readonly crawl_number: number | null;
  /** ISO 8601, UTC. */
  readonly ended_at: string | null;
  /** Whether the crawl read all links of the site; else nothing is known of a page that it does not have. */
  readonly has_all_links: boolean | null;
  readonly is_in_crawl: boolean;
  /** What the crawl saw of the page, and why it did not read it (mart.pages.observation). */
  readonly observation: string | null;
  readonly observation_reason: string | null;
  /** The crawl that `changes` compares it with; null: there is none. */
  readonly previous_crawl_id: string | null;
  readonly changes: readonly UrlChange[];
}

type HistoryRow = Omit<UrlHistoryEntry, 'changes'> & {
  /** Of the page, since the previous crawl (mart.page_comparison). */
  readonly change: PageChange | null;
  readonly reason: string | null;
  /** Whether both crawls read it as the same page. */
  readonly is_read: boolean;
  /** What the export tells of the columns of `COMPARED`: `COLUMN PART` (mart.crawl_columns), with commas between. */
  readonly told: string | null;
};

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

/** The URL in each crawl of the configuration, the newest first; empty where none has the page. */
export async function readUrlHistory({ rows }: UrlPlace): Promise<FoundOrWhy<readonly UrlHistoryEntry[]>> {
  const history = await rows<HistoryRow>(HISTORY);
  if (!history.some((row) => row.is_in_crawl))
    return { found: [], why: 'no crawl of this configuration has the page' };
  const byCrawl = new Map(history.map((row) => [row.crawl_id, row]));
  const found = history.map((row) => {
    const { told: _, change: __, reason: ___, is_read: ____, ...entry } = row;
    const before = byCrawl.get(row.previous_crawl_id ?? '');
    return { ...entry, changes: before === undefined ? [] : urlChanges(before, row) };
  });
  return { found, why: null };
}

/**
 * A field counts only where both crawls read the page, both exports tell it alike, and, for what is read of an answer,
 * the status is the same.
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
  ).map((field) => ({
    change: field,
    before: before[field],
    after: after[field],
  }));
  return [...whole, ...fields];
}
