import { hash } from 'node:crypto';
import { text } from '../../../core/duckdb/duckdb.ts';
import type { GenerateSpec } from './parse-spec.ts';

export const ADJECTIVES =
  'amber bold calm crisp dusty early fresh gentle hidden ivory jolly light mellow noble quiet rapid silver tidy vivid warm'.split(
    ' ',
  );

export const NOUNS =
  'anchor basket beacon canvas compass feather garden harbour island jacket kettle lantern meadow needle orchard pepper quilt ribbon saddle teapot umbrella violin willow yarn'.split(
    ' ',
  );

const SECTIONS = ['products', 'blog', 'help', 'news', 'guides', 'stores', 'events', 'brands'] as const;

export const EXTERNAL_HOSTS =
  'www.partner-one.example shop.partner-two.example news.daily.example cdn.pictures.example social.network.example maps.atlas.example docs.library.example video.stream.example'.split(
    ' ',
  );

/** A generated website at one of its crawls. Its pages are in numbered slots, from 0, the home page. */
export interface GeneratedSite {
  readonly seed: number;
  readonly project: number;
  readonly host: string;
  readonly brand: string;
  readonly slots: number;
  readonly crawl: number;
  readonly links: number;
  /** The end of its first crawl, in seconds. */
  readonly firstEnd: number;
  /** When the crawl began and ended, in seconds. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The kinds of pages repeat after this many slots, so that a page of any kind is found by arithmetic. */
const BLOCK = 500;

/**
 * Kinds of slots: `.` a plain page, r redirect to a page, x redirect to a 404, c redirect to a redirect, l redirect
 * loop, n not found, e server error, u could not be fetched, d denied by robots.txt, o orphan.
 */
const CYCLE = 'rnronxrueronrcdrnorlrnrdon';
const KINDS = makeKinds();

function makeKinds(): string {
  const kinds = Array.from({ length: BLOCK }, () => '.');
  let next = 0;
  // Every eighth slot is special, so the one before it never is.
  for (let slot = 7; slot < BLOCK; slot += 8) kinds[slot] = CYCLE[next++ % CYCLE.length] ?? '.';
  return kinds.join('');
}

/** Returns a number that belongs to a label, a seed and a project: added to what is hashed, it keeps hashes apart. */
function salt(site: GeneratedSite, label: string): string {
  const digest = hash('sha256', JSON.stringify([site.seed, site.project, label]), 'buffer');
  return String(digest.readUIntBE(0, 5));
}

/** Returns SQL for a hash (UBIGINT) of a whole number under a label. */
export function hashOf(site: GeneratedSite, label: string, x: string): string {
  return `hash(${x} + ${salt(site, label)})`;
}

/** Returns SQL for a whole number from 0 to below `bound`. */
export function numberBelow(site: GeneratedSite, label: string, x: string, bound: number | string): string {
  return `CAST(${hashOf(site, label, x)} % ${bound} AS BIGINT)`;
}

export function kindOf(slot: string): string {
  return `substr('${KINDS}', CAST(${slot} % ${BLOCK} AS INTEGER) + 1, 1)`;
}

/**
 * Returns the number of slots after the home page that are section pages. Like the home page, they are never removed.
 */
export function hubs(site: GeneratedSite): number {
  return Math.min(SECTIONS.length, Math.floor(site.slots / 10));
}

/**
 * Returns SQL for the number of the page in a slot at this crawl. Every 33rd crawl, a slot gets another page, each slot
 * at its own time. From one crawl to the next, about 3 % of the pages are thus replaced.
 */
export function pageIn(site: GeneratedSite, slot: string): string {
  const first = `(1 + ${numberBelow(site, 'replaced', slot, 33)})`;
  const k = site.crawl;
  return `CASE WHEN ${slot} <= ${hubs(site)} OR ${k} < ${first} THEN ${slot} ELSE ${slot} + ${site.slots} * (1 + (${k} - ${first}) // 33) END`;
}

/** Returns SQL condition for about 2 % of the slots in a crawl, for two crawls in a row. */
export function isPassing(site: GeneratedSite, label: string, slot: string): string {
  const phase = numberBelow(site, label, slot, 100);
  return `(${slot} > ${hubs(site)} AND (${site.crawl % 100} - ${phase} + 100) % 100 < 2)`;
}

/**
 * Returns SQL condition for a plain page that answers an error in a crawl. The home page and the section pages never
 * do.
 */
export function isBroken(site: GeneratedSite, slot: string): string {
  return isPassing(site, 'broken', slot);
}

/** Returns SQL for a version that increases every 50th crawl, for each slot at its own time: 2 % between two crawls. */
export function versionOf(site: GeneratedSite, label: string, slot: string): string {
  return `(${site.crawl} + ${numberBelow(site, label, slot, 50)}) // 50`;
}

/**
 * Returns the number of slots that a crawl visits to fetch this many: some cannot be fetched or are blocked by
 * robots.txt.
 */
export function slotsForFetched(fetched: number): number {
  if (!Number.isFinite(fetched)) return fetched;
  const isFetched = [...KINDS].map((kind) => kind !== 'u' && kind !== 'd');
  const inBlock = isFetched.filter(Boolean).length;
  // The block in which the last one lies.
  const blocks = Math.max(0, Math.ceil(fetched / inBlock) - 1);
  let slots = blocks * BLOCK;
  for (let missing = fetched - blocks * inBlock; missing > 0; slots++)
    if (isFetched[slots % BLOCK]) missing -= 1;
  return slots;
}

/** Returns SQL for the status code of a slot at this crawl; NULL if it is not fetched. */
export function statusOf(site: GeneratedSite, slot: string): string {
  const h = (label: string, bound: number): string => numberBelow(site, label, slot, bound);
  return `CASE ${kindOf(slot)}
    WHEN 'r' THEN CASE WHEN ${h('temporary', 8)} = 0 THEN 302 ELSE 301 END
    WHEN 'x' THEN 301 WHEN 'c' THEN 301 WHEN 'l' THEN 301
    WHEN 'n' THEN CASE WHEN ${h('gone', 10)} = 0 THEN 410 ELSE 404 END
    WHEN 'e' THEN CASE WHEN ${h('busy', 3)} = 0 THEN 503 ELSE 500 END
    WHEN 'u' THEN NULL WHEN 'd' THEN NULL
    ELSE CASE WHEN ${isBroken(site, slot)} THEN CASE WHEN ${h('how', 10)} < 7 THEN 404 ELSE 500 END ELSE 200 END END`;
}

/** Returns SQL that maps any slot to a plain page's slot: itself, or the one before it. */
export function plainSlot(slot: string): string {
  return `CASE WHEN ${kindOf(slot)} = '.' THEN ${slot} ELSE ${slot} - 1 END`;
}

/** Returns SQL for some slot of a kind, found from any slot; the home page if the site has none. */
export function slotOfKind(site: GeneratedSite, kind: string, label: string, slot: string): string {
  const places = [...KINDS].flatMap((found, place) => (found === kind && place < site.slots ? [place] : []));
  if (places.length === 0) return '0';
  const blocks = Math.max(1, Math.floor(site.slots / BLOCK));
  const block = numberBelow(site, `${label} block`, slot, blocks);
  const place = `[${places.join(', ')}][1 + ${numberBelow(site, `${label} place`, slot, places.length)}]`;
  return `(${block} * ${BLOCK} + ${place})`;
}

/**
 * Returns SQL for the other slot of a redirect loop: in a block they follow each other in pairs; the home page without
 * one.
 */
export function loopPartner(site: GeneratedSite, slot: string): string {
  const places = [...KINDS].flatMap((kind, place) => (kind === 'l' ? [place] : []));
  const cases = places
    .map((place, index) => `WHEN ${place} THEN ${(places[index ^ 1] ?? place) - place}`)
    .join(' ');
  const partner = `${slot} + CASE ${slot} % ${BLOCK} ${cases} ELSE 0 END`;
  return `CASE WHEN ${partner} < ${site.slots} THEN ${partner} ELSE 0 END`;
}

/** Returns SQL for a word of a list, picked by a hash. */
export function pick(words: readonly string[], hash: string): string {
  return `[${words.map(text).join(', ')}][1 + CAST(${hash} % ${words.length} AS INTEGER)]`;
}

/** Returns SQL for the section that a page belongs to; a section's own page belongs to it too. */
export function sectionOf(site: GeneratedSite, slot: string, page: string): string {
  const count = SECTIONS.length;
  const index = `CASE WHEN ${slot} BETWEEN 1 AND ${hubs(site)} THEN ${slot} - 1 ELSE ${numberBelow(site, 'section', page, count)} END`;
  return `[${SECTIONS.map(text).join(', ')}][1 + CAST(${index} AS INTEGER)]`;
}

/** Returns SQL for a page's path with its query string. */
export function pathOf(site: GeneratedSite, slot: string, page: string): string {
  const words = `${pick(ADJECTIVES, hashOf(site, 'adjective', page))}, '-', ${pick(NOUNS, hashOf(site, 'noun', page))}`;
  const end = `CASE ${numberBelow(site, 'ending', page, 40)} WHEN 0 THEN '?color=red' WHEN 1 THEN '?page=2' WHEN 2 THEN '?sort=price&page=3'
    WHEN 3 THEN '.html' WHEN 4 THEN '.html' WHEN 5 THEN '.html' WHEN 6 THEN '.pdf' ELSE '' END`;
  return `CASE WHEN ${slot} = 0 THEN '/' WHEN ${slot} <= ${hubs(site)} THEN concat('/', ${sectionOf(site, slot, page)}, '/')
    ELSE concat('/', ${sectionOf(site, slot, page)}, '/', ${words}, '-', ${page}, ${end}) END`;
}

export function urlOf(site: GeneratedSite, slot: string, page: string): string {
  return `concat('https://${site.host}', ${pathOf(site, slot, page)})`;
}

const HOUR = 3600;
const WEEK = 7 * 24 * HOUR;
/** The end of each project's first crawl, in seconds. */
const FIRST_END = Date.parse('2025-01-06T21:00:00Z') / 1000;

/**
 * The part that all crawls of a generated website share. It is stored with the project, so that more crawls can follow.
 */
export interface SiteShape extends Omit<GeneratedSite, 'slots' | 'crawl' | 'startedAt' | 'endedAt'> {
  /** Rows of a whole crawl. */
  readonly pages: number;
  readonly clusters: number;
  readonly structured_data: number;
}

export function shapeOf(spec: GenerateSpec, project: number): SiteShape {
  const at = spec.seed * 7 + project;
  const name = `${ADJECTIVES[at % ADJECTIVES.length]}-${NOUNS[at % NOUNS.length]}-${spec.seed}${project === 0 ? '' : `-${project + 1}`}`;
  const { seed, pages, links, clusters, structured_data } = spec;
  return {
    seed,
    project,
    host: `www.${name}.example`,
    brand: brandOf(at),
    pages,
    links,
    clusters,
    structured_data,
    firstEnd: FIRST_END + (at % 90) * 60,
  };
}

function brandOf(at: number): string {
  const name = `${ADJECTIVES[at % ADJECTIVES.length]} ${NOUNS[at % NOUNS.length]}`;
  return name.replace(/^./, (letter) => letter.toUpperCase());
}

/** When the crawl of this number ran, in seconds: they are a week apart. */
export function weekly(shape: SiteShape, crawl: number): { startedAt: number; endedAt: number } {
  const endedAt = shape.firstEnd + crawl * WEEK;
  return { startedAt: endedAt - 5 * HOUR, endedAt };
}

export function siteAt(
  shape: SiteShape,
  crawl: number,
  times: Pick<GeneratedSite, 'startedAt' | 'endedAt'>,
): GeneratedSite {
  const { pages, links } = shape;
  const slots = Math.max(pages, Math.ceil(links / 20), 1);
  return { ...shape, slots, crawl, links: links > 0 ? links : slots * 20, ...times };
}
