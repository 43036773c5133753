import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { BY_DAYS, type Need, type Needs } from '../../../etl/project/sql/questions/question-needs.ts';
import type { CatalogReader } from '../../../etl/state/catalog/catalog.ts';

/** The beginning of the reason if the warehouse has the data, but no row matches. */
export const NO_MATCH = 'No rows match';

/** Counts the chosen crawl, or else main crawls. */
const ofCrawls = (condition: string): string =>
  `SELECT count(*) FROM mart.crawls AS crawls
   WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
     AND ($crawl IS NULL AND is_main OR crawl_id = $crawl) AND ${condition}`;
const somePage = (table: string, condition: string): string =>
  ofCrawls(`EXISTS (SELECT 1 FROM ${table} AS rows WHERE rows.crawl_id = crawls.crawl_id AND ${condition})`);
/**
 * A condition on the requested project, by identifier or name. The identifier alone is enough, because a project may
 * have days before its record exists.
 */
const ofProjects = `$project IS NULL OR project_id = $project
  OR project_id IN (SELECT project_id FROM mart.projects WHERE project_name = $project)`;
const mostDays = (days: string, table: string, condition = 'true'): string =>
  `SELECT coalesce(max(days), 0) FROM (
     SELECT ${days} AS days FROM ${table} WHERE ${condition} AND (${ofProjects}) GROUP BY project_id) AS projects`;

const SPAN = "date_diff('day', min(date), max(date)) + 1";

/** The data that a project without days may contain: a page export with totals of a period. */
const TOTALS = {
  sql: mostDays('count(*)', 'mart.ranking_periods', "totals_by <> 'all'"),
  why: 'Totals of a period do not contain this data (docs/demand.md).',
};

/** The data that answers need: a name, its amount in each project, and data that may exist instead. */
const NEEDS = {
  pages: { what: 'the pages of a crawl', sql: ofCrawls('has_pages') },
  links: { what: 'the links of a crawl', sql: ofCrawls('has_links') },
  crawl_before: {
    what: 'an earlier complete crawl of the same configuration',
    sql: ofCrawls('previous_crawl_id IS NOT NULL'),
  },
  second_crawl: {
    what: 'a second crawl of the same configuration',
    sql: ofCrawls(`EXISTS (
      SELECT 1 FROM mart.crawls AS other
      WHERE other.project_id = crawls.project_id AND other.crawl_id <> crawls.crawl_id AND other.has_pages
        AND coalesce(other.crawl_config_id, '') = coalesce(crawls.crawl_config_id, '')
        AND (other.is_comparable OR NOT crawls.is_comparable))`),
  },
  segments: {
    what: 'custom segments (page_group_…, segments.yaml)',
    sql: somePage('mart.page_segments', 'rows.segment IS NOT NULL'),
  },
  sitemaps: {
    what: 'a crawl that found a sitemap',
    sql: somePage('mart.pages', 'array_length(rows.sitemaps_file_origin) > 0'),
  },
  hreflangs: {
    what: 'pages with hreflang',
    sql: somePage('mart.pages', 'rows.hreflang_cluster_id IS NOT NULL'),
  },
  logs: { what: 'log files', sql: mostDays('count(*)', 'mart.log_days') },
  log_lines: {
    what: 'lines of log files (log_events)',
    sql: mostDays('count(*)', 'mart.log_days', "dataset = 'log_events'"),
  },
  rankings: {
    what: 'search results (ranking_performance)',
    sql: mostDays(
      SPAN,
      '(SELECT project_id, date FROM mart.ranking_performance UNION ALL SELECT project_id, to_date FROM mart.ranking_periods WHERE url IS NOT NULL) AS shown',
    ),
  },
  ranking_days: {
    what: 'search results by day and URL',
    instead: TOTALS,
    sql: mostDays(SPAN, 'mart.ranking_performance', 'url IS NOT NULL'),
  },
  ranking_queries: {
    what: 'search results by day, URL and query',
    instead: TOTALS,
    sql: mostDays(SPAN, 'mart.ranking_performance', 'url IS NOT NULL AND query IS NOT NULL'),
  },
} as const satisfies Readonly<Record<Need, object>>;

