import type { Readers } from '../desk/desk.ts';
import { type FigureAnswer, readFigure, readStatement } from './answer-figure.ts';
import { calledProject } from './called-project.ts';
import { Demand, type FIGURES } from './demand-document.ts';
import { drawDemand } from './draw-demand.ts';
import { readNotes } from './notes.ts';
import { page } from './page.ts';

const CHART_DAYS = 84;
const MOST = 15;

export const DEMAND = page<Demand>({
  path: '/projects/:project_id/demand',
  summary: 'Log files and search results of a project: what bots ask for, and what people find.',
  query: { wait: '1: wait for every answer, however long it takes.' },
  schema: Demand,
  async read({ path, query }, desk) {
    const { project_id, project_name } = await calledProject(desk, path.project_id ?? '');
    const days = await readDays(project_id, desk);
    const notes = await readNotes(desk.settings.projectDir, { project_id, project_name });
    const figures = await readFigures(project_id, desk, query.has('wait'));
    return { project_id, project_name, ...days, notes, ...figures };
  },
  draw: (demand) => ({
    title: `Logs and demand of ${demand.project_name ?? demand.project_id}`,
    body: drawDemand(demand),
  }),
});

type Days = Omit<Demand, keyof typeof FIGURES | 'notes' | 'project_id' | 'project_name'>;

async function readDays(project: string, desk: Readers): Promise<Days> {
  const [row] = await desk.rowsOnce(
    `SELECT
       (SELECT count(*) FROM mart.log_days WHERE project_id = $project) AS log_days,
       (SELECT CAST(max(day) AS VARCHAR) FROM mart.log_days WHERE project_id = $project) AS last_log_day,
       (SELECT count(*) FROM mart.ranking_days WHERE project_id = $project) AS ranking_days,
       (SELECT CAST(max(ranking_date) AS VARCHAR) FROM mart.ranking_days WHERE project_id = $project) AS last_ranking_day,
       (SELECT count(*) > 0 FROM mart.crawls WHERE project_id = $project AND is_latest) AS has_pages`,
    new Map([['project', project]]),
  );
  const spans = await desk.rowsOnce(
    `SELECT days.kind, CAST(days.from_date AS VARCHAR) AS from_date, CAST(days.to_date AS VARCHAR) AS to_date
     FROM ${OF_MAIN}
     WHERE days.project_id = $project
     GROUP BY days.kind, days.from_date, days.to_date`,
    new Map([['project', project]]),
  );
  const found = row as unknown as Omit<Days, 'spans'>;
  return {
    ...found,
    log_days: Number(found.log_days),
    ranking_days: Number(found.ranking_days),
    spans: spans as unknown as Days['spans'],
  };
}

/** The days that belong to the main crawl, or to none in a project without one. */
const OF_MAIN = `(
  SELECT days.*
  FROM mart.crawl_days AS days
  LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = days.crawl_id
  WHERE coalesce(crawls.is_main, days.crawl_id IS NULL)) AS days`;

/** Search engines by their names, other bots by what they are for. */
const HITS = `SELECT CAST(hits.day AS VARCHAR) AS day,
  CASE WHEN hits.bot_class = 'search' THEN coalesce(hits.engine, 'search engines') ELSE hits.bot_class END AS family,
  CAST(sum(hits.hits) AS BIGINT) AS hits
FROM ${OF_MAIN}
JOIN mart.bot_hits AS hits ON hits.project_id = days.project_id AND hits.day = days.data_date
WHERE days.project_id = $project AND days.kind = 'logs'
GROUP BY 1, 2
ORDER BY 1, 2`;

const CLICKS = `SELECT CAST(days.ranking_date AS VARCHAR) AS day,
  CAST(coalesce(sum(shown.clicks), 0) AS BIGINT) AS clicks,
  CAST(coalesce(sum(shown.impressions), 0) AS BIGINT) AS impressions
FROM mart.ranking_days AS days
LEFT JOIN mart.ranking_performance AS shown
  ON shown.project_id = days.project_id AND shown.date = days.ranking_date
WHERE days.project_id = $project
  AND days.ranking_date > (SELECT max(ranking_date) FROM mart.ranking_days WHERE project_id = $project) - INTERVAL '${CHART_DAYS}' DAY
GROUP BY 1
ORDER BY 1`;

const SEGMENTS = `SELECT kpis.segment, kpis.clicks, kpis.clicks_change, kpis.clicks_change_reason, kpis.impressions,
  kpis.impressions_change
FROM mart.crawl_kpis AS kpis
WHERE kpis.project_id = $project AND kpis.is_main AND kpis.segmentation = '(directory)' AND kpis.clicks IS NOT NULL
ORDER BY kpis.clicks DESC, kpis.segment
LIMIT ${MOST}`;

/** The answers of saved questions, as far as they are drawn. */
const OF_QUESTIONS = {
  wasted: {
    question: 'q17_wasted_crawl_budget',
    select: (answer) =>
      `SELECT CAST(max(from_date) AS VARCHAR) AS from_date, CAST(max(to_date) AS VARCHAR) AS to_date,
         coalesce(waste, 'not known') AS waste,
         CAST(sum(urls) AS BIGINT) AS urls, CAST(sum(hits) AS BIGINT) AS hits
       FROM ${answer} GROUP BY 3 ORDER BY hits DESC, 3`,
  },
  visited: {
    question: 'q16_bot_hits_by_segment_depth_and_inrank',
    select: (answer) =>
      `SELECT segment, CAST(sum(pages) AS BIGINT) AS pages,
         CASE WHEN count(search_bot_hits) = count(*) THEN CAST(sum(search_bot_hits) AS BIGINT) END AS search_bot_hits
       FROM ${answer} GROUP BY segment ORDER BY 3 DESC NULLS LAST, 2 DESC, 1 LIMIT ${MOST}`,
  },
  engines: {
    question: 'q26_crawl_frequency_by_engine',
    select: (answer) =>
      `SELECT coalesce(engine, 'not known') AS engine, CAST(sum(hits) AS BIGINT) AS hits,
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
      `SELECT url, clicks, clicks_before, clicks_change_percent, changes FROM ${answer}
       WHERE clicks_before > clicks ORDER BY clicks_before - clicks DESC, url LIMIT ${MOST}`,
  },
  fresh: {
    question: 'q25_freshness',
    // Without log files nobody knows of bots, and without search results of what they showed.
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
  project: string,
  desk: Readers,
  isPatient: boolean,
): Promise<Pick<Demand, keyof typeof FIGURES>> {
  const given = { project };
  const own = (sql: string, need: 'logs' | 'ranking_days' | 'rankings'): Promise<FigureAnswer> =>
    readStatement(desk, sql, { given, needs: { [need]: 1 }, isPatient });
  const ask = (figure: keyof typeof OF_QUESTIONS): Promise<FigureAnswer> =>
    readFigure(desk, { ...OF_QUESTIONS[figure], given, isSlow: true, isPatient });
  const [hits, clicks, segments, wasted, visited, engines, ai, losses, fresh] = await Promise.all([
    own(HITS, 'logs'),
    own(CLICKS, 'ranking_days'),
    own(SEGMENTS, 'rankings'),
    ask('wasted'),
    ask('visited'),
    ask('engines'),
    ask('ai'),
    ask('losses'),
    ask('fresh'),
  ]);
  return { hits, clicks, segments, wasted, visited, engines, ai, losses, fresh };
}
