import type { Row } from '../sites/sites.ts';
import { hasAllSitemaps, isRefusedOrUnreadable, observationReason } from './comparison.ts';
import { type CrawlFacts, hasField } from './crawls.ts';
import {
  type Asked,
  allCrawls,
  crawlsAsked,
  type Facts,
  inSegment,
  isSegmentAsked,
  named,
  placed,
} from './facts.ts';
import { linksOf, pagesBySegment, segmentationAsked } from './links.ts';
import { type Page, sameForm, segmentsOf, statusRange } from './pages.ts';
import { bool, groups, isKnown, list, num, ordered, percent, rounded, str, trueOf } from './values.ts';

export const q04 = (facts: Facts, asked: Asked): Row[] =>
  allCrawls(facts, asked).flatMap(({ crawl }) => {
    const known = crawl.allPages.filter((page) => inSegment(page, asked));
    if (known.length === 0) return [];
    // A step whose field the export did not have lets every page pass.
    const step = (from: readonly Page[], passes: (page: Page) => boolean, ...fields: string[]) =>
      hasField(crawl.pages, ...fields) ? from.filter(passes) : null;
    const fetched = step(known, ({ row }) => bool(row, 'fetched') === true, 'fetched');
    const answered = step(fetched ?? known, ({ status }) => status === 200, 'status_code');
    const indexable = step(
      answered ?? fetched ?? known,
      ({ isIndexable }) => isIndexable === true,
      ...['status_code', 'indexable'],
    );
    const before = indexable ?? answered ?? fetched ?? known;
    const canonical = (kinds: readonly (string | null)[]): number | null =>
      step(
        before,
        ({ canonicalKind }) => kinds.includes(canonicalKind),
        'rel_canonical',
        'canonical_evaluation',
      )?.length ?? null;
    return [
      {
        ...placed(crawl),
        known: known.length,
        fetched: fetched?.length ?? null,
        answered_200: answered?.length ?? null,
        indexable: indexable?.length ?? null,
        canonical: canonical(['self']),
        canonical_not_set: canonical(['not_set', null]),
      },
    ];
  });

export const q05 = (facts: Facts, asked: Asked): Row[] =>
  allCrawls(facts, asked).flatMap(({ crawl }) => {
    const own = crawl.allPages.flatMap((page) => segmentsOf(page).map((one) => ({ ...one, page })));
    const site = crawl.allPages.map((page) => ({ segmentation: null, segment: null, page }));
    const directories = crawl.allPages.map((page) => ({
      segmentation: '(directory)',
      segment: page.firstPath,
      page,
    }));
    const meant = [...site, ...own, ...(asked.segment === undefined ? [] : directories)].filter((one) =>
      isSegmentAsked(asked, one),
    );
    return groups(meant, ({ segmentation, segment }) => [segmentation, segment]).flatMap((ofSegment) =>
      groups(ofSegment, ({ page }) => [page.status]).map((ofStatus) => ({
        ...placed(crawl),
        segmentation: ofStatus[0]?.segmentation,
        segment: ofStatus[0]?.segment,
        status_code: ofStatus[0]?.page.status,
        status_code_range: ofStatus.map(({ page }) => statusRange(page.row)).find(isKnown) ?? null,
        pages: ofStatus.length,
        pages_percent: percent(ofStatus.length, ofSegment.length),
      })),
    );
  });

export const q10 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    const placed = pagesBySegment(crawl, asked);
    return groups(placed, ({ page, segment }) => [page.depth, segment]).map((ofSegment) => {
      const group = ofSegment.map(({ page }) => page);
      // As decimals with nine places.
      const inrank = (some: readonly Page[]): bigint =>
        some.reduce((total, page) => total + BigInt(Math.round((page.inrank ?? 0) * 1e9)), 0n);
      const known = group.filter((page) => page.inrank !== null);
      const isLost = ({ status, reason }: Page): boolean | null =>
        ['robots_denied', 'no_answer'].includes(reason ?? '') || (status === null ? null : status !== 200);
      const lost = group.filter((page) => isLost(page) === true);
      const isSaid = known.some((page) => isLost(page) !== null);
      const [all, gone] = [inrank(known), inrank(lost)];
      return {
        ...named(crawl),
        depth: group[0]?.depth,
        segmentation: segmentationAsked(asked),
        segment: ofSegment[0]?.segment,
        pages: group.length,
        average_inrank: known.length === 0 ? null : rounded(Number(all) / 1e9 / known.length, 2),
        lost_percent: isSaid && all > 0n ? percent(Number(gone), Number(all)) : null,
      };
    });
  });

