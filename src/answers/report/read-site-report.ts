import type { Question } from '../../pipeline/transform/questions/questions.ts';
import type { NamedChange } from '../../project/model/shown/site-change-words.ts';
import {
  type AnswerRows,
  type Ask,
  askQuestion,
  type CrawlAnswers,
  mapAnswers,
  QUESTIONS,
  readCrawlAnswers,
} from './crawl-answers.ts';

/** Crawls of a chart: two years of monthly ones. */
const MOST_CRAWLS = 24;

/** A crawl of a project's main configuration, in its figures; null where one is not known. */
export interface TrendPoint {
  readonly crawl_id: string;
  /** ISO 8601, UTC. */
  readonly ended_at: string;
  readonly pages: number | null;
  readonly indexable_pages: number | null;
  readonly error_pages: number | null;
  /** Milliseconds. */
  readonly average_load_time: number | null;
}

/** Pages of one crawl with statuses of one range; null: without an answer. */
export interface StatusPoint {
  readonly crawl_id: string;
  readonly ended_at: string;
  readonly status_code_range: string | null;
  readonly pages: number;
}

/** An issue of a crawl, with what changed since the previous crawl (mart.issue_changes). */
export interface ReportIssue {
  readonly crawl_id: string;
  readonly issue: string;
  readonly title: string;
  readonly severity: string;
  /** Of its severity, from 0 to 1. */
  readonly weight: number;
  readonly pages: number;
  /** Null where nothing is compared, as in the next. */
  readonly new: number | null;
  readonly fixed: number | null;
  /** Pages that had it and were not read again. */
  readonly missing: number | null;
  /** Of the pages that have it new, on the days that belong to the crawl. */
  readonly new_clicks: number | null;
  /** Pages that have it in the last crawls of the configuration, the oldest first; null where it is not known. */
  readonly trend: readonly (number | null)[];
  readonly why_it_matters: string;
  readonly fix: string;
}

/** A change of the website that the crawl found (mart.site_changes). */
interface ReportChange extends NamedChange {
  readonly crawl_id: string;
  readonly pages: number | null;
  /** Clicks at risk, or lost; null where they are unknown. */
  readonly clicks: number | null;
}

/** A project by its main crawl (mart.crawls.is_main), or by one that was asked for. */
export interface ProjectReport extends CrawlAnswers {
  readonly project_id: string;
  readonly project_name: string | null;
  readonly crawl_config_name: string | null;
  readonly crawl_id: string;
  readonly previous_crawl_id: string | null;
  readonly ended_at: string | null;
  readonly previous_ended_at: string | null;
  readonly end_reason: string | null;
  /** Why it does not cover the whole site; null where it does. */
  readonly scope_note: string | null;
  /** Pages of the previous crawl that it did not read, by why, the most common first. */
  readonly missing_pages: readonly { readonly reason: string; readonly pages: number }[];
  /** The severest first; those that are fixed have no pages. */
  readonly issues: readonly ReportIssue[];
  /** The crawls of its configuration up to this one, the oldest first. */
  readonly trend: readonly TrendPoint[];
  readonly statusTrend: readonly StatusPoint[];
  /** The ones with the most clicks at risk first. */
  readonly siteChanges: readonly ReportChange[];
}

const FIGURES = 'pages, indexable_pages, error_pages, average_load_time';

/** The crawls that are reported on: the main ones, or the one that is asked for. */
const REPORTED = `SELECT project_id, project_name, crawl_config_id, crawl_config_name, crawl_id, previous_crawl_id, ended_at, end_reason,
    scope_note
  FROM mart.crawls
  WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
    AND (($reported IS NULL AND is_main) OR crawl_id = $reported)`;

/** The last ones up to each that charts have (mart.crawls.is_in_trends). */
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
 * The answers of the saved questions about one project or all, by name. Each question is asked once, whatever the
 * number of projects.
 *
 * @param chosen a project by its name or identifier, a crawl by its identifier; null: all, by their main crawls
 */
