import {
  before,
  bool,
  canonicalKind,
  canonicalUrl,
  distinct,
  groups,
  indexable,
  isCanonicalised,
  isNoindex,
  list,
  num,
  reasonAgainst,
  statusRange,
  str,
} from './plain.ts';
import type { CrawlData, Row, ServiceData } from './service-data.ts';

/** A question answered by plain code over the service's rows. */
export type Answer = (data: ServiceData) => Row[];

const latest = (data: ServiceData): CrawlData[] => data.crawls.filter((crawl) => crawl.isLatest);
const named = (crawl: CrawlData) => ({
  ...{ project_name: crawl.project, crawl_config_name: crawl.configName, crawl_id: crawl.id },
});
const byUrl = (crawl: CrawlData): Map<unknown, Row> => new Map(crawl.pages.map((page) => [page.url, page]));
const host = (url: unknown): string | undefined => URL.parse(String(url))?.host;
const internal = (crawl: CrawlData): Row[] =>
  crawl.links.filter((link) => bool(link, 'intern') ?? host(link.origin) === host(link.target));
/** Up to ten of the pages that hold the links; null where there are none. */
const firstOrigins = (links: readonly Row[]): string[] | null =>
  links.length === 0
    ? null
    : [...new Set(links.map((link) => String(link.origin)))].toSorted(before).slice(0, 10);

export const q01: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const pages = byUrl(crawl);
    const found = internal(crawl).filter((link) => {
      const page = pages.get(link.target);
      return statusRange(page) === 'redirect' && num(page, 'final_redirect_status') === 404;
    });
    return [...groups(found, (link) => [link.target, link.anchor]).values()].map((links) => ({
      ...named(crawl),
      target: links[0]?.target,
      final_redirect_location: str(pages.get(links[0]?.target), 'final_redirect_location'),
      anchor: links[0]?.anchor ?? null,
      links: links.length,
      origin_pages: distinct(links.map((link) => link.origin)),
      origins: firstOrigins(links),
    }));
  });

export const q02: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const pages = byUrl(crawl);
    const entries = internal(crawl).flatMap((link) =>
      Object.entries(pages.get(link.target) ?? {})
        .filter(([name, value]) => name.startsWith('page_group_') && value !== null)
        .flatMap(([name, value]) =>
          [...new Set([value].flat())].map((segment) => ({
            ...{ segmentation: name.slice('page_group_'.length), segment, link },
          })),
        ),
    );
    const keyed = groups(entries, ({ segmentation, segment, link }) => [segmentation, segment, link.anchor]);
    return [...keyed.values()].map((found) => ({
      ...named(crawl),
      segmentation: found[0]?.segmentation,
      segment: found[0]?.segment,
      anchor: found[0]?.link.anchor ?? null,
      links: found.length,
      follow_links: found.filter(({ link }) => bool(link, 'follow')).length,
      origin_pages: distinct(found.map(({ link }) => link.origin)),
      target_pages: distinct(found.map(({ link }) => link.target)),
    }));
  });

export const q08: Answer = (data) => {
  const targets = latest(data).flatMap((crawl) => {
    const pages = byUrl(crawl);
    const broken = internal(crawl).filter(
      (link) => (num(link, 'target_status') ?? num(pages.get(link.target), 'status_code')) === 404,
    );
    return [...groups(broken, (link) => [link.target]).values()].map((links) => ({ crawl, links }));
  });
  const ranked = targets.toSorted(
    (a, b) =>
      b.links.length - a.links.length || before(String(a.links[0]?.target), String(b.links[0]?.target)),
  );
  const top = [...groups(ranked, ({ crawl }) => [crawl.projectId]).values()].flatMap((of) => of.slice(0, 20));
  return top.flatMap(({ crawl, links }) =>
    [...groups(links, (link) => [link.origin]).values()].map((same) => ({
      ...named(crawl),
      target: same[0]?.target,
      internal_links: links.length,
      origin: same[0]?.origin,
      links_on_page: same.length,
      anchors: texts(same.map((link) => str(link, 'anchor'))),
    })),
  );
};

