import type { GenerateSpec } from './parse-spec.ts';
import type { GeneratedSite } from './site.ts';
import { ADJECTIVES, NOUNS } from './words.ts';

const HOUR = 3600;
const WEEK = 7 * 24 * HOUR;
/** The end of each project's first crawl, in seconds. */
const FIRST_END = Date.parse('2025-01-06T21:00:00Z') / 1000;

/**
 * The common part of all crawls of a generated website. It is stored with the project, so that more crawls can follow.
 */
export interface SiteShape {
  readonly seed: number;
  readonly project: number;
  readonly host: string;
  readonly brand: string;
  /** Rows of a whole crawl. */
  readonly pages: number;
  readonly links: number;
  readonly clusters: number;
  readonly structured_data: number;
  /** The end of its first crawl, in seconds. */
  readonly firstEnd: number;
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
  times: { readonly startedAt: number; readonly endedAt: number },
): GeneratedSite {
  const { seed, project, host, brand, pages, links, firstEnd } = shape;
  const slots = Math.max(pages, Math.ceil(links / 20), 1);
  return {
    seed,
    project,
    host,
    brand,
    slots,
    crawl,
    links: links > 0 ? links : slots * 20,
    firstEnd,
    startedAt: times.startedAt,
    endedAt: times.endedAt,
  };
}