/** Sitemaps that list a page; whether one does. */
const isListed = ({ row }: Page): boolean => (list(row, 'sitemaps_file_origin') ?? []).length > 0;

export const q12 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    if (!crawl.allPages.some(isListed)) return [];
    return crawl.allPages
      .filter((page) => inSegment(page, asked))
      .flatMap((page) => {
        const fetched = bool(page.row, 'fetched');
        const finding = isListed(page)
          ? fetched === false
            ? 'in the sitemap, not crawled'
            : isRefusedOrUnreadable(page)
              ? 'in the sitemap, not read'
              : page.isIndexable === false && 'in the sitemap, not indexable'
          : fetched === true &&
            page.isIndexable === true &&
            hasAllSitemaps(crawl) &&
            'crawled, not in the sitemap';
        if (!finding) return [];
        return [
          {
            ...named(crawl),
            finding,
            url: page.url,
            problem: isRefusedOrUnreadable(page) ? observationReason(page) : page.reason,
            status_code: page.status,
            sitemaps_file_origin: list(page.row, 'sitemaps_file_origin'),
            depth: page.depth,
            nb_inlinks: page.inlinks,
          },
        ];
      });
  });

const TEXTS: Readonly<Record<string, string>> = {
  title: 'has_duplicate_title_issue',
  h1: 'has_duplicate_h1_issue',
  meta_description: 'has_duplicate_description_issue',
  clusters: 'has_nearduplicate_issue',
};

const oneSpaced = (text: string): string => text.replace(/[ \t\r\n\u00a0]+/g, ' ').replace(/^ | $/g, '');

export const q13 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    const pages = crawl.allPages.filter(
      (page) => page.status === 200 && page.isCanonicalised !== true && inSegment(page, asked),
    );
    return Object.entries(TEXTS).flatMap(([field, issue]) => {
      const values = pages.flatMap((page) =>
        field === 'clusters'
          ? ordered(list(page.row, field) ?? []).map((value) => ({ page, value }))
          : [{ page, value: oneSpaced(str(page.row, field) ?? '') }],
      );
      const filled = values.filter(({ value }) => value !== '');
      return groups(filled, ({ value }) => [value])
        .filter((group) => group.length > 1)
        .map((group) => {
          const value = group[0]?.value;
          const handled = group.map(({ page }) => bool(page.row, issue));
          const cluster = crawl.clusters?.rows.find((row) => row.cluster_id === value);
          return {
            ...named(crawl),
            field,
            shared_value: value,
            pages: group.length,
            unhandled_pages: handled.some(isKnown) ? handled.filter((one) => one === true).length : null,
            similarity: field === 'clusters' ? num(cluster, 'average_similarity') : null,
            sample_url: ordered(group.map(({ page }) => page.url))[0],
          };
        });
    });
  });

const hostOf = (url: string): string => /^[^:/?#]+:\/\/([^/?#]+)/.exec(url)?.[1]?.toLowerCase() ?? '';

export const q14 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) =>
    crawl.allPages
      .filter((page) => inSegment(page, asked))
      .flatMap((page) => {
        const { canonicalUrl, isCanonicalised, status } = page;
        if (canonicalUrl === null || canonicalUrl === sameForm(page.url)) return [];
        if (isCanonicalised !== true || (status !== null && status !== 200)) return [];
        const target = crawl.byUrl.get(canonicalUrl);
        const problem = target
          ? (target.reason ?? (target.isIndexable === null ? 'not_fetched' : null))
          : hostOf(canonicalUrl) === hostOf(page.url)
            ? 'not_in_crawl'
            : null;
        if (problem === null) return [];
        return [
          {
            ...named(crawl),
            url: page.url,
            rel_canonical: str(page.row, 'rel_canonical'),
            canonical_kind: page.canonicalKind,
            problem,
            canonical_status_code: target?.status ?? null,
            canonical_redirect_location: str(target?.row, 'redirect_location'),
          },
        ];
      }),
  );

