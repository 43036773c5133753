import type { Answer } from './answers-links.ts';
import { before, bool, groups, indexable, iso, list, num, round, statusRange, str, sum } from './plain.ts';
import type { CrawlData, Row, ServiceData } from './service-data.ts';

const latest = (data: ServiceData): CrawlData[] => data.crawls.filter((crawl) => crawl.isLatest);
const named = (crawl: CrawlData) => ({ project_name: crawl.project, crawl_id: crawl.id });
const knows = (pages: readonly Row[], name: string): boolean =>
  pages.some((page) => (page[name] ?? null) !== null);
const count = (pages: readonly Row[], is: (page: Row) => boolean | null): number =>
  pages.filter((page) => is(page) === true).length;

export const q04: Answer = (data) =>
  data.crawls
    .filter((crawl) => crawl.pages.length > 0)
    .map(({ pages, ...crawl }) => {
      const answered = knows(pages, 'status_code');
      return {
        project_name: crawl.project,
        ended_at: iso(crawl.endedAt),
        crawl_id: crawl.id,
        known: pages.length,
        fetched: knows(pages, 'fetched') ? count(pages, (page) => bool(page, 'fetched')) : null,
        answered_200: answered ? count(pages, (page) => page.status_code === 200) : null,
        indexable: answered ? count(pages, indexable) : null,
        canonical: knows(pages, 'canonical_evaluation')
          ? count(pages, (page) => indexable(page) && page.canonical_evaluation === 'matching')
          : null,
      };
    });

export const q05: Answer = (data) =>
  data.crawls.flatMap((crawl) =>
    [...groups(crawl.pages, (page) => [num(page, 'status_code')]).values()].map((pages) => ({
      project_name: crawl.project,
      ended_at: iso(crawl.endedAt),
      crawl_id: crawl.id,
      status_code: num(pages[0], 'status_code'),
      status_code_range: statusRange(pages[0]),
      pages: pages.length,
      percent: round((100 * pages.length) / crawl.pages.length, 1),
    })),
  );

interface Change {
  readonly crawl: CrawlData;
  readonly previous: CrawlData;
  readonly change: string;
  readonly url: unknown;
  readonly before: string | null;
  readonly after: string | null;
}

const COMPARED = ['status_code', 'title', 'rel_canonical', 'h1'];

function changes(crawl: CrawlData): Change[] {
  const { previous } = crawl;
  if (previous === null) return [];
  const earlier = new Map(previous.pages.map((page) => [page.url, page]));
  const later = new Map(crawl.pages.map((page) => [page.url, page]));
  const both = COMPARED.filter((name) => [crawl, previous].every(({ pages }) => name in (pages[0] ?? {})));
  const found: Change[] = [];
  const add = (change: string, url: unknown, from: unknown = null, to: unknown = null): void => {
    found.push({ crawl, previous, change, url, before: text(from), after: text(to) });
  };
  for (const [url, page] of later) {
    const former = earlier.get(url);
    if (former === undefined) add('added', url);
    else
      for (const name of both)
        if (text(former[name]) !== text(page[name])) add(name, url, former[name], page[name]);
  }
  for (const url of earlier.keys()) if (!later.has(url)) add('removed', url);
  return found;
}

const text = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);

export const q06: Answer = (data) =>
  latest(data)
    .flatMap(changes)
    .map(({ crawl, previous, ...change }) => ({
      ...named(crawl),
      previous_crawl_id: previous.id,
      ...change,
    }));

export const q06ByCrawl: Answer = (data) =>
  data.crawls.flatMap((crawl) =>
    [...groups(changes(crawl), ({ change }) => [change]).values()].map((found) => ({
      project_name: crawl.project,
      ended_at: iso(crawl.endedAt),
      crawl_id: crawl.id,
      previous_crawl_id: found[0]?.previous.id,
      change: found[0]?.change,
      pages: found.length,
    })),
  );

/** Pages of the latest crawls that the crawl before had as well, with both. */
const pairs = (data: ServiceData): { crawl: CrawlData; earlier: Row; later: Row }[] =>
  latest(data).flatMap((crawl) => {
    const former = new Map(crawl.previous?.pages.map((page) => [page.url, page]));
    return crawl.pages.flatMap((later) => {
      const earlier = former.get(later.url);
      return earlier ? [{ crawl, earlier, later }] : [];
    });
  });

export const q07: Answer = (data) =>
  pairs(data)
    .filter(({ earlier, later }) => indexable(earlier) === true && indexable(later) === false)
    .map(({ crawl, earlier, later }) => ({
      ...named(crawl),
      url: later.url,
      status_code_before: num(earlier, 'status_code'),
      status_code: num(later, 'status_code'),
      meta_robots_index_before: bool(earlier, 'meta_robots_index'),
      meta_robots_index: bool(later, 'meta_robots_index'),
      robots_txt_denied_before: bool(earlier, 'robots_txt_denied'),
      robots_txt_denied: bool(later, 'robots_txt_denied'),
      canonical_evaluation_before: str(earlier, 'canonical_evaluation'),
      canonical_evaluation: str(later, 'canonical_evaluation'),
    }));

