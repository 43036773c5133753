import { text } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import {
  type DatasetName,
  FIELD_RECORDS,
  RANKING_COUNTRIES,
  RANKING_DEVICES,
} from '../../fields/field-records-of.ts';
import { deriveLogPages } from '../../logs/derive-log-pages.ts';
import { weekDefinitionOf } from '../../logs/log-metadata.ts';
import { type Resources, resourceId, type StoredDataset } from '../../resources/resources.ts';
import { ensureProject } from '../../resources/seed.ts';
import type { ServiceData } from '../../rows/service-state.ts';
import { createTable } from './create-table.ts';
import type { GenerateSpec } from './parse-spec.ts';
import {
  ADJECTIVES,
  type GeneratedSite,
  hashOf,
  kindOf,
  NOUNS,
  numberBelow,
  pageIn,
  pathOf,
  pick,
  statusOf,
} from './site.ts';

const DAY = 86_400;
/** Defaults for logs if a spec sets only one of the two. */
const LOG_DAYS = 30;
const EVENTS_A_DAY = 1_000;
const TYPES = ['events', 'ranking_performance'] as const;
/** Pages of a site if a spec sets no number. */
const SLOTS = 500;

/**
 * Generates the data of a project: log monitoring and ranking performance. They cover the days up to the project's last
 * crawl, and the pages of that crawl. Log pages follow from the events.
 */
export async function generateProjectData(
  { resources, rows }: ServiceData,
  spec: GenerateSpec,
  specName: string,
  lastSite: GeneratedSite,
): Promise<void> {
  const hasLogs = spec.events > 0 || spec.log_days > 0;
  const hasRanking = spec.ranking_days > 0;
  if (!hasLogs && !hasRanking) return;
  const name = lastSite.host.replace(/^www\./, '').replace(/\.example$/, '');
  const id = resourceId('project', name);
  refuseTwins(resources, id, spec, specName);

  const site = lastSite.slots > 1 ? lastSite : { ...lastSite, slots: SLOTS, links: SLOTS * 20 };
  const lastDay = Math.floor(site.endedAt / DAY) * DAY;
  const data = new Map<DatasetName, StoredDataset>();
  if (hasLogs) {
    const days = spec.log_days || LOG_DAYS;
    const facts = eventFacts(site, spec.events || days * EVENTS_A_DAY, days, lastDay);
    const events = await table('events', facts, eventRowValues(site));
    data.set('events', events);
    const weeks = weekDefinitionOf(resources.get('projects', id));
    for (const [granularity, pages] of await deriveLogPages(rows, events, { id, weeks }))
      data.set(`log_pages_${granularity}`, pages);
  }
  if (hasRanking) {
    const facts = rankingFacts(site, spec.ranking_days, lastDay);
    data.set('ranking_performance', await table('ranking_performance', facts, rankingRowValues(site)));
  }
  resources.transaction(() => {
    const project = ensureProject(resources, {
      name,
      startUrl: `https://${site.host}/`,
      hasLogs,
      hasRanking,
    });
    for (const [dataset, made] of data) resources.putDataset(project.id, dataset, made);
    resources.putFingerprint(`project data ${id}`, specName);
  });

  function table(dataset: DatasetName, facts: string, values: Readonly<Record<string, string>>) {
    const fields = FIELD_RECORDS[dataset];
    const content = { fields, known: fields, facts, values, key: 'n' };
    return createTable(rows, site, `${dataset}_${id}`, content);
  }
}

function refuseTwins(resources: Resources, id: string, { seed }: GenerateSpec, specName: string): void {
  const other = resources.fingerprint(`project data ${id}`);
  const isThere = TYPES.some((name) => resources.dataset(id, name) !== undefined);
  if (other === undefined || other === specName || !isThere) return;
  throw new CrawlhouseError(
    'usage',
    `two --generate specs describe the data of projects with the seed ${seed}`,
    { hint: 'give each spec its own seed; if you changed a spec, use another state directory' },
  );
}

/** The maximum number of pages in search results, and the queries of each. */
const PAGES = 125;
const QUERIES = 5;
const DEVICES = RANKING_DEVICES.length;

/**
 * Returns SQL for one row per day, page, query and device with impressions. Few pages and queries have most of the
 * impressions; at weekends there are fewer, and more on phones.
 */
function rankingFacts(site: GeneratedSite, days: number, lastDay: number): string {
  const pages = Math.min(site.slots, PAGES);
  const [perPage, perDay] = [QUERIES * DEVICES, pages * QUERIES * DEVICES];
  const start = lastDay - (days - 1) * DAY;
  const cells = `SELECT range AS n, ${start} + range // ${perDay} * ${DAY} AS moment, range % ${perDay} // ${perPage} AS slot,
    range % ${perPage} // ${DEVICES} AS query, range % ${DEVICES} AS device FROM range(${days * perDay})`;
  // Values of page and query do not change from day to day.
  const known = `SELECT *, slot * ${QUERIES} + query AS subject, isodow(make_timestamp(moment * 1000000)) > 5 AS weekend FROM (${cells})
    WHERE ${kindOf('slot')} = '.'`;
  const weighed = `SELECT *, ${pageIn(site, 'slot')} AS page,
    400 / pow(slot + 1, 0.7) / (query + 1) * [1.0, 1.3, 0.15][device + 1] * CASE WHEN weekend THEN [0.6, 1.0, 1.0][device + 1] ELSE 1.0 END
      * (50 + ${numberBelow(site, 'demand', 'subject', 100)}) / 100 * (80 + ${numberBelow(site, 'noise', 'n', 40)}) / 100 AS demand,
    round(1 + CAST(${hashOf(site, 'rank', 'subject')} % 240 AS DOUBLE) / 10 + CAST(${hashOf(site, 'shift', 'n')} % 20 AS DOUBLE) / 10, 1) AS position FROM (${known})`;
  const shown = `SELECT *, CAST(floor(demand) AS BIGINT) AS impressions FROM (${weighed}) WHERE demand >= 1`;
  return `SELECT *, CAST(floor(impressions * 0.32 / pow(position, 1.1)) AS BIGINT) AS clicks FROM (${shown})`;
}

