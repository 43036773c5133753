import { z } from 'zod';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import type { Question } from '../../../etl/project/sql/questions/questions.ts';
import { StatusPoint } from '../presentation/charts/charts.ts';
import { NamedChange } from '../presentation/site-change-words.ts';
import {
  type AnswerRows,
  type Ask,
  askQuestion,
  type CrawlAnswers,
  mapAnswers,
  QUESTIONS,
  readCrawlAnswers,
} from './crawl-answers.ts';

/** Crawls of a chart: two years of monthly crawls. */
const MOST_CRAWLS = 24;

/** A crawl of a project's main configuration, with its figures; a figure is null if unknown. */
export const TrendPoint = z.strictObject({
  crawl_id: z.string(),
  /** ISO 8601, UTC. */
  ended_at: z.string(),
  pages: z.number().nullable(),
  indexable_pages: z.number().nullable(),
  error_pages: z.number().nullable(),
  /** Milliseconds. */
  average_load_time: z.number().nullable(),
});
export type TrendPoint = Typed<typeof TrendPoint>;

/** An issue of a crawl, with its changes since the previous crawl (mart.issue_changes). */
export const ReportIssue = z.strictObject({
  crawl_id: z.string(),
  issue: z.string(),
  title: z.string(),
  severity: z.string(),
  /** The weight of its severity, from 0 to 1. */
  weight: z.number(),
  pages: z.number(),
  /** Null if no crawl is compared. Also applies to the next fields. */
  new: z.number().nullable(),
  fixed: z.number().nullable(),
  /** Pages that had the issue and were not read again. */
  missing: z.number().nullable(),
  /** Clicks of the pages that are new in it, on the days of the crawl. */
  new_clicks: z.number().nullable(),
  /** Its pages in the last crawls of the configuration, oldest first; null if unknown. */
  trend: z.array(z.number().nullable()),
  why_it_matters: z.string(),
  fix: z.string(),
});
export type ReportIssue = Typed<typeof ReportIssue>;
const IssueTrend = z.strictObject({ main_id: z.string(), issue: z.string(), trend: ReportIssue.shape.trend });

/** A change of the website that the crawl found (mart.site_changes). */
const ReportChange = z.strictObject({
  ...NamedChange.shape,
  crawl_id: z.string(),
  pages: z.number().nullable(),
  /** Clicks at risk or lost; null if unknown. */
  clicks: z.number().nullable(),
});
type ReportChange = Typed<typeof ReportChange>;

const MissingPages = z.strictObject({ crawl_id: z.string(), reason: z.string(), pages: z.number() });

/** A project by its main crawl (mart.crawls.is_main), or by the chosen crawl. */
const ReportedCrawl = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  crawl_config_name: z.string().nullable(),
  crawl_id: z.string(),
  previous_crawl_id: z.string().nullable(),
  ended_at: z.string().nullable(),
  previous_ended_at: z.string().nullable(),
  end_reason: z.string().nullable(),
  /** Why the crawl does not cover the whole site; null if it does. */
  scope_note: z.string().nullable(),
});

export interface ProjectReport extends CrawlAnswers, Typed<typeof ReportedCrawl> {
  /** Pages of the previous crawl that it did not read, by reason, most common first. */
  readonly missing_pages: readonly Omit<Typed<typeof MissingPages>, 'crawl_id'>[];
  /** The most severe first; fixed issues have no pages. */
  readonly issues: readonly ReportIssue[];
  /** The crawls of its configuration up to this one, oldest first. */
  readonly trend: readonly TrendPoint[];
  readonly statusTrend: readonly StatusPoint[];
  /** The changes with the most clicks at risk come first. */
  readonly siteChanges: readonly ReportChange[];
}

/** The crawl whose report has the row. */
const OF_MAIN = { main_id: z.string() };

const FIGURES = 'pages, indexable_pages, error_pages, average_load_time';

const REPORTED = `SELECT project_id, project_name, crawl_config_id, crawl_config_name, crawl_id, previous_crawl_id, ended_at, end_reason,
    scope_note
  FROM mart.crawls
  WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
    AND (($reported IS NULL AND is_main) OR crawl_id = $reported)`;

/** The last crawls up to each crawl that charts include (mart.crawls.is_in_trends). */
const SHOWN = `
  WITH main AS (${REPORTED})
  SELECT crawl_id, main_id FROM (
    SELECT crawls.crawl_id, main.crawl_id AS main_id,
      row_number() OVER (PARTITION BY main.crawl_id ORDER BY crawls.ended_at DESC, crawls.crawl_id) AS place
    FROM mart.crawls AS crawls
    JOIN main ON main.project_id = crawls.project_id AND main.crawl_config_id IS NOT DISTINCT FROM crawls.crawl_config_id
    WHERE crawls.is_in_trends AND coalesce(crawls.ended_at <= main.ended_at, true)) AS placed
  WHERE place <= ${MOST_CRAWLS}`;

const ISSUES = `
  SELECT changes.crawl_id, changes.issue, issues.title, issues.severity, CAST(issues.weight AS DOUBLE) AS weight,
    changes.pages, changes.new_pages AS "new", changes.fixed_pages AS fixed, changes.missing_pages AS missing,
    priorities.new_clicks, issues.why_it_matters, issues.fix
  FROM mart.issue_changes AS changes
  JOIN (${REPORTED}) AS reported ON reported.crawl_id = changes.crawl_id
  JOIN mart.project_issues AS issues ON issues.project_id = changes.project_id AND issues.issue = changes.issue
  LEFT JOIN mart.issue_priorities AS priorities
    ON priorities.crawl_id = changes.crawl_id AND priorities.issue = changes.issue AND priorities.segmentation = '(site)'
  WHERE changes.pages > 0 OR changes.fixed_pages > 0 OR changes.missing_pages > 0
  ORDER BY changes.crawl_id, issues.weight DESC, changes.pages DESC, changes.issue`;

