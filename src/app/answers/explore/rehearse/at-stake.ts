import { z } from 'zod';
import type { AskedRows } from './asked-rows.ts';

const DAYS = 90;
const DAY_MS = 86_400_000;

/** The days that a figure covers. */
export const Covered = z.strictObject({ from: z.string(), to: z.string(), days: z.number() });

/** Figures by URL, with their days; or why they are unknown. */
interface Source<T> {
  readonly covered: z.output<typeof Covered> | null;
  readonly why: string | null;
  readonly of: ReadonlyMap<string, T>;
}

export interface AtStake {
  /** Null: unknown for the URL. Also applies to the impressions. */
  readonly clicks: Source<number | null>;
  /** Impressions by URL, on the days of the clicks. */
  readonly impressions: ReadonlyMap<string, number | null>;
  /** Verified hits by crawler. */
  readonly hits: Source<ReadonlyMap<string, number>> & {
    /** Crawlers with hits that are all unchecked: how many of them are theirs is unknown. */
    readonly unverifiable: ReadonlySet<string>;
  };
}

const Day = z.strictObject({ day: z.string() });
const Period = z.strictObject({ from_date: z.string(), to_date: z.string() });
const Clicks = z.strictObject({
  url: z.string(),
  clicks: z.number().nullable(),
  impressions: z.number().nullable(),
});
const Checked = z.strictObject({ crawler: z.string(), is_checked: z.boolean() });
const Hits = z.strictObject({ url: z.string(), crawler: z.string().nullable(), hits: z.number() });

const LOG_DAYS = `SELECT CAST(day AS VARCHAR) AS day
FROM mart.log_days
WHERE project_id = $project AND dataset = 'log_events'
ORDER BY 1`;
/** Days whose lines say which bots are verified. */
const VERIFIED_DAYS = `SELECT DISTINCT CAST(day AS VARCHAR) AS day
FROM mart.log_url_days
WHERE project_id = $project AND unverified_bot_hits IS NOT NULL
ORDER BY 1`;
const CHECKED = `SELECT events.crawler, bool_or(events.bot_verification <> 'unchecked') AS is_checked
FROM mart.log_events AS events
WHERE events.project_id = $project
  AND events.day >= CAST($from AS DATE) AND events.day <= CAST($to AS DATE)
  AND events.bot_verification IS NOT NULL AND events.crawler IS NOT NULL
GROUP BY events.crawler`;
const HITS = `SELECT events.url, events.crawler, count(*) AS hits
FROM mart.log_events AS events
WHERE events.project_id = $project
  AND events.day >= CAST($from AS DATE) AND events.day <= CAST($to AS DATE)
  AND events.bot_verification = 'verified' AND events.url IS NOT NULL
GROUP BY events.url, events.crawler`;
const CLICK_DAYS = `SELECT CAST(ranking_date AS VARCHAR) AS day
FROM mart.ranking_days
WHERE project_id = $project
ORDER BY 1`;
const CLICKS = `SELECT ranking.url, CAST(sum(ranking.clicks) AS BIGINT) AS clicks,
  CAST(sum(ranking.impressions) AS BIGINT) AS impressions
FROM mart.ranking_performance AS ranking
WHERE ranking.project_id = $project AND ranking.url IS NOT NULL
  AND ranking.date >= CAST($from AS DATE) AND ranking.date <= CAST($to AS DATE)
GROUP BY ranking.url`;
const PERIOD = `SELECT CAST(from_date AS VARCHAR) AS from_date, CAST(to_date AS VARCHAR) AS to_date
FROM mart.crawl_days
WHERE crawl_id = $crawl AND dataset = 'ranking_periods'`;
const PERIOD_CLICKS = `SELECT demand.url, demand.clicks, demand.impressions
FROM mart.page_demand AS demand
WHERE demand.crawl_id = $crawl`;

/** Reads the clicks, the impressions and the verified hits of the last 90 days with data. */
export async function readAtStake(
  asked: AskedRows,
  { crawl_id, project_id }: { readonly crawl_id: string; readonly project_id: string },
): Promise<AtStake> {
  return { ...(await readClicks(asked, crawl_id, project_id)), hits: await readHits(asked, project_id) };
}

async function readHits(asked: AskedRows, project: string): Promise<AtStake['hits']> {
  const logged = await asked.rows('days of log files', Day, { sql: LOG_DAYS, parameters: { project } });
  const of = new Map<string, Map<string, number>>();
  const unverifiable = new Set<string>();
  const unknown = (why: string) => ({ covered: null, why, of, unverifiable });
  if (logged.length === 0) return unknown('the project has no lines of log files');
  const covered = lastDays(
    await asked.rows('days with verified bots', Day, { sql: VERIFIED_DAYS, parameters: { project } }),
  );
  if (covered === null) return unknown('the log files do not say which bots are verified');
  const { from, to } = covered;
  const parameters = { project, from, to };
  const crawlers = await asked.rows('crawlers whose hits are verified or refuted', Checked, {
    sql: CHECKED,
    parameters,
  });
  for (const { crawler, is_checked } of crawlers) if (!is_checked) unverifiable.add(crawler);
  if (crawlers.length > 0 && unverifiable.size === crawlers.length)
    return unknown('no hit of a bot in the log files could be verified');
  await asked.each('verified hits', Hits, { sql: HITS, parameters }, (row) => {
    const own = of.get(row.url) ?? new Map<string, number>();
    own.set(row.crawler ?? '', row.hits);
    of.set(row.url, own);
  });
  return { covered, why: null, of, unverifiable };
}

async function readClicks(asked: AskedRows, crawl: string, project: string): Promise<Omit<AtStake, 'hits'>> {
  const covered = lastDays(
    await asked.rows('days of search results', Day, { sql: CLICK_DAYS, parameters: { project } }),
  );
  const of = new Map<string, number | null>();
  const impressions = new Map<string, number | null>();
  const take = (row: z.output<typeof Clicks>): void => {
    of.set(row.url, row.clicks);
    impressions.set(row.url, row.impressions);
  };
  if (covered !== null) {
    const { from, to } = covered;
    await asked.each('clicks', Clicks, { sql: CLICKS, parameters: { project, from, to } }, take);
    return { clicks: { covered, why: null, of }, impressions };
  }
  const [period] = await asked.rows('period of search results', Period, {
    sql: PERIOD,
    parameters: { crawl },
  });
  if (period === undefined)
    return { clicks: { covered, why: 'the project has no search results', of }, impressions };
  await asked.each('clicks', Clicks, { sql: PERIOD_CLICKS, parameters: { crawl } }, take);
  const { from_date: from, to_date: to } = period;
  const days = 1 + (Date.parse(to) - Date.parse(from)) / DAY_MS;
  return { clicks: { covered: { from, to, days }, why: null, of }, impressions };
}

/** Returns the period of 90 days up to the last day, with the number of its days that have data. */
function lastDays(days: readonly z.output<typeof Day>[]): z.output<typeof Covered> | null {
  const to = days.at(-1)?.day;
  if (to === undefined) return null;
  const first = new Date(Date.parse(to) - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const within = days.filter(({ day }) => day >= first);
  return { from: within[0]?.day ?? to, to, days: within.length };
}
