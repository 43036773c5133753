import { z } from 'zod';
import { columnsOf, type Typed } from '../../../../core/text/typed-rows.ts';
import type { FoundOrWhy, UrlPlace } from './url-place.ts';

const QUERIES = 10;
const DAY_MS = 86_400_000;

/** Columns of mart.log_url_days; `unverified` counts requests in the name of a bot that their address refutes. */
const COUNTS = [
  ...(['search_bot_hits', 'google_bot_hits', 'bing_bot_hits', 'ai_bot_hits'] as const),
  ...(['unverified_bot_hits', 'visits'] as const),
];

/** Requests for the URL on a day; null if unknown. */
const HitsOfDay = z.strictObject({
  /** In UTC. */
  day: z.string(),
  ...columnsOf(['hits', ...COUNTS, 'last_status_code'], z.number().nullable()),
  /** Whether log files of the day are loaded; otherwise its hits are unknown. */
  has_logs: z.boolean(),
});
type HitsOfDay = Typed<typeof HitsOfDay>;
const LoggedDay = HitsOfDay.omit({ has_logs: true });

/** Requests by one kind of bot, on the same days. */
const HitsOfBot = z.strictObject({
  /** search, ai, seo_tool, ads, other or unverified. */
  bot_class: z.string(),
  /** The operator; null if unknown. */
  engine: z.string().nullable(),
  hits: z.number(),
  last_day: z.string(),
});

export const UrlHits = z.strictObject({
  from: z.string(),
  to: z.string(),
  /** All days, including those without a request for the URL and those without log files. */
  days: z.array(HitsOfDay),
  /** The most hits first. */
  bots: z.array(HitsOfBot),
});
export type UrlHits = Typed<typeof UrlHits>;

const DemandOfDay = z.strictObject({
  day: z.string(),
  clicks: z.number(),
  impressions: z.number(),
  /** 1 is the first; null if there are no impressions. */
  position: z.number().nullable(),
});

const DemandOfQuery = z.strictObject({
  query: z.string(),
  clicks: z.number(),
  impressions: z.number(),
  position: z.number().nullable(),
});

export const UrlDemand = z.strictObject({
  from: z.string(),
  to: z.string(),
  clicks: z.number(),
  impressions: z.number(),
  /** All days with loaded search results, including those that did not show the URL; empty for totals of a period. */
  days: z.array(DemandOfDay),
  /** Queries with the most clicks; empty if the pipeline does not load queries. */
  queries: z.array(DemandOfQuery),
});
export type UrlDemand = Typed<typeof UrlDemand>;

const HITS = `
  WITH days AS (
    SELECT days.data_date AS day
    FROM mart.crawl_days AS days
    WHERE days.crawl_id = $crawl AND days.kind = 'logs'
  )
  SELECT
    days.day,
    ${['hits', ...COUNTS].map((name) => `CASE WHEN hits.url IS NULL THEN 0 ELSE hits.${name} END AS ${name},`).join('\n    ')}
    hits.last_status_code
  FROM days
  LEFT JOIN mart.log_url_days AS hits
    ON hits.project_id = $project AND hits.url = $url AND hits.day = days.day
  ORDER BY days.day`;

const BOTS = `
  SELECT hits.bot_class, hits.engine, CAST(sum(hits.hits) AS BIGINT) AS hits, max(hits.day) AS last_day
  FROM mart.bot_hits AS hits
  WHERE hits.project_id = $project AND hits.url = $url
    AND hits.day >= CAST($from AS DATE) AND hits.day <= CAST($to AS DATE)
  GROUP BY hits.bot_class, hits.engine
  ORDER BY 3 DESC, 1, 2 NULLS LAST`;

/** Reads requests for the URL by day and by bot; null if there are none. */
export async function readHits({ rows }: UrlPlace): Promise<FoundOrWhy<UrlHits | null>> {
  const logged = await rows(LoggedDay, HITS);
  const days = everyDay(logged);
  const [from, to] = [days[0]?.day, days.at(-1)?.day];
  if (from === undefined || to === undefined)
    return { found: null, why: whyNone('log files', await rows(LastDay, LAST_LOGGED)) };
  if (logged.every(({ hits }) => hits === 0))
    return { found: null, why: `log files from ${from} to ${to} contain no request for this page` };
  return { found: { from, to, days, bots: await rows(HitsOfBot, BOTS, { from, to }) }, why: null };
}

const LastDay = z.strictObject({ day: z.string().nullable() });
type LastDay = Typed<typeof LastDay>;

const LAST_LOGGED = 'SELECT max(day) AS day FROM mart.log_days WHERE project_id = $project';

function whyNone(what: string, [last]: readonly LastDay[]): string {
  const day = last?.day ?? null;
  return day === null
    ? `the project has no ${what}`
    : `the project has ${what} up to ${day}, none on the days of the crawl`;
}

