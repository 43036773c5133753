import { webUrl } from '../../../core/net/web-url.ts';
import type { PageImage } from '../parse/images.ts';
import { parsePage } from '../parse/parse-page.ts';
import { distinct } from '../parse/text/text.ts';
import type { Fetched, LinkRecord, ParsedPage, ParseRules } from '../records/records.ts';
import type { Rendered, Resource } from './rendered.ts';

/**
 * Returns a page after scripts ran, with the facts of its HTML before that. A page that could not be rendered keeps the
 * content of its HTML.
 *
 * @param plain with the scraped fields of the HTML, if it is rendered without those of the page
 */
export function withRendered(
  plain: ParsedPage,
  { html, place, scriptRedirect, resources, warnings }: Rendered,
  crawl: {
    readonly fetched: Fetched;
    readonly rules: ParseRules;
    readonly watched: readonly string[] | null;
  },
): ParsedPage {
  const { fetched, rules, watched } = crawl;
  const told = { rendered: html !== null, render_warnings: warnings.length === 0 ? null : warnings };
  if (html === null) return { ...plain, page: { ...plain.page, ...told } };
  const parsed = parsePage(fetched, rules, { html, ...(place === undefined ? {} : { place }) });
  const before = plain.page;
  const redirect = scriptRedirect === null ? null : webUrl(scriptRedirect);
  return {
    ...parsed,
    page: {
      ...parsed.page,
      ...told,
      custom: before.custom === null ? parsed.page.custom : { ...before.custom, ...parsed.page.custom },
      custom_problems: distinct([...(before.custom_problems ?? []), ...(parsed.page.custom_problems ?? [])]),
      script_redirect: redirect === null ? null : rules.normalize(redirect),
      unrendered_title: before.title,
      unrendered_meta_description: before.meta_description,
      unrendered_h1: before.h1,
      unrendered_rel_canonical: before.rel_canonical,
      unrendered_meta_robots: before.meta_robots,
      unrendered_meta_robots_index: before.meta_robots_index,
      unrendered_word_count: before.word_count,
      unrendered_semantic_types: before.semantic_types,
      unrendered_semantic_item_count: before.semantic_item_count,
      unrendered_outlinks: plain.links.length,
      outlinks_only_rendered: linksBeyond(parsed.links, plain.links),
      outlinks_only_unrendered: linksBeyond(plain.links, parsed.links),
      ...countsOf(resources),
      images: withSizes(parsed.page.images, resources),
      largest_img_weight: largestImage(resources),
      resources: watched === null ? null : resources.filter(({ url }) => isWatched(url, watched)),
    },
  };
}

/** States of resources that the crawler did not request, or that the page did not wait for. */
const NOT_FAILED: readonly string[] = ['not_loaded', 'refused', 'unfinished'];

/** Returns links to other pages whose targets the other links do not have. */
function linksBeyond(links: readonly LinkRecord[], others: readonly LinkRecord[]): number {
  const known = new Set(others.map(({ target }) => target));
  return links.filter(({ origin, target }) => target !== origin && !known.has(target)).length;
}

function countsOf(resources: readonly Resource[]) {
  const isFailed = ({ status, error }: Resource): boolean =>
    (status ?? 0) >= 400 || (error !== null && !NOT_FAILED.includes(error));
  return {
    num_resources: resources.length,
    num_resources_denied: resources.filter((resource) => resource.robots_txt_denied).length,
    num_resources_failed: resources.filter(isFailed).length,
    resources_weight: Math.ceil(resources.reduce((sum, { size }) => sum + (size ?? 0), 0) / 1024),
  };
}

function withSizes(images: readonly PageImage[] | null, resources: readonly Resource[]): PageImage[] | null {
  const sizes = new Map(resources.filter(({ status }) => status === 200).map(({ url, size }) => [url, size]));
  return images?.map((image) => ({ ...image, size: sizes.get(image.url ?? '') ?? null })) ?? null;
}

/** KB of the largest loaded image; null if there is none. */
function largestImage(resources: readonly Resource[]): number | null {
  const sizes = resources
    .filter(({ type, status }) => type === 'image' && status === 200)
    .map(({ size }) => size ?? 0);
  return sizes.length === 0 ? null : Math.ceil(Math.max(...sizes) / 1024);
}

/**
 * Returns whether a resource is watched. A pattern matches anywhere in the URL; `*` stands for any characters. Without
 * patterns, all resources are watched.
 */
function isWatched(url: string, patterns: readonly string[]): boolean {
  return patterns.length === 0 || patterns.some((pattern) => isFound(pattern.split('*'), url));
}

function isFound(parts: readonly string[], text: string): boolean {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