export const q15 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    const versions = crawl.allPages.filter(({ row }) => str(row, 'hreflang_cluster_id') !== null);
    return groups(versions, ({ row }) => [row.hreflang_cluster_id]).flatMap((members) => {
      const bad = ordered(members.filter(({ isIndexable }) => isIndexable === false).map(({ url }) => url));
      const all = (field: string): string[] => ordered(members.flatMap(({ row }) => list(row, field) ?? []));
      const missing = all('hreflang_hrefs').filter((url) => !crawl.byUrl.has(url));
      const errors = all('hreflang_errors');
      if (bad.length + missing.length + errors.length === 0) return [];
      return [
        {
          ...named(crawl),
          hreflang_cluster_id: members[0]?.row.hreflang_cluster_id,
          members: members.length,
          languages: ordered(members.map(({ row }) => str(row, 'language')).filter(isKnown)),
          not_indexable: trueOf(
            members.map(({ isIndexable }) => (isIndexable === null ? null : !isIndexable)),
          ),
          noindex: trueOf(members.map(({ isNoindex }) => isNoindex)),
          not_indexable_urls: bad,
          missing: members.some(({ row }) => isKnown(list(row, 'hreflang_hrefs'))) ? missing.length : null,
          missing_urls: missing,
          hreflang_errors: errors,
        },
      ];
    });
  });

/** Shares of pages with structured data, and of their invalid items. */
export function structuredOf(crawl: CrawlFacts, pages: readonly Page[]) {
  const urls = new Set(pages.map(({ url }) => url));
  const items = (crawl.structuredData?.rows ?? []).filter((row) => urls.has(String(row.url)));
  const withItems = new Set(items.map((row) => String(row.url)));
  const types = pages.map(({ row }) => list(row, 'semantic_types'));
  const isSaid = crawl.structuredData !== undefined || types.some(isKnown);
  const withData = pages.filter(({ url }, n) => withItems.has(url) || (types[n] ?? []).length > 0);
  const judged = items.map((row) => bool(row, 'valid')).filter(isKnown);
  return {
    structured_percent: isSaid ? percent(withData.length, pages.length) : null,
    invalid_item_percent: percent(judged.filter((valid) => !valid).length, judged.length),
  };
}

export const answered = (pages: readonly Page[]): Page[] => pages.filter(({ status }) => status === 200);

export const q30 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    const placed = answered(crawl.allPages).flatMap((page) => [
      ...segmentsOf(page).map((one) => ({ ...one, page })),
      ...(page.firstPath === null ? [] : [{ segmentation: '(directory)', segment: page.firstPath, page }]),
    ]);
    const meant = placed.filter((one) => isSegmentAsked(asked, one));
    return groups(meant, ({ segmentation, segment }) => [segmentation, segment]).map((group) => {
      const pages = group.map(({ page }) => page);
      const measures = pages.map(({ row }) => ({
        lcp: isWithin(num(row, 'cwv_lcp'), 2500),
        cls: isWithin(num(row, 'cwv_cls'), 0.1),
        tbt: isWithin(num(row, 'cwv_tbt'), 200),
      }));
      const good = (values: readonly (boolean | null)[]): number | null => {
        const known = values.filter(isKnown);
        return percent(known.filter((one) => one).length, known.length);
      };
      const measured = measures.filter(({ lcp, cls, tbt }) => [lcp, cls, tbt].every(isKnown));
      return {
        ...named(crawl),
        segmentation: group[0]?.segmentation,
        segment: group[0]?.segment,
        pages: pages.length,
        measured_pages: measured.length,
        good_lcp_percent: good(measures.map(({ lcp }) => lcp)),
        good_cls_percent: good(measures.map(({ cls }) => cls)),
        good_tbt_percent: good(measures.map(({ tbt }) => tbt)),
        good_percent: good(measured.map(({ lcp, cls, tbt }) => lcp === true && cls === true && tbt === true)),
        ...structuredOf(crawl, pages),
      };
    });
  });

const isWithin = (value: number | null, limit: number): boolean | null =>
  value === null ? null : value <= limit;

export const originPages = (crawl: CrawlFacts, url: string): string[] | null =>
  crawl.links === undefined
    ? null
    : ordered(
        linksOf(crawl)
          .filter(({ target, isInternal }) => target === url && isInternal !== false)
          .map(({ origin }) => origin),
      );