const CHANGES = `
  SELECT found.crawl_id, found.change, found.segmentation, found.segment, found.pages, found.clicks, found."before", found."after"
  FROM mart.site_changes AS found
  JOIN (${REPORTED}) AS reported ON reported.crawl_id = found.crawl_id
  ORDER BY found.crawl_id, coalesce(found.clicks, 0) DESC, coalesce(found.pages, 0) DESC, found.change, found.segmentation, found.segment`;
const MISSING = `
  SELECT changes.crawl_id, changes.reason, count(*) AS pages
  FROM mart.page_changes AS changes
  JOIN (${REPORTED}) AS reported ON reported.crawl_id = changes.crawl_id
  WHERE changes.change = 'missing' AND changes.reason IS NOT NULL
  GROUP BY changes.crawl_id, changes.reason
  ORDER BY changes.crawl_id, pages DESC, changes.reason`;

const TRENDS = `
  SELECT shown.main_id, trend.issue, array_agg(trend.pages ORDER BY trend.ended_at, trend.crawl_id) AS trend
  FROM mart.issue_trend AS trend
  JOIN (${SHOWN}) AS shown ON shown.crawl_id = trend.crawl_id
  GROUP BY shown.main_id, trend.issue`;

/**
 * Reads the answers of the saved questions about one project or all, by name. Each question runs once, whatever the
 * number of projects.
 *
 * @param chosen a project by its name or identifier, a crawl by its identifier; null means all, by their main crawls
 */
export async function readSiteReport(
  ask: Ask,
  questions: readonly Question[],
  chosen: ReadonlyMap<string, string | null> = new Map(),
): Promise<readonly ProjectReport[]> {
  const [project = null, reported = null] = [chosen.get('project'), chosen.get('crawl')];
  const given = (texts: object): Map<string, string> =>
    new Map(Object.entries(texts).filter(([, text]) => text !== null));
  // Named `reported`, because questions limit their answer to the crawl in `crawl`.
  const asked = new Map(Object.entries({ project, reported }));
  const read = async <Schema extends z.ZodType>(schema: Schema, sql: string) =>
    typedRows(schema, await ask(sql, asked));
  const crawls = await read(
    ReportedCrawl,
    `SELECT main.project_id, main.project_name, main.crawl_config_name, main.crawl_id, main.previous_crawl_id, main.ended_at,
       previous.ended_at AS previous_ended_at, main.end_reason, main.scope_note
     FROM (${REPORTED}) AS main LEFT JOIN mart.crawls AS previous ON previous.crawl_id = main.previous_crawl_id
     ORDER BY main.project_name, main.project_id`,
  );
  const issues = byCrawl(await read(ReportIssue.omit({ trend: true }), ISSUES));
  const changes = byCrawl(await read(ReportChange, CHANGES));
  const missing = byCrawl(await read(MissingPages, MISSING));
  const trendsOf = byMain(await read(IssueTrend, TRENDS));
  const trend = (name: string, columns: string, by: string): Promise<AnswerRows> =>
    askQuestion((sql, parameters) => ask(sql, new Map([...parameters, ...asked])), questions, name, {
      given: given({ project }),
      select: (answer) =>
        `SELECT shown.main_id, answer.crawl_id, answer.ended_at, ${columns}
         FROM ${answer} JOIN (${SHOWN}) AS shown ON shown.crawl_id = answer.crawl_id
         WHERE answer.segmentation IS NULL OR answer.segmentation = '(site)'
         GROUP BY shown.main_id, answer.crawl_id, answer.ended_at, ${by} ORDER BY answer.ended_at, answer.crawl_id, ${by}`,
    });
  const figures = byMain(
    typedRows(TrendPoint.extend(OF_MAIN), await trend(QUESTIONS.trend, FIGURES, FIGURES)),
  );
  const pages = 'status_code_range, CAST(sum(pages) AS BIGINT) AS pages';
  const statuses = byMain(
    typedRows(StatusPoint.extend(OF_MAIN), await trend(QUESTIONS.statuses, pages, 'status_code_range')),
  );
  const answers = await readCrawlAnswers(ask, questions, given({ project, crawl: reported }));
  const grouped = mapAnswers(answers, (rows) => Map.groupBy(rows, ({ crawl_id }) => crawl_id));
  return crawls.map((crawl) => {
    const { crawl_id: id } = crawl;
    const trends = new Map(trendsOf.get(id)?.map((one) => [one.issue, one.trend]));
    return {
      ...crawl,
      missing_pages: (missing.get(id) ?? []).map(({ reason, pages }) => ({ reason, pages })),
      issues: (issues.get(id) ?? []).map((one) => ({ ...one, trend: trends.get(one.issue) ?? [] })),
      siteChanges: changes.get(id) ?? [],
      trend: figures.get(id) ?? [],
      statusTrend: statuses.get(id) ?? [],
      ...mapAnswers(grouped, (by) => by.get(id) ?? []),
    };
  });
}

const byCrawl = <Row extends { readonly crawl_id: string }>(rows: readonly Row[]) =>
  Map.groupBy(rows, ({ crawl_id }) => crawl_id);

const byMain = <Row extends Typed<z.ZodObject<typeof OF_MAIN>>>(rows: readonly Row[]) =>
  Map.groupBy(rows, ({ main_id }) => main_id);