/** Returns SQL for the fields of ranking performance, by name, over the columns of `rankingFacts`. */
function rankingRowValues(site: GeneratedSite): Readonly<Record<string, string>> {
  const subject = `concat(${pick(ADJECTIVES, hashOf(site, 'topic adjective', 'page'))}, ' ', ${pick(NOUNS, hashOf(site, 'topic noun', 'page'))})`;
  return {
    url: `concat('https://${site.host}', ${pathOf(site, 'slot', 'page')})`,
    query: `CASE query WHEN 0 THEN ${subject} WHEN 1 THEN ${text(`${site.brand.toLowerCase()} shop`)}
      WHEN 2 THEN concat('buy ', ${subject}) WHEN 3 THEN concat('best ', ${subject}) ELSE concat('how to clean a ', ${subject}) END`,
    date: `strftime(make_timestamp(moment * 1000000), '%Y-%m-%d')`,
    device: `[${RANKING_DEVICES.map(text).join(', ')}][device + 1]`,
    clicks: 'clicks',
    impressions: 'impressions',
    position: 'position',
    country: pick(RANKING_COUNTRIES, hashOf(site, 'country', 'subject')),
    is_branded: 'query = 1',
  };
}

/** `share` is of a hundred lines of a log file. */
type Agent = readonly [
  share: number,
  userAgent: string,
  device: 'desktop' | 'mobile',
  bot?: string,
  kind?: 'seo' | 'sea' | 'vertical',
];

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile Safari/604.1';
const GOOGLEBOT = '(compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const AGENTS: readonly Agent[] = [
  [34, CHROME, 'desktop'],
  [28, SAFARI, 'mobile'],
  [16, `${SAFARI} ${GOOGLEBOT}`, 'mobile', 'googlebot', 'seo'],
  [7, `Mozilla/5.0 ${GOOGLEBOT}`, 'desktop', 'googlebot', 'seo'],
  [3, 'Googlebot-Image/1.0', 'desktop', 'googlebot-image', 'vertical'],
  [2, 'AdsBot-Google (+http://www.google.com/adsbot.html)', 'desktop', 'adsbot-google', 'sea'],
  [6, 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'desktop', 'bingbot'],
  [4, 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', 'desktop', 'ahrefsbot'],
];

/**
 * Returns SQL for one row per event, in time order, spread evenly over the days up to `lastDay`. Popular pages come
 * first.
 */
function eventFacts(site: GeneratedSite, events: number, days: number, lastDay: number): string {
  const start = lastDay - (days - 1) * DAY;
  const chance = `CAST(${hashOf(site, 'event page', 'range')} % 1000000 AS DOUBLE) / 1000000`;
  const lines = `SELECT range AS n, ${start} + CAST(range * ${days * DAY}::HUGEINT // ${events} AS BIGINT) AS moment,
    CAST(floor(${site.slots} * pow(${chance}, 3)) AS BIGINT) AS slot,
    ${agentOf(numberBelow(site, 'agent', 'range', 100))} AS agent FROM range(${events})`;
  const bots = AGENTS.flatMap(([, , , bot], index) => (bot === undefined ? [] : [index]));
  const pages = `SELECT *, agent IN (${bots.join(', ')}) AS is_bot, ${statusOf(site, 'slot')} AS page_status,
    ${pathOf(site, 'slot', pageIn(site, 'slot'))} AS path, ${numberBelow(site, 'event luck', 'n', 1000)} AS luck FROM (${lines})`;
  // Bots sometimes get 304; any client rarely gets 503.
  return `SELECT *, CASE WHEN luck < 3 THEN 503 WHEN coalesce(page_status, 200) = 200 AND is_bot AND luck < 150 THEN 304
    ELSE coalesce(page_status, 200) END AS status, NOT is_bot AND luck >= 600 AS organic FROM (${pages})`;
}

/** Returns SQL for the fields of log events, by name, over the columns of `eventFacts`. */
function eventRowValues(site: GeneratedSite): Readonly<Record<string, string>> {
  const time = 'make_timestamp(moment * 1000000)';
  const perAgent = (value: (agent: Agent) => string | undefined): string => {
    const literals = AGENTS.map(value).map((one) => (one === undefined ? 'NULL' : text(one)));
    return `CASE agent ${literals.map((literal, index) => `WHEN ${index} THEN ${literal}`).join(' ')} END`;
  };
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
    user_agent: perAgent(([, userAgent]) => userAgent),
    device: perAgent(([, , device]) => device),
    is_bot: 'is_bot',
    bot: perAgent(([, , , bot]) => bot),
    bot_kind: perAgent(([, , , , kind]) => kind),
    search_engine: perAgent(([, , , , kind]) => (kind === undefined ? undefined : 'google')),
    is_seo_visit: 'organic',
  };
}

function agentOf(number: string): string {
  let below = 0;
  const cases = AGENTS.map(([share], index) => {
    below += share;
    return `WHEN ${number} < ${below} THEN ${index}`;
  });
  return `CASE ${cases.join(' ')} END`;
}
