import type { Typed } from '../../../../core/text/typed-rows.ts';
import { type FigureAnswer, readFigure, readStatement } from '../../page-parts/answer-figure.ts';
import { calledProject } from '../../page-parts/called-project.ts';
import {
  type ChosenSegment,
  chosenSegment,
  DIRECTORY,
  partsOfChosen,
  readSegments,
} from '../../page-parts/chosen-segment.ts';
import { NotFound, page } from '../../page-parts/console-page.ts';
import { Demand, DemandSpan, type FIGURES } from '../../page-parts/demand-document.ts';
import { drawDemand } from '../../page-parts/draw-demand.ts';
import { readNotes } from '../../page-parts/project-notes.ts';
import type { Readers } from '../../readers/readers.ts';

const CHART_DAYS = 84;
const MOST = 15;

export const DEMAND = page<Demand>({
  path: '/projects/:project_id/demand',
  summary: 'Log files and search results of a project: what bots request, and what people find.',
  query: {
    segment: 'Only this first directory or segment, such as template:other.',
    segmentation: 'Groups rows by segments of this segmentation (default: by first directory).',
    wait: '1: wait for every answer, even a slow one.',
  },
  schema: Demand,
  async read({ path, query }, readers) {
    const { project_id, project_name } = await calledProject(readers, path.project_id ?? '');
    const days = await readDays(project_id, readers);
    const notes = await readNotes(readers.settings.projectDir, { project_id, project_name });
    const choices = await readSegments(readers, days.crawl_id);
    const chosen = chosenSegment(choices, query);
    // A segmentation without the chosen segment would have no rows.
    const segmentation = chosen.segmentation ?? (query.get('segmentation') || DIRECTORY);
    const figures = await readFigures(readers, project_id, { chosen, segmentation }, query.has('wait'));
    const { segment } = chosen;
    return { project_id, project_name, ...days, choices, segment, segmentation, notes, ...figures };
  },
  draw: (demand, { query, canAct }) => ({
    title: `Logs and demand of ${demand.project_name ?? demand.project_id}`,
    body: drawDemand(demand, query, canAct),
  }),
});

interface Choice {
  readonly chosen: ChosenSegment;
  /** The segmentation of rows by segment. */
  readonly segmentation: string;
}
type Figures = Pick<Demand, keyof typeof FIGURES>;
type Given = Readonly<Record<string, string>>;
const ProjectDays = Demand.pick({
  log_days: true,
  last_log_day: true,
  ranking_days: true,
  last_ranking_day: true,
  has_pages: true,
  crawl_id: true,
});
type Days = Typed<typeof ProjectDays> & Pick<Demand, 'spans'>;

async function readDays(project: string, readers: Readers): Promise<Days> {
  const [row] = await readers.rowsOnce(
    ProjectDays,
    `SELECT
       (SELECT count(*) FROM mart.log_days WHERE project_id = $project) AS log_days,
       (SELECT CAST(max(day) AS VARCHAR) FROM mart.log_days WHERE project_id = $project) AS last_log_day,
       (SELECT count(*) FROM mart.ranking_days WHERE project_id = $project) AS ranking_days,
       (SELECT CAST(max(ranking_date) AS VARCHAR) FROM mart.ranking_days WHERE project_id = $project) AS last_ranking_day,
       (SELECT count(*) > 0 FROM mart.crawls WHERE project_id = $project AND is_latest) AS has_pages,
       (SELECT max(crawl_id) FROM mart.crawls WHERE project_id = $project AND is_main AND has_pages) AS crawl_id`,
    new Map([['project', project]]),
  );
  const spans = await readers.rowsOnce(
    DemandSpan,
    `SELECT days.kind, CAST(days.from_date AS VARCHAR) AS from_date, CAST(days.to_date AS VARCHAR) AS to_date
     FROM ${OF_MAIN}
     WHERE days.project_id = $project
     GROUP BY days.kind, days.from_date, days.to_date`,
    new Map([['project', project]]),
  );
  if (row === undefined) throw new NotFound(`There is no project ${project}.`);
  return { ...row, spans };
}