const DAYS_WITH = { logs: 'log files', search: 'search results' };

/** Returns the days that belong to the chosen crawl, or else to main crawls, or to projects without a crawl. */
const belonging = (kind: string): string =>
  `SELECT count(*) FROM mart.crawl_days
   WHERE kind = '${kind}' AND (${ofProjects}) AND (crawl_id = $crawl OR $crawl IS NULL
     AND (crawl_id IS NULL OR crawl_id IN (SELECT crawl_id FROM mart.crawls WHERE is_main)))`;

const CALLED = `SELECT
  coalesce((SELECT max(project_name) FROM mart.projects WHERE project_id = $project), CAST($project AS VARCHAR)) AS project,
  coalesce((
    SELECT coalesce(CAST(crawl_number AS VARCHAR) || ' ', '') || 'of ' || CAST(CAST(ended_at AS DATE) AS VARCHAR)
    FROM mart.crawls WHERE crawl_id = $crawl), CAST($crawl AS VARCHAR)) AS crawl`;

interface EmptyAnswer {
  readonly needs: Needs;
  readonly parameters: ReadonlyMap<string, string | null>;
}

/**
 * Explains why an answer has no rows: the question needs data that the warehouse lacks, or nothing matches. Null if the
 * question declares no needs, or the warehouse lacks the models for the check.
 */
export async function explainEmpty(
  { needs, parameters }: EmptyAnswer,
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<string | null> {
  const wanted = Object.entries(needs) as [Need, number][];
  if (wanted.length === 0) return null;
  const [project, crawl] = ['project', 'crawl'].map((name) => parameters.get(name) ?? null);
  const counts = wanted.flatMap(([name]) => {
    const need: (typeof NEEDS)[Need] & { readonly instead?: typeof TOTALS } = NEEDS[name];
    const other = need.instead === undefined ? [] : [`(${need.instead.sql}) AS instead_of_${name}`];
    return [`(${need.sql}) AS ${name}`, ...other];
  });
  const sql = `SELECT ${counts.join(', ')}, CAST($project AS VARCHAR) AS project, CAST($crawl AS VARCHAR) AS crawl`;
  const given = new Map(Object.entries({ project: project ?? null, crawl: crawl ?? null }));
  const [found] = (await unlessNoModels(() => warehouse.rows(sql, signal, given))) as [
    Record<Need | `instead_of_${Need}`, number>?,
  ];
  if (found === undefined) return null;
  const [called = { project, crawl }] = (await unlessNoModels(() =>
    warehouse.rows(CALLED, signal, given),
  )) as Readonly<Record<'project' | 'crawl', unknown>>[];
  const place = crawl ? `crawl ${called.crawl}` : project ? `project ${called.project}` : 'the warehouse';
  const lacking = wanted
    .filter(([name, least]) => Number(found[name]) < least)
    .map(([name, least]) => {
      const days = least === 1 ? '' : `${least} days of `;
      const instead = Number(found[`instead_of_${name}`] ?? 0) > 0 ? ` ${TOTALS.why}` : '';
      return `The question needs ${days}${NEEDS[name].what}; ${place} has ${Number(found[name]) || 'none'}.${instead}`;
    });
  if (lacking.length > 0) return lacking.join(' ');
  const isOfCrawl = !parameters.get('from') && !parameters.get('to');
  const kinds = new Set(isOfCrawl ? wanted.flatMap(([name]) => BY_DAYS.get(name) ?? []) : []);
  for (const kind of kinds) {
    const [days] = await unlessNoModels(() => warehouse.rows(belonging(kind), signal, given));
    if (days === undefined || Number(Object.values(days)[0]) > 0) continue;
    return `None of the days with ${DAYS_WITH[kind]} belongs to ${crawl ? place : 'a main crawl'} (docs/definitions.md, "Days of a crawl").`;
  }
  return `${NO_MATCH}; ${place} has the data that the question needs.`;
}

/** Returns no rows if a project omits the shipped models. */
async function unlessNoModels(work: () => Promise<readonly object[]>): Promise<readonly object[]> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof CrawlhouseError && thrown.code === 'bad_query') return [];
    throw thrown;
  }
}
