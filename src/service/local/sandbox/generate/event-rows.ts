import { text } from '../../../../core/duckdb/duckdb.ts';
import { type GeneratedSite, hashOf, numberBelow, pageIn, pathOf, pick, statusOf } from './site.ts';

const DAY = 86_400;

interface Agent {
  /** Shares of a hundred lines of a log file. */
  readonly share: number;
  readonly userAgent: string;
  readonly device: 'desktop' | 'mobile';
  readonly bot?: string;
  readonly kind?: 'seo' | 'sea' | 'vertical';
}

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile Safari/604.1';

const AGENTS: readonly Agent[] = [
  { share: 34, userAgent: CHROME, device: 'desktop' },
  { share: 28, userAgent: SAFARI, device: 'mobile' },
  {
    share: 16,
    userAgent: `${SAFARI} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
    device: 'mobile',
    bot: 'googlebot',
    kind: 'seo',
  },
  {
    share: 7,
    userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    device: 'desktop',
    bot: 'googlebot',
    kind: 'seo',
  },
  { share: 3, userAgent: 'Googlebot-Image/1.0', device: 'desktop', bot: 'googlebot-image', kind: 'vertical' },
  {
    share: 2,
    userAgent: 'AdsBot-Google (+http://www.google.com/adsbot.html)',
    device: 'desktop',
    bot: 'adsbot-google',
    kind: 'sea',
  },
  {
    share: 6,
    userAgent: 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    device: 'desktop',
    bot: 'bingbot',
  },
  {
    share: 4,
    userAgent: 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    device: 'desktop',
    bot: 'ahrefsbot',
  },
];

/** SQL for one row an event, in the order of time: spread evenly over the days up to `lastDay`, popular pages first. */
export function eventFacts(site: GeneratedSite, events: number, days: number, lastDay: number): string {
  const start = lastDay - (days - 1) * DAY;
  const chance = `CAST(${hashOf(site, 'event page', 'range')} % 1000000 AS DOUBLE) / 1000000`;
  const lines = `SELECT range AS n, ${start} + CAST(range * ${days * DAY}::HUGEINT // ${events} AS BIGINT) AS moment,
    CAST(floor(${site.slots} * pow(${chance}, 3)) AS BIGINT) AS slot,
    ${agentOf(numberBelow(site, 'agent', 'range', 100))} AS agent FROM range(${events})`;
  const bots = AGENTS.flatMap(({ bot }, index) => (bot === undefined ? [] : [index]));
  const pages = `SELECT *, agent IN (${bots.join(', ')}) AS is_bot, ${statusOf(site, 'slot')} AS page_status,
    ${pathOf(site, 'slot', pageIn(site, 'slot'))} AS path, ${numberBelow(site, 'event luck', 'n', 1000)} AS luck FROM (${lines})`;
  // Bots sometimes get 304; any client rarely gets 503.
  return `SELECT *, CASE WHEN luck < 3 THEN 503 WHEN coalesce(page_status, 200) = 200 AND is_bot AND luck < 150 THEN 304
    ELSE coalesce(page_status, 200) END AS status, NOT is_bot AND luck >= 600 AS organic FROM (${pages})`;
}

/** SQL for the fields of log events, by name, over the columns of `eventFacts`. */
export function eventRowValues(site: GeneratedSite): Readonly<Record<string, string>> {
  const time = 'make_timestamp(moment * 1000000)';
  const perAgent = (value: (agent: Agent) => string | undefined): string =>
    `CASE agent ${AGENTS.map((agent, index) => `WHEN ${index} THEN ${literal(value(agent))}`).join(' ')} END`;
  return {
    url: `concat('https://${site.host}', path)`,
    urlpath: "split_part(path, '?', 1)",
    url_host: text(site.host),
    url_first_path: `CASE WHEN length(path) - length(replace(path, '/', '')) < 2 THEN '/' ELSE concat('/', split_part(path, '/', 2), '/') END`,
    url_has_params: "contains(path, '?')",
    event_date: `strftime(${time}, '%Y/%m/%d %H:%M:%S UTC')`,
    day: `strftime(${time}, '%Y-%m-%d')`,
    method: `CASE WHEN luck = 599 THEN 'HEAD' ELSE 'GET' END`,
    status_code: 'status',
    status_code_range: `CASE WHEN status < 300 THEN 'ok' WHEN status < 400 THEN 'redirect' WHEN status < 500 THEN 'client_error' ELSE 'server_error' END`,
    bytes_sent: `CASE WHEN status = 304 THEN 0 WHEN status <> 200 THEN 512 ELSE 8192 + ${numberBelow(site, 'event bytes', 'slot', 300_000)} END`,
    referer: `CASE WHEN organic THEN ${pick(['https://www.google.com/', 'https://www.google.fr/'], hashOf(site, 'referer', 'n'))}
      WHEN NOT is_bot AND luck >= 300 THEN 'https://${site.host}/' END`,
    user_agent: perAgent((agent) => agent.userAgent),
    device: perAgent((agent) => agent.device),
    is_bot: 'is_bot',
    bot: perAgent((agent) => agent.bot),
    bot_kind: perAgent((agent) => agent.kind),
    search_engine: perAgent((agent) => (agent.kind === undefined ? undefined : 'google')),
    is_seo_visit: 'organic',
  };
}

function agentOf(number: string): string {
  let below = 0;
  const cases = AGENTS.map(({ share }, index) => {
    below += share;
    return `WHEN ${number} < ${below} THEN ${index}`;
  });
  return `CASE ${cases.join(' ')} END`;
}

function literal(value: string | undefined): string {
  return value === undefined ? 'NULL' : text(value);
}
