import type { Answer } from './answers-links.ts';
import { bool, distinct, num, str } from './plain.ts';
import type { CrawlData, Row, ServiceData } from './service-data.ts';

const main = (data: ServiceData): CrawlData[] => data.crawls.filter((crawl) => crawl.isLatest);
const byUrl = (crawl: CrawlData): Map<unknown, Row> => new Map(crawl.pages.map((page) => [page.url, page]));

/** Where the page redirects to; nothing where it does not. */
function redirectOf(page: Row | undefined): string | null {
  const status = num(page, 'status_code') ?? 0;
  return status >= 300 && status <= 399 ? str(page, 'redirect_location') : null;
}

export const q23: Answer = (data) =>
  main(data).flatMap((crawl) => {
    const pages = byUrl(crawl);
    return crawl.pages.flatMap((page) => {
      const hops: string[] = [];
      let at = String(page.url);
      for (let to = redirectOf(page); to !== null; to = redirectOf(pages.get(at))) {
        if (hops.includes(at) || hops.length === 16) break;
        hops.push(at);
        at = to;
      }
      const isLoop = hops.includes(at);
      const isCut = !isLoop && hops.length === 16 && redirectOf(pages.get(at)) !== null;
      const last = pages.get(hops.at(-1));
      const status = num(pages.get(at), 'status_code') ?? num(last, 'final_redirect_status');
      const links = crawl.links.filter((link) => bool(link, 'intern') && link.target === page.url);
      const dead = status === null ? 'unknown' : status === 200 ? null : 'dead_end';
      const finding = isLoop ? 'loop' : isCut ? 'cut' : (dead ?? (hops.length > 1 ? 'chain' : 'single'));
      return hops.map((hop, index) => ({
        ...{ project_name: crawl.project, crawl_config_name: crawl.configName, crawl_id: crawl.id },
        ...{ finding, url: page.url, hop: index + 1, hop_url: hop },
        hop_status_code: num(pages.get(hop), 'status_code'),
        hop_target: redirectOf(pages.get(hop)),
        ...{ hops: hops.length, final_url: at, final_status_code: status },
        internal_links: links.length,
        linking_pages: distinct(links.map((link) => link.origin)),
        sample_origin: links.map((link) => String(link.origin)).toSorted()[0] ?? null,
      }));
    });
  });