export const q10: Answer = (data) =>
  latest(data).flatMap((crawl) =>
    [...groups(crawl.pages, (page) => [num(page, 'depth'), str(page, 'url_first_path')]).values()].map(
      (pages) => {
        const ranks = pages.map((page) => num(page, 'inrank_decimal'));
        const known = ranks.filter((rank) => rank !== null);
        const lost = pages.filter((page) => (num(page, 'status_code') ?? 200) !== 200);
        const lostRanks = lost.map((page) => num(page, 'inrank_decimal')).filter((rank) => rank !== null);
        return {
          ...named(crawl),
          depth: num(pages[0], 'depth'),
          url_first_path: str(pages[0], 'url_first_path'),
          pages: pages.length,
          average_inrank: known.length > 0 ? round(sum(known) / known.length, 2) : null,
          lost_share: lostRanks.length > 0 && sum(known) > 0 ? round(sum(lostRanks) / sum(known), 3) : null,
        };
      },
    ),
  );

export const q11: Answer = (data) => {
  const compare = (left: number | null, right: number | null): number =>
    left === right ? 0 : left === null ? 1 : right === null ? -1 : right - left;
  const less = (a: number | null, b: number | null): boolean => a !== null && b !== null && a < b;
  return pairs(data)
    .map(({ crawl, earlier, later }) => ({
      ...named(crawl),
      url: String(later.url),
      inrank_before: num(earlier, 'inrank_decimal'),
      inrank: num(later, 'inrank_decimal'),
      nb_inlinks_before: num(earlier, 'nb_inlinks'),
      nb_inlinks: num(later, 'nb_inlinks'),
      depth_before: num(earlier, 'depth'),
      depth: num(later, 'depth'),
    }))
    .filter((row) => less(row.nb_inlinks, row.nb_inlinks_before) || less(row.depth_before, row.depth))
    .toSorted(
      (a, b) =>
        compare(a.inrank_before, b.inrank_before) ||
        compare(lossOf(a), lossOf(b)) ||
        before(a.crawl_id, b.crawl_id) ||
        before(a.url, b.url),
    )
    .slice(0, 100);
};

const lossOf = (row: { nb_inlinks_before: number | null; nb_inlinks: number | null }): number | null =>
  row.nb_inlinks_before === null || row.nb_inlinks === null ? null : row.nb_inlinks_before - row.nb_inlinks;

export const q13: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const answered = crawl.pages.filter((page) => page.status_code === 200);
    const issues = { title: 'title', h1: 'h1', meta_description: 'description' };
    const texts = answered.flatMap((page) => [
      ...Object.entries(issues).map(([field, issue]) => ({
        ...{ field, value: str(page, field), page },
        unhandled: bool(page, `has_duplicate_${issue}_issue`),
      })),
      ...(list(page, 'clusters') ?? []).map((value) => ({
        ...{ field: 'clusters', value, page, unhandled: bool(page, 'has_nearduplicate_issue') },
      })),
    ]);
    const found = texts.filter(({ value }) => value !== null && value !== '');
    return [...groups(found, ({ field, value }) => [field, value]).values()]
      .filter((same) => same.length > 1)
      .map((same) => {
        const told = same.filter(({ unhandled }) => unhandled !== null);
        const cluster = crawl.clusters.find((one) => one.cluster_id === same[0]?.value);
        return {
          ...named(crawl),
          field: same[0]?.field,
          value: same[0]?.value,
          pages: same.length,
          unhandled_pages: told.length > 0 ? told.filter(({ unhandled }) => unhandled).length : null,
          similarity: same[0]?.field === 'clusters' ? num(cluster, 'average_similarity') : null,
          sample_url: same.map(({ page }) => String(page.url)).toSorted(before)[0],
        };
      });
  });

export const q20: Answer = (data) =>
  data.crawls.flatMap((crawl) => {
    const items = groups(crawl.structuredData, (item) => [item.url]);
    const answered = crawl.pages.filter((page) => page.status_code === 200);
    return [...groups(answered, (page) => [str(page, 'url_first_path')]).values()].map((pages) => {
      const ofPages = pages.map((page) => items.get(JSON.stringify([page.url])) ?? []);
      const judged = ofPages.flat().filter((item) => bool(item, 'valid') !== null);
      const rich = pages.filter(
        (page, index) => (ofPages[index]?.length ?? 0) > 0 || (list(page, 'semantic_types') ?? []).length > 0,
      );
      return {
        project_name: crawl.project,
        ended_at: iso(crawl.endedAt),
        crawl_id: crawl.id,
        url_first_path: str(pages[0], 'url_first_path'),
        pages: pages.length,
        thin_share: shareOf(pages, 'word_count', (words) => words < 300),
        slow_share: shareOf(pages, 'load_time', (milliseconds) => milliseconds > 1000),
        structured_share: round(rich.length / pages.length, 3),
        invalid_item_share:
          judged.length > 0
            ? round(judged.filter((item) => item.valid === false).length / judged.length, 3)
            : null,
      };
    });
  });

/** The share among the pages that have the field. */
function shareOf(pages: readonly Row[], name: string, is: (value: number) => boolean): number | null {
  const known = pages.map((page) => num(page, name)).filter((value) => value !== null);
  return known.length === 0 ? null : round(known.filter(is).length / known.length, 3);
}
