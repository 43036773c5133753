import { before, bool, distinct, groups, indexable, list, num, str } from './plain.ts';
import type { CrawlData, Row, ServiceData } from './service-data.ts';

/** A question answered by plain code over the service's rows. */
export type Answer = (data: ServiceData) => Row[];

const latest = (data: ServiceData): CrawlData[] => data.crawls.filter((crawl) => crawl.isLatest);
const named = (crawl: CrawlData) => ({ project_name: crawl.project, crawl_id: crawl.id });
const byUrl = (crawl: CrawlData): Map<unknown, Row> => new Map(crawl.pages.map((page) => [page.url, page]));
const internal = (crawl: CrawlData): Row[] => crawl.links.filter((link) => bool(link, 'intern'));

export const q01: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const pages = byUrl(crawl);
    const found = internal(crawl).filter((link) => {
      const page = pages.get(link.target);
      const status = num(page, 'status_code') ?? 0;
      return status >= 300 && status < 400 && num(page, 'final_redirect_status') === 404;
    });
    return [...groups(found, (link) => [link.target, link.anchor]).values()].map((links) => ({
      ...named(crawl),
      target: links[0]?.target,
      final_redirect_location: str(pages.get(links[0]?.target), 'final_redirect_location'),
      anchor: links[0]?.anchor ?? null,
      links: links.length,
      origin_pages: distinct(links.map((link) => link.origin)),
    }));
  });

export const q02: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const pages = byUrl(crawl);
    const entries = internal(crawl).flatMap((link) =>
      Object.entries(pages.get(link.target) ?? {})
        .filter(([name, value]) => name.startsWith('page_group_') && value !== null)
        .map(([name, value]) => ({ segmentation: name.slice('page_group_'.length), segment: value, link })),
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
  const top = targets
    .toSorted(
      (a, b) =>
        b.links.length - a.links.length ||
        before(a.crawl.id, b.crawl.id) ||
        before(String(a.links[0]?.target), String(b.links[0]?.target)),
    )
    .slice(0, 20);
  return top.flatMap(({ crawl, links }) =>
    [...groups(links, (link) => [link.origin]).values()].map((same) => ({
      ...named(crawl),
      target: same[0]?.target,
      internal_links: links.length,
      origin: same[0]?.origin,
      links_on_page: same.length,
      // NULL is one of the anchors, behind the others.
      anchors: [
        ...[...new Set(same.map((link) => str(link, 'anchor')).filter((anchor) => anchor !== null))].toSorted(
          before,
        ),
        ...(same.some((link) => str(link, 'anchor') === null) ? [null] : []),
      ],
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
          is_redirect_loop: bool(page, 'is_redirect_loop'),
          final_redirect_location: str(page, 'final_redirect_location'),
          final_redirect_status: num(page, 'final_redirect_status'),
          internal_links: links.length,
          origin_pages: distinct(links.map((link) => link.origin)),
        };
      });
  });

export const q12: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const listed = (page: Row): boolean => (list(page, 'sitemaps_file_origin') ?? []).length > 0;
    if (!crawl.pages.some(listed)) return [];
    const found = crawl.pages.filter((page) =>
      listed(page) ? bool(page, 'fetched') === false : bool(page, 'fetched') && indexable(page),
    );
    return found.map((page) => ({
      ...named(crawl),
      finding: listed(page) ? 'in the sitemap, not crawled' : 'crawled, not in the sitemap',
      url: page.url,
      sitemaps_file_origin: list(page, 'sitemaps_file_origin'),
      depth: num(page, 'depth'),
      nb_inlinks: num(page, 'nb_inlinks'),
    }));
  });

export const q14: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const pages = byUrl(crawl);
    return crawl.pages.flatMap((page) => {
      const target = pages.get(page.rel_canonical);
      if (target === undefined || page.rel_canonical === page.url) return [];
      const status = num(target, 'status_code');
      if (!((status !== null && status !== 200) || bool(target, 'meta_robots_index') === false)) return [];
      return [
        {
          ...named(crawl),
          url: page.url,
          rel_canonical: page.rel_canonical,
          canonical_status_code: status,
          canonical_redirect_location: str(target, 'redirect_location'),
          canonical_meta_robots_index: bool(target, 'meta_robots_index'),
        },
      ];
    });
  });

export const q15: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const inCluster = crawl.pages.filter((page) => (page.hreflang_cluster_id ?? null) !== null);
    return [...groups(inCluster, (page) => [page.hreflang_cluster_id]).values()]
      .map((members) => ({ members, bad: members.filter((page) => indexable(page) === false) }))
      .filter(({ bad }) => bad.length > 0)
      .map(({ members, bad }) => ({
        ...named(crawl),
        hreflang_cluster_id: members[0]?.hreflang_cluster_id,
        members: members.length,
        languages: languages(members),
        not_indexable: bad.length,
        noindex: members.filter((page) => bool(page, 'meta_robots_index') === false).length,
        not_indexable_urls: bad.map((page) => String(page.url)).toSorted(before),
      }));
  });

function languages(members: readonly Row[]): (string | null)[] {
  const known = members.map((page) => str(page, 'language'));
  const texts = [...new Set(known.filter((language) => language !== null))].toSorted(before);
  return known.includes(null) ? [...texts, null] : texts;
}
