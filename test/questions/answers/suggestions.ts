import type { Row } from '../sites/sites.ts';
import { observationReason } from './comparison.ts';
import { type Asked, crawlsAsked, type Facts, named } from './facts.ts';
import { linksOf } from './links.ts';
import { isResource } from './orphans.ts';
import { type Page, segmentsOf } from './pages.ts';
import { byBytes, list, num, ordered, str } from './values.ts';

const segmentNames = (page: Page): string[] =>
  segmentsOf(page).map(({ segmentation, segment }) => `${segmentation}:${segment}`);

/** Pages that could link to a page, by docs/definitions.md. */
export const linkSuggestions = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    const indexable = crawl.links
      ? crawl.allPages.filter(({ isIndexable, url, row }) => isIndexable === true && !isResource(url, row))
      : [];
    const inlinksOf = ({ inlinks }: Page): number => inlinks ?? Number.POSITIVE_INFINITY;
    const [target] = indexable
      .filter(({ url }) => url === (asked.url ?? url))
      .toSorted((a, b) => inlinksOf(a) - inlinksOf(b) || byBytes(a.url, b.url));
    if (!target) return [];
    const linking = new Set(
      linksOf(crawl)
        .filter((link) => link.target === target.url)
        .map(({ origin }) => origin),
    );
    const clusters = list(target.row, 'clusters') ?? [];
    const segments = segmentNames(target);
    const host = str(target.row, 'url_host');
    return indexable
      .filter((page) => page !== target && !linking.has(page.url) && observationReason(page) === null)
      .filter(({ row }) => host !== null && str(row, 'url_host') === host)
      .flatMap((page) => {
        const isSimilar = (list(page.row, 'clusters') ?? []).some((one) => clusters.includes(one));
        const [own] = ordered(segmentNames(page).filter((one) => segments.includes(one)));
        const isOfDirectory = page.firstPath !== null && page.firstPath === target.firstPath;
        const shared = own ?? (isOfDirectory ? `(directory):${page.firstPath}` : null);
        if (!isSimilar && shared === null) return [];
        return [
          {
            ...named(crawl),
            url: target.url,
            origin: page.url,
            origin_title: str(page.row, 'title'),
            is_similar: isSimilar,
            shared_segment: shared,
            inrank_decimal: page.inrank,
            nb_inlinks: page.inlinks,
            internal_outlinks: num(page.row, 'internal_outlinks'),
            depth: page.depth,
          },
        ];
      });
  });
