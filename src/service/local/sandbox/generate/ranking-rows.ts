import { text } from '../../../../core/duckdb/duckdb.ts';
import { RANKING_COUNTRIES, RANKING_DEVICES } from '../../fields/field-records-of.ts';
import { type GeneratedSite, hashOf, kindOf, numberBelow, pageIn, pathOf, pick } from './site.ts';
import { ADJECTIVES, NOUNS } from './words.ts';

const DAY = 86_400;
/** The most pages in search results, and the queries of each. */
const PAGES = 125;
const QUERIES = 5;
const DEVICES = RANKING_DEVICES.length;

/**
 * SQL for one row a day, page, query and device that was shown at all. Few pages and queries have most of the
 * impressions; at weekends there are fewer, and more of them on phones.
 */
export function rankingFacts(site: GeneratedSite, days: number, lastDay: number): string {
  const pages = Math.min(site.slots, PAGES);
  const [perPage, perDay] = [QUERIES * DEVICES, pages * QUERIES * DEVICES];
  const start = lastDay - (days - 1) * DAY;
  const cells = `SELECT range AS n, ${start} + range // ${perDay} * ${DAY} AS moment, range % ${perDay} // ${perPage} AS slot,
    range % ${perPage} // ${DEVICES} AS query, range % ${DEVICES} AS device FROM range(${days * perDay})`;
  // What belongs to page and query does not change from day to day.
  const known = `SELECT *, slot * ${QUERIES} + query AS subject, isodow(make_timestamp(moment * 1000000)) > 5 AS weekend FROM (${cells})
    WHERE ${kindOf('slot')} = '.'`;
  const weighed = `SELECT *, ${pageIn(site, 'slot')} AS page,
    400 / pow(slot + 1, 0.7) / (query + 1) * [1.0, 1.3, 0.15][device + 1] * CASE WHEN weekend THEN [0.6, 1.0, 1.0][device + 1] ELSE 1.0 END
      * (50 + ${numberBelow(site, 'demand', 'subject', 100)}) / 100 * (80 + ${numberBelow(site, 'noise', 'n', 40)}) / 100 AS demand,
    round(1 + CAST(${hashOf(site, 'rank', 'subject')} % 240 AS DOUBLE) / 10 + CAST(${hashOf(site, 'shift', 'n')} % 20 AS DOUBLE) / 10, 1) AS position FROM (${known})`;
  const shown = `SELECT *, CAST(floor(demand) AS BIGINT) AS impressions FROM (${weighed}) WHERE demand >= 1`;
  return `SELECT *, CAST(floor(impressions * 0.32 / pow(position, 1.1)) AS BIGINT) AS clicks FROM (${shown})`;
}

/** SQL for the fields of ranking performance, by name, over the columns of `rankingFacts`. */
export function rankingRowValues(site: GeneratedSite): Readonly<Record<string, string>> {
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