/** The days that belong to the main crawl, or to no crawl in a project without one. */
const OF_MAIN = `(
  SELECT days.*
  FROM mart.crawl_days AS days
  LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = days.crawl_id
  WHERE coalesce(crawls.is_main, days.crawl_id IS NULL)) AS days`;

/**
 * Returns whether a URL is in the chosen segment; a first directory also contains URLs that are missing from the crawl.
 */
function within(url: string, { segment }: ChosenSegment): string {
  if (segment === null) return 'true';
  const directory = `CASE
      WHEN split_part(split_part(${url}, '?', 1), '#', 1) LIKE '%://%/%/%' THEN '/' || split_part(${url}, '/', 4) || '/'
      ELSE '/'
    END`;
  return `(${isNamed(`'${DIRECTORY}'`, directory)}
    OR ${url} IN (
      SELECT url FROM mart.page_segments
      WHERE ${isNamed('segmentation', 'segment')}
        AND crawl_id IN (SELECT crawl_id FROM mart.crawls WHERE project_id = $project AND is_main)))`;
}

/** Returns whether a segment is the chosen one, named alone or with its segmentation. */
const isNamed = (segmentation: string, segment: string): string =>
  `$segment IN (${segment}, ${segmentation} || ':' || ${segment})`;

/** Search engines by name, other bots by purpose. */
const hitsBy = (chosen: ChosenSegment): string => `SELECT CAST(hits.day AS VARCHAR) AS day,
  CASE WHEN hits.bot_class = 'search' THEN coalesce(hits.engine, 'search engines') ELSE hits.bot_class END AS family,
  CAST(sum(hits.hits) AS BIGINT) AS hits
FROM ${OF_MAIN}
JOIN mart.bot_hits AS hits ON hits.project_id = days.project_id AND hits.day = days.data_date
WHERE days.project_id = $project AND days.kind = 'logs' AND ${within('hits.url', chosen)}
GROUP BY 1, 2
ORDER BY 1, 2`;

const clicksBy = (chosen: ChosenSegment): string => `SELECT CAST(days.ranking_date AS VARCHAR) AS day,
  CAST(coalesce(sum(shown.clicks), 0) AS BIGINT) AS clicks,
  CAST(coalesce(sum(shown.impressions), 0) AS BIGINT) AS impressions
FROM mart.ranking_days AS days
LEFT JOIN mart.ranking_performance AS shown
  ON shown.project_id = days.project_id AND shown.date = days.ranking_date AND ${within('shown.url', chosen)}
WHERE days.project_id = $project
  AND days.ranking_date > (SELECT max(ranking_date) FROM mart.ranking_days WHERE project_id = $project) - INTERVAL '${CHART_DAYS}' DAY
GROUP BY 1
ORDER BY 1`;

const segmentsOf = ({ segment }: ChosenSegment): string =>
  `SELECT kpis.segment, kpis.clicks, kpis.clicks_change, kpis.clicks_change_reason, kpis.impressions, kpis.impressions_change
FROM mart.crawl_kpis AS kpis
WHERE kpis.project_id = $project AND kpis.is_main AND kpis.segmentation = $segmentation AND kpis.clicks IS NOT NULL
  AND ${segment === null ? 'true' : isNamed('kpis.segmentation', 'kpis.segment')}
ORDER BY kpis.clicks DESC, kpis.segment LIMIT ${MOST}`;

