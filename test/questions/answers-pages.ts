import type { Answer } from './answers-links.ts';
import {
  before,
  bool,
  canonicalUrl,
  groups,
  indexable,
  isCanonicalised,
  isNoindex,
  iso,
  list,
  num,
  reasonAgainst,
  reasonsAgainst,
  round,
  statusRange,
  str,
  sum,
} from './plain.ts';
import type { CrawlData, Row, ServiceData } from './service-data.ts';

const latest = (data: ServiceData): CrawlData[] => data.crawls.filter((crawl) => crawl.isLatest);
const named = (crawl: CrawlData) => ({
  ...{ project_name: crawl.project, crawl_config_name: crawl.configName, crawl_id: crawl.id },
});
const has = (pages: readonly Row[], ...names: string[]): boolean =>
  names.some((name) => name in (pages[0] ?? {}));
const count = (pages: readonly Row[], is: (page: Row) => boolean | null): number =>
  pages.filter((page) => is(page) === true).length;

export const q04: Answer = (data) =>
  data.crawls
    .filter((crawl) => crawl.pages.length > 0)
    .map(({ pages, ...crawl }) => {
      const isSelf = (page: Row): boolean =>
        has([page], 'rel_canonical') && !isCanonicalised(page) && !isUnset(page);
      const isCanonical = has(pages, 'rel_canonical', 'canonical_evaluation');
      return {
        ...{ project_name: crawl.project, crawl_config_name: crawl.configName },
        ended_at: iso(crawl.endedAt),
        crawl_id: crawl.id,
        known: pages.length,
        fetched: has(pages, 'fetched') ? count(pages, (page) => bool(page, 'fetched')) : null,
        answered_200: has(pages, 'status_code') ? count(pages, (page) => page.status_code === 200) : null,
        indexable: has(pages, 'status_code', 'indexable') ? count(pages, indexable) : null,
        canonical: isCanonical ? count(pages, (page) => indexable(page) && isSelf(page)) : null,
        canonical_not_set: isCanonical ? count(pages, (page) => indexable(page) && isUnset(page)) : null,
      };
    });

const isUnset = (page: Row): boolean => {
  const evaluated = str(page, 'canonical_evaluation');
  return evaluated === null ? canonicalUrl(page) === null : evaluated === 'not_set';
};

export const q05: Answer = (data) =>
  data.crawls.flatMap((crawl) => {
    const placed = crawl.pages.flatMap((page) => [
      { segmentation: null, segment: null, page },
      ...Object.entries(page)
        .filter(([name, value]) => name.startsWith('page_group_') && value !== null)
        .flatMap(([name, value]) =>
          [...new Set([value].flat())].map((segment) => ({ segmentation: name.slice(11), segment, page })),
        ),
    ]);
    return [...groups(placed, ({ segmentation, segment }) => [segmentation, segment]).values()].flatMap(
      (all) =>
        [...groups(all, ({ page }) => [num(page, 'status_code')]).values()].map((same) => ({
          ...{ project_name: crawl.project, crawl_config_name: crawl.configName },
          ended_at: iso(crawl.endedAt),
          crawl_id: crawl.id,
          segmentation: same[0]?.segmentation,
          segment: same[0]?.segment,
          status_code: num(same[0]?.page, 'status_code'),
          status_code_range: statusRange(same[0]?.page),
          pages: same.length,
          percent: round((100 * same.length) / all.length, 1),
        })),
    );
  });

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
      ...{ project_name: crawl.project, crawl_config_name: crawl.configName },
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

/** Fields of which one must be in both exports for a reason to count. */
const TOLD_BY: Readonly<Record<string, readonly string[]>> = {
  robots_denied: ['robots_txt_denied', 'fetch_status'],
  noindex: ['meta_robots_index', 'meta_robots'],
  canonicalised: ['canonical_evaluation', 'rel_canonical'],
  service: ['indexable'],
};

export const q07: Answer = (data) =>
  pairs(data).flatMap(({ crawl, earlier, later }) => {
    if (indexable(earlier) !== true) return [];
    const isGone = num(later, 'status_code') === null && num(earlier, 'status_code') === 200;
    const isTold = (reason: string): boolean => {
      const fields = TOLD_BY[reason] ?? ['status_code'];
      return reason === 'no_answer' || (has([earlier], ...fields) && has([later], ...fields));
    };
    const first = reasonsAgainst(later);
    const behind = first.findLastIndex((one) => ['robots_denied', 'no_answer'].includes(one)) + 1;
    const reason = (isGone ? first.toSpliced(behind, 0, 'no_status') : first).find(isTold);
    if (reason === undefined) return [];
    const noindex = (page: Row): boolean | null =>
      has([page], 'meta_robots_index', 'meta_robots') &&
      (bool(page, 'meta_robots_index') ?? list(page, 'meta_robots')) !== null
        ? isNoindex(page)
        : null;
    const denied = (page: Row): boolean | null =>
      str(page, 'fetch_status') === 'unfetched_robots_denied' ? true : bool(page, 'robots_txt_denied');
    return [
      {
        ...named(crawl),
        ...{ url: later.url, reason },
        status_code_before: num(earlier, 'status_code'),
        status_code: num(later, 'status_code'),
        ...{ is_noindex_before: noindex(earlier), is_noindex: noindex(later) },
        ...{ is_robots_denied_before: denied(earlier), is_robots_denied: denied(later) },
        ...{ canonical_url_before: canonicalUrl(earlier), canonical_url: canonicalUrl(later) },
      },
    ];
  });

