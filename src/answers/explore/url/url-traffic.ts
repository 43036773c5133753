import type { FoundOrWhy, UrlPlace } from './url-place.ts';

const QUERIES = 10;
const DAY_MS = 86_400_000;

/** Columns of mart.log_url_days; `unverified` ones are in the name of a bot that the address refutes. */
const COUNTS = [
  ...(['search_bot_hits', 'google_bot_hits', 'bing_bot_hits', 'ai_bot_hits'] as const),
  ...(['unverified_bot_hits', 'visits'] as const),
];

/** Requests for the URL on a day; null where it is not known. */
interface HitsOfDay
  extends Readonly<Record<'hits' | (typeof COUNTS)[number] | 'last_status_code', number | null>> {
  /** Of UTC. */
  readonly day: string;
  /** Whether log files of the day are loaded; without them nothing of it is known. */
  readonly has_logs: boolean;
}

/** Requests by one kind of bot, in the same days. */
interface HitsOfBot {
  /** search, ai, seo_tool, ads, other or unverified. */
  readonly bot_class: string;
  /** Whose it is; null where that is not known. */
  readonly engine: string | null;
  readonly hits: number;
  readonly last_day: string;
}

export interface UrlHits {
  readonly from: string;
  readonly to: string;
  /** Each day, also those without a request for the URL, and those without log files. */
  readonly days: readonly HitsOfDay[];
  /** The most hits first. */
  readonly bots: readonly HitsOfBot[];
}

/** The URL in search results on a day. */
interface DemandOfDay {
  readonly day: string;
  readonly clicks: number;
  readonly impressions: number;
  /** 1 is the first; null without impressions. */
  readonly position: number | null;
}

interface DemandOfQuery {
  readonly query: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number | null;
}

export interface UrlDemand {
  readonly from: string;
  readonly to: string;
  readonly clicks: number;
  readonly impressions: number;
  /** Each day whose search results are loaded, also those that did not show the URL; none of totals of a period. */
  readonly days: readonly DemandOfDay[];
  /** Those with the most clicks; empty where the pipeline does not ask for queries. */
  readonly queries: readonly DemandOfQuery[];
}

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

/** Requests for the URL by day, and by bot; null where there are none. */
export async function readHits({ rows }: UrlPlace): Promise<FoundOrWhy<UrlHits | null>> {
  const logged = await rows<Omit<HitsOfDay, 'has_logs'>>(HITS);
  const days = everyDay(logged);
  const [from, to] = [days[0]?.day, days.at(-1)?.day];
  if (from === undefined || to === undefined)
    return { found: null, why: whyNone('log files', await rows<LastDay>(LAST_LOGGED)) };
  if (logged.every(({ hits }) => hits === 0))
    return { found: null, why: `log files from ${from} to ${to} have no request for it` };
  return { found: { from, to, days, bots: await rows<HitsOfBot>(BOTS, { from, to }) }, why: null };
}

interface LastDay {
  readonly day: string | null;
}

const LAST_LOGGED = 'SELECT max(day) AS day FROM mart.log_days WHERE project_id = $project';

function whyNone(what: string, [last]: readonly LastDay[]): string {
  const day = last?.day ?? null;
  return day === null
    ? `the project has no ${what}`
    : `the project has ${what} up to ${day}, none on the days of the crawl`;
}

/** Days without log files have nothing that is known; nor has any day what log files never tell of the URL. */
function everyDay(logged: readonly Omit<HitsOfDay, 'has_logs'>[]): HitsOfDay[] {
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

/** Clicks and impressions of the URL by day, with its top queries; null where search results did not show it. */
export async function readDemand({ rows }: UrlPlace): Promise<FoundOrWhy<UrlDemand | null>> {
  const days = await rows<DemandOfDay>(DEMAND);
  const [from, to] = [days[0]?.day, days.at(-1)?.day];
  if (from === undefined || to === undefined) return readTotals({ rows });
  const sum = (of: 'clicks' | 'impressions'): number => days.reduce((all, day) => all + day[of], 0);
  const [clicks, impressions] = [sum('clicks'), sum('impressions')];
  if (clicks + impressions === 0)
    return { found: null, why: `search results from ${from} to ${to} did not show it` };
  const queries = await rows<DemandOfQuery>(TOP_QUERIES, { from, to });
  return { found: { from, to, clicks, impressions, days, queries }, why: null };
}

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

/** Totals of a period stand for days that are not there. */
async function readTotals({ rows }: Pick<UrlPlace, 'rows'>): Promise<FoundOrWhy<UrlDemand | null>> {
  const [total] = await rows<
    { readonly clicks: number | null; readonly impressions: number } & Readonly<
      Record<'from_date' | 'to_date', string>
    >
  >(TOTALS);
  if (total === undefined)
    return { found: null, why: whyNone('search results', await rows<LastDay>(LAST_SEARCHED)) };
  const { from_date: from, to_date: to, clicks, impressions } = total;
  return clicks === null
    ? { found: null, why: `search results from ${from} to ${to} did not show it` }
    : { found: { from, to, clicks, impressions, days: [], queries: [] }, why: null };
}