export const q09: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const into = groups(internal(crawl), (link) => [link.target]);
    return crawl.pages
      .filter(
        (page) =>
          (num(page, 'redirect_count') ?? 0) > 1 ||
          bool(page, 'is_redirect_loop') ||
          bool(page, 'is_too_many_redirects'),
      )
      .map((page) => {
        const links = into.get(JSON.stringify([page.url])) ?? [];
        return {
          ...named(crawl),
          url: page.url,
          redirect_count: num(page, 'redirect_count'),
          is_redirect_loop: bool(page, 'is_redirect_loop') ?? false,
          final_redirect_location: str(page, 'final_redirect_location'),
          final_redirect_status: num(page, 'final_redirect_status'),
          internal_links: links.length,
          origin_pages: distinct(links.map((link) => link.origin)),
          origins: firstOrigins(links),
        };
      });
  });

export const q12: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const listed = (page: Row): boolean => (list(page, 'sitemaps_file_origin') ?? []).length > 0;
    if (!crawl.pages.some(listed)) return [];
    const findingOf = (page: Row): string | null => {
      if (!listed(page))
        return bool(page, 'fetched') && indexable(page) ? 'crawled, not in the sitemap' : null;
      if (bool(page, 'fetched') === false) return 'in the sitemap, not crawled';
      return indexable(page) === false ? 'in the sitemap, not indexable' : null;
    };
    return crawl.pages
      .map((page) => ({
        ...named(crawl),
        finding: findingOf(page),
        url: page.url,
        problem: reasonAgainst(page),
        status_code: num(page, 'status_code'),
        sitemaps_file_origin: list(page, 'sitemaps_file_origin'),
        depth: num(page, 'depth'),
        nb_inlinks: num(page, 'nb_inlinks'),
      }))
      .filter(({ finding }) => finding !== null);
  });

export const q14: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const pages = byUrl(crawl);
    return crawl.pages.flatMap((page) => {
      const canonical = canonicalUrl(page);
      if (canonical === null || !isCanonicalised(page) || (num(page, 'status_code') ?? 200) !== 200)
        return [];
      const target = canonical === page.url ? undefined : pages.get(canonical);
      const problem = target
        ? targetProblem(target)
        : host(canonical) === host(page.url)
          ? 'not_in_crawl'
          : null;
      if (problem === null) return [];
      return [
        {
          ...named(crawl),
          url: page.url,
          rel_canonical: page.rel_canonical,
          canonical_kind: canonicalKind(page),
          problem,
          canonical_status_code: num(target, 'status_code'),
          canonical_redirect_location: str(target, 'redirect_location'),
        },
      ];
    });
  });

const targetProblem = (target: Row): string | null =>
  reasonAgainst(target) ?? (indexable(target) === null ? 'not_fetched' : null);

export const q15: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const known = byUrl(crawl);
    const inCluster = crawl.pages.filter((page) => (page.hreflang_cluster_id ?? null) !== null);
    return [...groups(inCluster, (page) => [page.hreflang_cluster_id]).values()]
      .map((members) => ({
        members,
        bad: members.filter((page) => indexable(page) === false),
        missing: texts(
          members.flatMap((page) => list(page, 'hreflang_hrefs') ?? []).filter((url) => !known.has(url)),
        ),
        errors: texts(members.flatMap((page) => list(page, 'hreflang_errors') ?? [])),
      }))
      .filter(({ bad, missing, errors }) => bad.length > 0 || missing !== null || errors !== null)
      .map(({ members, bad, missing, errors }) => ({
        ...named(crawl),
        hreflang_cluster_id: members[0]?.hreflang_cluster_id,
        members: members.length,
        languages: texts(members.map((page) => str(page, 'language'))),
        not_indexable: bad.length,
        noindex: members.filter(isNoindex).length,
        not_indexable_urls: bad.length > 0 ? bad.map((page) => String(page.url)).toSorted(before) : null,
        missing: missing?.length ?? 0,
        missing_urls: missing,
        hreflang_errors: errors,
      }));
  });

/** The different texts, by their bytes; null where there are none. */
function texts(values: readonly (string | null)[]): string[] | null {
  const known = [...new Set(values.filter((value) => value !== null))].toSorted(before);
  return known.length > 0 ? known : null;
}
