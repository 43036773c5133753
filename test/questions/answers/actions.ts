import type { Row } from '../sites/sites.ts';
import { becameNonIndexable } from './became.ts';
import { hasAllLinks, hasAllSitemaps } from './comparison.ts';
import { demandOfCrawl, logSpan } from './crawl-days.ts';
import { type CrawlFacts, isList } from './crawls.ts';
import { type Asked, crawlsAsked, type Facts, inSegment, named } from './facts.ts';
import { ISSUES, type Severity, type Worth } from './issues.ts';
import { isOrphan } from './orphans.ts';
import type { Page } from './pages.ts';
import { bool, isKnown, list, median, num, rounded, str, sum } from './values.ts';
import { budgetOf, totalsOf } from './visits.ts';

/** Issues that exist only where the crawl read all links of the website. */
const NEED_LINKS: readonly string[] = ['orphan', 'one_inlink', 'only_nofollow_inlinks'];

const WEIGHTS: Readonly<Record<Severity, number>> = { high: 1, medium: 0.6, low: 0.3 };

/** The points, what is known and all that is known of the others. */
type Part = readonly [points: number, value: number | null, values: readonly (number | null)[]];

/** Of 100, by the share of the others that have less; a part that is not known counts for nothing. */
function pointsOf(parts: readonly Part[]): number | null {
  const shares = parts.flatMap(([points, value, values]) => {
    const known = values.filter(isKnown);
    if (value === null) return [];
    const less = known.filter((other) => other < value).length;
    return [{ points, share: known.length === 1 ? 0 : less / (known.length - 1) }];
  });
  const all = sum(shares.map(({ points }) => points));
  return all === 0 ? null : (100 / all) * sum(shares.map(({ points, share }) => points * share));
}

/** How many items of structured data of each page are not valid. */
function invalidItems({ structuredData }: CrawlFacts): ReadonlyMap<string, number> {
  const invalid = (structuredData?.rows ?? []).filter((row) => bool(row, 'valid') === false);
  return new Map(
    [...Map.groupBy(invalid, (row) => String(row.url))].map(([url, rows]) => [url, rows.length]),
  );
}

/** What a crawl says of its sitemaps, by docs/definitions.md. */
function sitemapFacts(crawl: CrawlFacts): Pick<Worth, 'hasUnreadSitemap' | 'hasFlawedSitemap'> {
  const sitemaps = (crawl.requests?.rows ?? []).filter(({ kind }) => kind === 'sitemap');
  const hostOf = (url: string | null): string | null => (url === null ? null : (URL.parse(url)?.host ?? ''));
  const isRead = (row: Row): boolean => num(row, 'num_urls') !== null;
  return {
    hasUnreadSitemap: sitemaps.some(
      (row) =>
        !isRead(row) &&
        ![null, 'over_budget'].includes(str(row, 'error')) &&
        ![401, 403, 429].includes(num(row, 'status_code') ?? 0),
    ),
    hasFlawedSitemap: sitemaps.some((row) => {
      const lister = hostOf(str(row, 'source_url'));
      const isElsewhere = lister !== null && lister !== hostOf(String(row.url));
      return isRead(row) && (str(row, 'error') !== null || isElsewhere);
    }),
  };
}

/** Without the words of why and fix, which no rule tells. */
export const q32 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ project, crawl }) => {
    if (!crawl.isLatest) return [];
    const totals = totalsOf(project, crawl);
    const budget = budgetOf(project, crawl);
    const invalid = invalidItems(crawl);
    const hasSitemaps = crawl.allPages.some(
      ({ row }) => (list(row, 'sitemaps_file_origin') ?? []).length > 0,
    );
    const secureHosts = new Set(
      crawl.allPages
        .filter(({ status, url }) => status === 200 && url.startsWith('https://'))
        .map(({ row }) => row.url_host),
    );
    const byUrl = new Map(crawl.allPages.map((page) => [page.url, page]));
    const sitemaps = sitemapFacts(crawl);
    const indexable = crawl.allPages.filter(({ isIndexable }) => isIndexable === true);
    const usualDepth = median(indexable.map(({ depth }) => depth));
    const worth = new Map(
      crawl.allPages.map((page): [Page, Worth] => {
        const demand = demandOfCrawl(project, crawl).get(page.url);
        return [
          page,
          {
            clicks: demand?.clicks ?? null,
            impressions: demand?.impressions ?? null,
            position: demand?.position ?? null,
            botHits: totals.asked.has(page.url) ? totals.search(page.url) : null,
            wastedHits: totals.search(page.url) === null ? null : budget(page.url, 'non_indexable'),
            isOrphan: isOrphan(crawl, page),
            invalidItems: invalid.get(page.url) ?? 0,
            hasSitemaps,
            isLost: becameNonIndexable(crawl, page),
            canonicalTarget: byUrl.get(page.canonicalUrl ?? '') ?? null,
            isOfList: isList(crawl),
            usualDepth,
            ...sitemaps,
            isOfSecureHost: secureHosts.has(page.row.url_host),
          },
        ];
      }),
    );
    const all = [...worth];
    const isWhole = (issue: string): boolean =>
      (!NEED_LINKS.includes(issue) || hasAllLinks(crawl)) &&
      (issue !== 'not_in_sitemap' || hasAllSitemaps(crawl));
    const hasDemand = demandOfCrawl(project, crawl).size > 0;
    const hasLogs = logSpan(project, crawl) !== null;
    const demandOf = ({ impressions }: Worth) => impressions ?? (hasDemand ? 0 : null);
    const botsOf = ({ url }: Page) => (hasLogs ? totals.search(url) : null);
    const values = {
      demand: all.map(([, one]) => demandOf(one)),
      bots: all.map(([page]) => botsOf(page)),
      inrank: all.map(([{ inrank }]) => inrank),
    };
    return all
      .filter(([page]) => inSegment(page, asked))
      .flatMap(([page, one]) => {
        const value = pointsOf([
          [50, demandOf(one), values.demand],
          [30, botsOf(page), values.bots],
          [20, page.inrank, values.inrank],
        ]);
        const has = Object.entries(ISSUES).filter(([issue, [, holds]]) => isWhole(issue) && holds(page, one));
        return has.map(([issue, [severity]]) => ({
          ...named(crawl),
          priority: value === null ? null : rounded(value * WEIGHTS[severity], 0),
          issue,
          severity,
          url: page.url,
          clicks: one.clicks,
          impressions: one.impressions,
          search_bot_hits: one.botHits,
          inrank_decimal: page.inrank,
        }));
      });
  });
