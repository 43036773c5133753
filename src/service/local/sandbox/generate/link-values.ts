import { text } from '../../../../core/duckdb/duckdb.ts';
import {
  ADJECTIVES,
  EXTERNAL_HOSTS,
  type GeneratedSite,
  hashOf,
  hubs,
  isBroken,
  kindOf,
  NOUNS,
  numberBelow,
  pageIn,
  pathOf,
  pick,
  plainSlot,
  statusOf,
} from './site.ts';

/** SQL for one row a link, in the order of its origins; some targets are popular, a few are elsewhere. */
export function linkFacts(site: GeneratedSite): string {
  const { slots, links } = site;
  const chance = `CAST(${hashOf(site, 'target', 'n')} % 1000000 AS DOUBLE) / 1000000`;
  const plain = plainSlot(`range * ${slots} // ${links}`);
  const ends = `SELECT range AS n, ${plain} AS origin_any FROM range(${links})`;
  // A page that answers an error has no links: they are on the page before it, or on one that is always there.
  const before = `SELECT n, CASE WHEN origin_any > 0 AND ${isBroken(site, 'origin_any')} THEN ${plainSlot('(origin_any - 1)')} ELSE origin_any END AS origin_near FROM (${ends})`;
  const origins = `SELECT n, CASE WHEN ${isBroken(site, 'origin_near')} THEN origin_near % ${hubs(site) + 1} ELSE origin_near END AS origin_slot,
    CAST(floor(${slots} * pow(${chance}, 3)) AS BIGINT) AS target_any, ${numberBelow(site, 'external', 'n', 100)} >= 92 AS external FROM (${before})`;
  const targets = `SELECT *, CASE WHEN ${kindOf('target_any')} = 'o' THEN target_any - 1 ELSE target_any END AS target_slot FROM (${origins})`;
  const pages = `SELECT *, ${pageIn(site, 'origin_slot')} AS origin_page, ${pageIn(site, 'target_slot')} AS target_page,
    CASE WHEN NOT external THEN ${statusOf(site, 'target_slot')} END AS status FROM (${targets})`;
  return `SELECT *, ${pathOf(site, 'origin_slot', 'origin_page')} AS origin_path,
    CASE WHEN external THEN concat('/', ${pick(NOUNS, hashOf(site, 'external path', 'n'))}) ELSE ${pathOf(site, 'target_slot', 'target_page')} END AS target_path,
    CASE WHEN external THEN ${pick(EXTERNAL_HOSTS, hashOf(site, 'external host', 'n'))} ELSE ${text(site.host)} END AS target_host FROM (${pages})`;
}

/** SQL for the fields of links, by name, over the columns of `linkFacts`. */
export function linkValues(site: GeneratedSite): Readonly<Record<string, string>> {
  const h = (label: string, bound: number): string => numberBelow(site, label, 'n', bound);
  return {
    origin: `concat('https://${site.host}', origin_path)`,
    target: `concat('https://', target_host, target_path)`,
    anchor: `CASE ${h('anchor', 50)} WHEN 0 THEN NULL WHEN 1 THEN NULL WHEN 2 THEN '' WHEN 3 THEN 'Read more' WHEN 4 THEN 'Home'
      ELSE concat(${pick(ADJECTIVES, hashOf(site, 'anchor adjective', 'target_slot'))}, ' ', ${pick(NOUNS, hashOf(site, 'anchor noun', 'target_slot'))}) END`,
    follow: `${h('follow', 100)} < 92`,
    intern: 'NOT external',
    target_status: 'status',
    target_status_range: `CASE WHEN status < 300 THEN 'ok' WHEN status < 400 THEN 'redirect' WHEN status < 500 THEN 'client_error' WHEN status >= 500 THEN 'server_error' END`,
    target_fetched: 'status IS NOT NULL',
    juice: `CAST(${hashOf(site, 'juice', 'n')} % 10000 AS DOUBLE) / 10000`,
    ...parts('origin', text(site.host)),
    ...parts('target', 'target_host'),
  };
}

function parts(end: 'origin' | 'target', host: string): Record<string, string> {
  const path = `${end}_path`;
  return {
    [`${end}_host`]: host,
    [`${end}_path`]: `split_part(${path}, '?', 1)`,
    [`${end}_first_path`]: `CASE WHEN length(${path}) - length(replace(${path}, '/', '')) < 2 THEN '/' ELSE concat('/', split_part(${path}, '/', 2), '/') END`,
    [`${end}_ext`]: `CASE WHEN ends_with(${path}, '.html') THEN 'html' WHEN ends_with(${path}, '.pdf') THEN 'pdf' END`,
    [`${end}_has_params`]: `contains(${path}, '?')`,
    [`${end}_querystring_key`]: `CASE WHEN contains(${path}, '&') THEN 'sort&page' WHEN contains(${path}, '?') THEN split_part(split_part(${path}, '?', 2), '=', 1) END`,
    [`${end}_querystring_keyvalue`]: `CASE WHEN contains(${path}, '?') THEN split_part(${path}, '?', 2) END`,
  };
}
