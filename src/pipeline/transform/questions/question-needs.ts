import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import { byName } from './question-parameters.ts';

/** Of the crawl that is asked for, else of main crawls. */
const ofCrawls = (condition: string): string =>
  `SELECT count(*) FROM mart.crawls AS crawls
   WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
     AND ($crawl IS NULL AND is_main OR crawl_id = $crawl) AND ${condition}`;
const somePage = (table: string, condition: string): string =>
  ofCrawls(`EXISTS (SELECT 1 FROM ${table} AS rows WHERE rows.crawl_id = crawls.crawl_id AND ${condition})`);
/** A project may have days before it has a record: its identifier needs none. */
const ofProjects = `$project IS NULL OR project_id = $project
  OR project_id IN (SELECT project_id FROM mart.projects WHERE project_name = $project)`;
/** The most days of a project. */
const mostDays = (days: string, table: string, condition = 'true'): string =>
  `SELECT coalesce(max(days), 0) FROM (
     SELECT ${days} AS days FROM ${table} WHERE ${condition} AND (${ofProjects}) GROUP BY project_id) AS projects`;

const SPAN = "date_diff('day', min(date), max(date)) + 1";

/** What a project has that lacks days: an export of a page, with totals of a period. */
const TOTALS = {
  sql: mostDays('count(*)', 'mart.ranking_periods', "totals_by <> 'all'"),
  why: 'Totals of a period, as exports of a page have them, do not answer it (docs/demand.md).',
};

/** A need of answers: its name, the projects that have it, and its amount; and what may be there instead. */
const NEEDS = {
  pages: { what: 'the pages of a crawl', sql: ofCrawls('has_pages') },
  links: { what: 'the links of a crawl', sql: ofCrawls('has_links') },
  crawl_before: {
    what: 'a complete crawl before the main one, of the same configuration',
    sql: ofCrawls('previous_crawl_id IS NOT NULL'),
  },
  second_crawl: {
    what: 'a second crawl of the configuration of the main one',
    sql: ofCrawls(`EXISTS (
      SELECT 1 FROM mart.crawls AS other
      WHERE other.project_id = crawls.project_id AND other.crawl_id <> crawls.crawl_id AND other.has_pages
        AND coalesce(other.crawl_config_id, '') = coalesce(crawls.crawl_config_id, '')
        AND (other.is_comparable OR NOT crawls.is_comparable))`),
  },
  segments: {
    what: "segments of the project's own (page_group_…, segments.yaml)",
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
} as const;
type Need = keyof typeof NEEDS;
const NAMES = Object.keys(NEEDS) as [Need, ...Need[]];
/** Those that may be wanted of more days than one, and the kind of their days in `mart.crawl_days`. */
const BY_DAYS: ReadonlyMap<string, 'logs' | 'search'> = new Map([
  ['logs', 'logs'],
  ['log_lines', 'logs'],
  ['rankings', 'search'],
  ['ranking_days', 'search'],
  ['ranking_queries', 'search'],
]);
const DAYS_WITH = { logs: 'log files', search: 'search results' };

/** The days that belong to the crawl that is asked for, else to main crawls, or to projects without one. */
const belonging = (kind: string): string =>
  `SELECT count(*) FROM mart.crawl_days
   WHERE kind = '${kind}' AND (${ofProjects}) AND (crawl_id = $crawl OR $crawl IS NULL
     AND (crawl_id IS NULL OR crawl_id IN (SELECT crawl_id FROM mart.crawls WHERE is_main)))`;

/** What people call the project and the crawl that are asked for. */
const CALLED = `SELECT
  coalesce((SELECT max(project_name) FROM mart.projects WHERE project_id = $project), CAST($project AS VARCHAR)) AS project,
  coalesce((
    SELECT coalesce(CAST(crawl_number AS VARCHAR) || ' ', '') || 'of ' || CAST(CAST(ended_at AS DATE) AS VARCHAR)
    FROM mart.crawls WHERE crawl_id = $crawl), CAST($crawl AS VARCHAR)) AS crawl`;

/** The needs of a question for any rows, with their amounts: days for dated data, else 1. */
export type Needs = Readonly<Partial<Record<Need, number>>>;

/** Names; or by name: nothing, or a number of days. */
export const NeedsHeader = z
  .preprocess(
    (value) => byName(value, (_name, least) => least ?? 1),
    z
      .partialRecord(z.enum(NAMES), z.int().positive())
      .refine((needs) => Object.entries(needs).every(([name, least]) => least === 1 || BY_DAYS.has(name)), {
        error: `only ${[...BY_DAYS.keys()].join(', ')} have a number of days`,
      }),
  )
  .default({});

interface EmptyAnswer {
  readonly needs: Needs;
  readonly parameters: ReadonlyMap<string, string | null>;
}

/**
 * Says why an answer has no rows: what the question needs and the warehouse lacks, or that nothing fits. Null where the
 * question names no needs, or the warehouse has not the models to look at.
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
  return `Nothing fits; ${place} has what the question needs.`;
}

/** A project may do without the models that ship. */
async function unlessNoModels(work: () => Promise<readonly object[]>): Promise<readonly object[]> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof CrawlhouseError && thrown.code === 'bad_query') return [];
    throw thrown;
  }
}