/** The answers of saved questions with the columns to draw. */
const OF_QUESTIONS = {
  wasted: {
    question: 'q17_wasted_crawl_budget',
    select: (answer) =>
      `SELECT CAST(max(from_date) AS VARCHAR) AS from_date, CAST(max(to_date) AS VARCHAR) AS to_date,
         coalesce(waste, 'unknown') AS waste,
         CAST(sum(urls) AS BIGINT) AS urls, CAST(sum(hits) AS BIGINT) AS hits
       FROM ${answer} GROUP BY 3 ORDER BY hits DESC, 3`,
  },
  budget: {
    question: 'q33_crawl_budget_by_segment',
    select: (answer) =>
      `SELECT CAST(from_date AS VARCHAR) AS from_date, CAST(to_date AS VARCHAR) AS to_date, segmentation, segment,
         search_bot_hits, hits_percent, indexable_hits, indexable_percent, non_indexable_hits, untold_hits, uncrawled_hits,
         count(*) OVER () AS segments
       FROM ${answer} ORDER BY search_bot_hits DESC NULLS LAST, pages DESC, segment LIMIT ${MOST}`,
  },
  engines: {
    question: 'q26_crawl_frequency_by_engine',
    select: (answer) =>
      `SELECT coalesce(engine, 'unknown') AS engine, CAST(sum(hits) AS BIGINT) AS hits,
         CAST(sum(crawled_pages) AS BIGINT) AS urls, CAST(max(from_date) AS VARCHAR) AS from_date,
         CAST(max(to_date) AS VARCHAR) AS to_date
       FROM ${answer} GROUP BY 1 ORDER BY 2 DESC, 1`,
  },
  ai: {
    question: 'q31_ai_crawlers_by_page',
    select: (answer) =>
      `SELECT crawler, purpose, CAST(sum(hits) AS BIGINT) AS hits, count(DISTINCT url) AS urls
       FROM ${answer} GROUP BY crawler, purpose ORDER BY 3 DESC, 1 LIMIT ${MOST}`,
  },
  losses: {
    question: 'q28_decay',
    select: (answer) =>
      `SELECT url, moved_from, clicks, clicks_before, clicks_since, clicks_weekdays_before,
         CAST(since_from_date AS VARCHAR) AS since_from_date, CAST(since_to_date AS VARCHAR) AS since_to_date, changes, pages
       FROM (
         SELECT *, count(*) OVER () AS pages,
           greatest(coalesce(clicks_before - clicks, 0), coalesce(clicks_weekdays_before - clicks_since, 0)) AS lost
         FROM ${answer}
         WHERE clicks_before > clicks OR clicks_weekdays_before > clicks_since) AS losers
       ORDER BY lost DESC, url LIMIT ${MOST}`,
  },
  fresh: {
    question: 'q25_freshness',
    // Without log files, requests of bots are unknown; without search results, impressions are.
    select: (answer) =>
      `SELECT CAST(first_seen_date AS VARCHAR) AS first_seen, count(*) AS pages,
         CASE WHEN max(logs_from_date) IS NOT NULL THEN count(first_bot_date) END AS bots,
         round(avg(days_to_bot), 1) AS days_to_bot,
         CASE WHEN max(shown_from_date) IS NOT NULL THEN count(first_shown_date) END AS shown,
         round(avg(days_to_shown), 1) AS days_to_shown
       FROM ${answer} WHERE logs_from_date IS NOT NULL OR shown_from_date IS NOT NULL
       GROUP BY first_seen_date ORDER BY first_seen_date DESC LIMIT ${MOST}`,
  },
} as const satisfies Readonly<
  Record<string, { readonly question: string; readonly select: (answer: string) => string }>
>;

async function readFigures(
  readers: Readers,
  project: string,
  { chosen, segmentation }: Choice,
  isPatient: boolean,
): Promise<Figures> {
  const given = { project, ...partsOfChosen(chosen) };
  const bySegment = { ...given, segmentation };
  const own = (sql: string, need: string, of: Given = given): Promise<FigureAnswer> =>
    readStatement(readers, sql, { given: of, needs: { [need]: 1 }, isPatient });
  const ask = (figure: keyof typeof OF_QUESTIONS, of: Given = given): Promise<FigureAnswer> =>
    readFigure(readers, { ...OF_QUESTIONS[figure], given: of, isSlow: true, isPatient });
  const read: Readonly<Record<keyof typeof FIGURES, Promise<FigureAnswer>>> = {
    hits: own(hitsBy(chosen), 'logs'),
    clicks: own(clicksBy(chosen), 'ranking_days'),
    segments: own(segmentsOf(chosen), 'rankings', bySegment),
    wasted: ask('wasted'),
    budget: ask('budget', bySegment),
    engines: ask('engines'),
    ai: ask('ai'),
    losses: ask('losses'),
    fresh: ask('fresh'),
  };
  const answers = await Promise.all(Object.values(read));
  return Object.fromEntries(Object.keys(read).map((name, n) => [name, answers[n]])) as Figures;
}