export async function readSiteReport(
  ask: Ask,
  questions: readonly Question[],
  chosen: ReadonlyMap<string, string | null> = new Map(),
): Promise<readonly ProjectReport[]> {
  const [project = null, reported = null] = [chosen.get('project'), chosen.get('crawl')];
  const given = (texts: object): Map<string, string> =>
    new Map(Object.entries(texts).filter(([, text]) => text !== null));
  // A question would take `crawl` for the only one of its answer.
  const asked = new Map(Object.entries({ project, reported }));
  const crawls = (await ask(
    `SELECT main.project_id, main.project_name, main.crawl_config_name, main.crawl_id, main.previous_crawl_id, main.ended_at,
       previous.ended_at AS previous_ended_at, main.end_reason, main.scope_note
     FROM (${REPORTED}) AS main LEFT JOIN mart.crawls AS previous ON previous.crawl_id = main.previous_crawl_id
     ORDER BY main.project_name, main.project_id`,
    asked,
  )) as unknown as Omit<
    ProjectReport,
    'trend' | 'statusTrend' | 'issues' | 'siteChanges' | 'missing_pages' | keyof CrawlAnswers
  >[];
  const issues = Map.groupBy(
    (await ask(ISSUES, asked)) as unknown as ReportIssue[],
    ({ crawl_id }) => crawl_id,
  );
  const changes = Map.groupBy(
    (await ask(CHANGES, asked)) as unknown as ReportChange[],
    ({ crawl_id }) => crawl_id,
  );
  const missing = Map.groupBy(
    (await ask(MISSING, asked)) as unknown as (ProjectReport['missing_pages'][number] & {
      readonly crawl_id: string;
    })[],
    ({ crawl_id }) => crawl_id,
  );
  const trendsOf = byMain(await ask(TRENDS, asked));
  const trend = (name: string, columns: string, by: string): Promise<AnswerRows> =>
    askQuestion((sql, parameters) => ask(sql, new Map([...parameters, ...asked])), questions, name, {
      given: given({ project }),
      select: (answer) =>
        `SELECT shown.main_id, answer.crawl_id, answer.ended_at, ${columns}
         FROM ${answer} JOIN (${SHOWN}) AS shown ON shown.crawl_id = answer.crawl_id
         WHERE answer.segmentation IS NULL OR answer.segmentation = '(site)'
         GROUP BY shown.main_id, answer.crawl_id, answer.ended_at, ${by} ORDER BY answer.ended_at, answer.crawl_id, ${by}`,
    });
  const figures = byMain(await trend(QUESTIONS.trend, FIGURES, FIGURES));
  const statuses = byMain(
    await trend(
      QUESTIONS.statuses,
      'status_code_range, CAST(sum(pages) AS BIGINT) AS pages',
      'status_code_range',
    ),
  );
  const answers = await readCrawlAnswers(ask, questions, given({ project, crawl: reported }));
  const grouped = mapAnswers(answers, (rows) => Map.groupBy(rows, ({ crawl_id }) => crawl_id));
  return crawls.map((crawl) => {
    const { crawl_id: id } = crawl;
    const trends = new Map(trendsOf.get(id)?.map((one) => [one.issue, one.trend as ReportIssue['trend']]));
    return {
      ...crawl,
      missing_pages: (missing.get(id) ?? []).map(({ reason, pages }) => ({ reason, pages })),
      issues: (issues.get(id) ?? []).map((one) => ({ ...one, trend: trends.get(one.issue) ?? [] })),
      siteChanges: changes.get(id) ?? [],
      trend: (figures.get(id) ?? []) as unknown as TrendPoint[],
      statusTrend: (statuses.get(id) ?? []) as unknown as StatusPoint[],
      ...mapAnswers(grouped, (by) => by.get(id) ?? []),
    };
  });
}

function byMain(rows: AnswerRows): ReadonlyMap<unknown, AnswerRows> {
  return Map.groupBy(rows, ({ main_id }) => main_id);
}