export const q10: Answer = (data) =>
  latest(data).flatMap((crawl) =>
    [...groups(crawl.pages, (page) => [num(page, 'depth'), str(page, 'url_first_path')]).values()].map(
      (pages) => {
        // In whole billionths, so that their sum is exact.
        const ranks = (of: readonly Row[]): number[] =>
          of
            .map((page) => num(page, 'inrank_decimal'))
            .filter((rank) => rank !== null)
            .map((rank) => Math.round(rank * 1e9));
        const isLost = (page: Row): boolean =>
          (num(page, 'status_code') ?? 200) !== 200 ||
          ['robots_denied', 'no_answer'].includes(reasonAgainst(page) ?? '');
        const [known, lost] = [ranks(pages), ranks(pages.filter(isLost))];
        return {
          ...named(crawl),
          depth: num(pages[0], 'depth'),
          url_first_path: str(pages[0], 'url_first_path'),
          pages: pages.length,
          average_inrank: known.length > 0 ? round(sum(known) / 1e9 / known.length, 2) : null,
          lost_share: known.length === 0 ? null : sum(known) === 0 ? 0 : round(sum(lost) / sum(known), 3),
        };
      },
    ),
  );

export const q11: Answer = (data) => {
  const compare = (left: number | null, right: number | null): number =>
    left === right ? 0 : left === null ? 1 : right === null ? -1 : right - left;
  const less = (a: number | null, b: number | null): boolean => a !== null && b !== null && a < b;
  const lossOf = (earlier: Row, later: Row | undefined): number | null => {
    const [was, is] = [num(earlier, 'nb_inlinks'), num(later, 'nb_inlinks')];
    return was === null || is === null ? null : was - is;
  };
  return latest(data).flatMap((crawl) => {
    const pages = new Map(crawl.pages.map((page) => [page.url, page]));
    const hasDepth = crawl.pages.some((page) => num(page, 'depth') !== null);
    const findingOf = (earlier: Row, later: Row | undefined): string | null => {
      if (later === undefined) return 'vanished';
      const [was, is] = [num(earlier, 'depth'), num(later, 'depth')];
      if (was !== null && is === null && hasDepth) return 'left the structure';
      if (less(was, is)) return 'deeper';
      return less(num(later, 'nb_inlinks'), num(earlier, 'nb_inlinks')) ? 'fewer inlinks' : null;
    };
    return (crawl.previous?.pages ?? [])
      .map((earlier) => ({ earlier, later: pages.get(earlier.url) }))
      .filter(({ earlier, later }) => findingOf(earlier, later) !== null)
      .toSorted(
        (a, b) =>
          compare(num(a.earlier, 'inrank_decimal'), num(b.earlier, 'inrank_decimal')) ||
          compare(lossOf(a.earlier, a.later), lossOf(b.earlier, b.later)) ||
          before(String(a.earlier.url), String(b.earlier.url)),
      )
      .slice(0, 100)
      .map(({ earlier, later }) => ({
        ...named(crawl),
        url: earlier.url,
        finding: findingOf(earlier, later),
        inrank_before: num(earlier, 'inrank_decimal'),
        inrank: num(later, 'inrank_decimal'),
        nb_inlinks_before: num(earlier, 'nb_inlinks'),
        nb_inlinks: num(later, 'nb_inlinks'),
        depth_before: num(earlier, 'depth'),
        depth: num(later, 'depth'),
      }));
  });
};

export const q13: Answer = (data) =>
  latest(data).flatMap((crawl) => {
    const answered = crawl.pages.filter((page) => page.status_code === 200 && !isCanonicalised(page));
    const issues = { title: 'title', h1: 'h1', meta_description: 'description' };
    const texts = answered.flatMap((page) => [
      ...Object.entries(issues).map(([field, issue]) => ({
        ...{
          field,
          value:
            str(page, field)
              ?.replace(/[ \t\n\r\u00a0]+/g, ' ')
              .trim() ?? null,
          page,
        },
        unhandled: bool(page, `has_duplicate_${issue}_issue`),
      })),
      ...[...new Set(list(page, 'clusters') ?? [])].map((value) => ({
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