/** Fills in days: without log files their hits are unknown, as are counts that log files never contain for the URL. */
function everyDay(logged: readonly Typed<typeof LoggedDay>[]): HitsOfDay[] {
  const nulls = <Name extends string>(names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, null])) as Record<Name, null>;
  const never = nulls(COUNTS.filter((name) => logged.every((one) => one.hits === 0 || one[name] === null)));
  const nothing = { has_logs: false, ...nulls(['hits', ...COUNTS, 'last_status_code']) };
  return logged.flatMap((one, index) => {
    const days: HitsOfDay[] = [{ ...one, ...never, has_logs: true }];
    const next = Date.parse(logged[index + 1]?.day ?? '');
    for (let time = Date.parse(one.day) + DAY_MS; time < next; time += DAY_MS)
      days.push({ ...nothing, day: new Date(time).toISOString().slice(0, 10) });
    return days;
  });
}

const AMOUNTS = `
  CAST(sum(ranking.clicks) AS BIGINT) AS clicks, CAST(sum(ranking.impressions) AS BIGINT) AS impressions,
  CAST(sum(CAST(ranking.position_impressions AS DECIMAL(38, 9))) AS DOUBLE)
    / nullif(sum(CASE WHEN ranking.position IS NOT NULL THEN ranking.impressions END), 0) AS position`;

const DEMAND = `
  WITH
    days AS (
      SELECT days.data_date AS day
      FROM mart.crawl_days AS days
      WHERE days.crawl_id = $crawl AND days.dataset = 'ranking_performance'
    ),

    shown AS (
      SELECT ranking.date, ${AMOUNTS}
      FROM mart.ranking_performance AS ranking
      WHERE ranking.project_id = $project AND ranking.url = $url
      GROUP BY ranking.date
    )
  SELECT days.day, coalesce(shown.clicks, 0) AS clicks, coalesce(shown.impressions, 0) AS impressions, shown.position
  FROM days
  LEFT JOIN shown ON shown.date = days.day
  ORDER BY days.day`;

const TOP_QUERIES = `
  SELECT ranking.query, ${AMOUNTS}
  FROM mart.ranking_performance AS ranking
  WHERE ranking.project_id = $project AND ranking.url = $url AND ranking.query IS NOT NULL
    AND ranking.date >= CAST($from AS DATE) AND ranking.date <= CAST($to AS DATE)
  GROUP BY ranking.query
  ORDER BY 2 DESC, 3 DESC, 1
  LIMIT ${QUERIES}`;

/** Reads clicks and impressions of the URL by day, with its top queries; null if search results did not show it. */
export async function readDemand({ rows }: UrlPlace): Promise<FoundOrWhy<UrlDemand | null>> {
  const days = await rows(DemandOfDay, DEMAND);
  const [from, to] = [days[0]?.day, days.at(-1)?.day];
  if (from === undefined || to === undefined) return readTotals({ rows });
  const sum = (of: 'clicks' | 'impressions'): number => days.reduce((all, day) => all + day[of], 0);
  const [clicks, impressions] = [sum('clicks'), sum('impressions')];
  if (clicks + impressions === 0)
    return { found: null, why: `search results from ${from} to ${to} did not show this page` };
  const queries = await rows(DemandOfQuery, TOP_QUERIES, { from, to });
  return { found: { from, to, clicks, impressions, days, queries }, why: null };
}

const Totals = z.strictObject({
  from_date: z.string(),
  to_date: z.string(),
  clicks: z.number().nullable(),
  impressions: z.number().nullable(),
});
const TOTALS = `
  SELECT days.from_date, days.to_date, demand.clicks, demand.impressions
  FROM mart.crawl_days AS days
  LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = days.crawl_id AND demand.url = $url
  WHERE days.crawl_id = $crawl AND days.dataset = 'ranking_periods'`;

const LAST_SEARCHED = `
  SELECT max(day) AS day
  FROM (
    SELECT ranking_date AS day FROM mart.ranking_days WHERE project_id = $project
    UNION ALL
    SELECT to_date FROM mart.ranking_periods WHERE project_id = $project
  ) AS searched`;

/** Totals of a period replace missing days. */
async function readTotals({ rows }: Pick<UrlPlace, 'rows'>): Promise<FoundOrWhy<UrlDemand | null>> {
  const [total] = await rows(Totals, TOTALS);
  if (total === undefined)
    return { found: null, why: whyNone('search results', await rows(LastDay, LAST_SEARCHED)) };
  const { from_date: from, to_date: to, clicks, impressions } = total;
  return clicks === null || impressions === null
    ? { found: null, why: `search results from ${from} to ${to} did not show this page` }
    : { found: { from, to, clicks, impressions, days: [], queries: [] }, why: null };
}
