import { canonicalSlot, type PageCounts, pageTexts } from './page-values.ts';
import {
  type GeneratedSite,
  hashOf,
  hubs,
  kindOf,
  loopPartner,
  numberBelow,
  pageIn,
  pathOf,
  plainSlot,
  sectionOf,
  slotOfKind,
  statusOf,
} from './site.ts';

/**
 * Returns SQL for one row per page with the basis of its fields. Everything is computed from the slot's number alone,
 * without a join, so that any number of pages can be streamed. The layers avoid repeating expressions. Values that
 * depend on other tables come from `counts`, which contains the slots in the same order.
 */
export function pageFacts(site: GeneratedSite, counts?: PageCounts): string {
  const somewhere = plainSlot(numberBelow(site, 'redirect to', 'slot', site.slots));
  const texts = pageTexts(site);
  const table = counts?.table;
  const source =
    table === undefined ? `range(${site.slots})` : `(SELECT slot AS range, * EXCLUDE (slot) FROM ${table})`;
  const slots = `SELECT range AS slot, ${table === undefined ? '' : '* EXCLUDE (range), '}${kindOf('range')} AS kind, ${statusOf(site, 'range')} AS status, ${pageIn(site, 'range')} AS page FROM ${source}`;
  const targets = `SELECT *, CASE kind WHEN 'r' THEN ${somewhere} WHEN 'x' THEN ${slotOfKind(site, 'n', 'to missing', 'slot')}
      WHEN 'c' THEN ${slotOfKind(site, 'r', 'to redirect', 'slot')} WHEN 'l' THEN ${loopPartner(site, 'slot')} END AS redirect_slot,
    ${canonicalSlot(site, plainSlot(numberBelow(site, 'canonical to', 'slot', site.slots)), slotOfKind(site, 'n', 'canonical to missing', 'slot'))} AS canonical_slot
    FROM (${slots})`;
  const finals = `SELECT *, CASE kind WHEN 'c' THEN CASE WHEN redirect_slot = 0 THEN 0 ELSE ${plainSlot(numberBelow(site, 'redirect to', 'redirect_slot', site.slots))} END
      WHEN 'l' THEN CASE WHEN redirect_slot = 0 THEN 0 END ELSE redirect_slot END AS final_slot FROM (${targets})`;
  const pages = `SELECT *, ${pageIn(site, 'redirect_slot')} AS redirect_page, ${pageIn(site, 'final_slot')} AS final_page,
    ${pageIn(site, 'canonical_slot')} AS canonical_page, ${statusOf(site, 'final_slot')} AS final_raw,
    ${pathOf(site, 'slot', 'page')} AS path, ${sectionOf(site, 'slot', 'page')} AS section FROM (${finals})`;
  const urls = `SELECT *, ${url(site, 'path')} AS url,
    ${url(site, pathOf(site, 'redirect_slot', 'redirect_page'), 'redirect_slot')} AS redirect_url,
    ${url(site, pathOf(site, 'final_slot', 'final_page'), 'final_slot')} AS final_url,
    CASE WHEN final_slot IS NOT NULL THEN final_raw END AS final_status,
    ${url(site, pathOf(site, 'canonical_slot', 'canonical_page'), 'canonical_slot')} AS canonical,
    ${depth(site)} AS depth, ${counts?.has.links ? 'inlinks_all' : inlinks(site)} AS inlinks,
    ${numberBelow(site, 'in sitemap', 'page', 10)} < 8 AND status = 200 AS in_sitemap,
    ${numberBelow(site, 'topic', 'page', 25)} = 0 AND slot > ${hubs(site)} AS shares_title,
    ${numberBelow(site, 'topic of', 'page', 40)} AS topic,
    CASE CASE WHEN slot > ${hubs(site)} THEN ${numberBelow(site, 'robots', 'page', 50)} END WHEN 0 THEN ['noindex'] WHEN 1 THEN ['noindex', 'nofollow'] WHEN 2 THEN ['max-image-preview:large'] WHEN 3 THEN ['max-image-preview:large'] END AS robots,
    ${numberBelow(site, 'images', 'page', 12)} AS images FROM (${pages})`;
  const named = `SELECT *, ${texts.title} AS title, ${texts.h1} AS h1, ${texts.description} AS description FROM (${urls})`;
  return `SELECT *, ${inrank(site)} AS inrank FROM (${named})`;
}

function url(site: GeneratedSite, path: string, slot?: string): string {
  const full = `concat('https://${site.host}', ${path})`;
  return slot === undefined ? full : `CASE WHEN ${slot} IS NOT NULL THEN ${full} END`;
}

/** Returns the last slot of each depth from 1 to 5; later slots are at depth 6. */
function depthEnds({ slots }: GeneratedSite): number[] {
  return [0.02, 0.15, 0.45, 0.8, 0.95].map((share) => Math.ceil(slots * share));
}

/** Returns SQL for the depth at which a crawl reaches a slot: it grows with the slot's number. */
export function crawlDepth(site: GeneratedSite, slot: string): string {
  const steps = depthEnds(site).map((end, index) => `WHEN ${slot} <= ${end} THEN ${index + 1}`);
  return `CASE WHEN ${slot} = 0 THEN 0 ${steps.join(' ')} ELSE 6 END`;
}

/** Returns the number of slots that a crawl reaches within a link depth. */
export function slotsWithin(site: GeneratedSite, maxDepth: number): number {
  if (maxDepth === 0) return 1;
  const end = depthEnds(site)[maxDepth - 1];
  return end === undefined ? site.slots : Math.min(site.slots, end + 1);
}

/** No link leads to an orphan, so it has no depth. */
function depth(site: GeneratedSite): string {
  return `CASE WHEN kind <> 'o' THEN ${crawlDepth(site, 'slot')} END`;
}

/** Returns the average that results from the choice of link targets. */
function inlinks({ slots, links }: GeneratedSite): string {
  const share = `pow((slot + 1) / ${slots}.0, 1 / 3.0) - pow(slot / ${slots}.0, 1 / 3.0)`;
  return `CASE WHEN kind = 'o' THEN 0 ELSE CAST(greatest(1, round(${links * 0.92} * (${share}))) AS BIGINT) END`;
}

function inrank(site: GeneratedSite): string {
  const noise = `CAST(${hashOf(site, 'inrank', 'page')} % 200 AS DOUBLE) / 100`;
  return `CASE WHEN kind = 'o' OR status IS NULL THEN 0.0 ELSE round(greatest(0.0, least(10.0, 10.0 - 1.2 * depth - ${noise})), 2) END`;
}
