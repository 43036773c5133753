import type { Answer } from './answers-links.ts';
import { spans, total } from './answers-visits.ts';
import { bool, distinct, indexable, iso, num, round, str, sum } from './plain.ts';
import type { CrawlData, Row, ServiceData } from './service-data.ts';

const main = (data: ServiceData): CrawlData[] => data.crawls.filter((crawl) => crawl.isLatest);
const byUrl = (crawl: CrawlData): Map<unknown, Row> => new Map(crawl.pages.map((page) => [page.url, page]));

/** Where the page redirects to; nothing where it does not. */
function redirectOf(page: Row | undefined): string | null {
  const status = num(page, 'status_code') ?? 0;
  return status >= 300 && status <= 399 ? str(page, 'redirect_location') : null;
}

const DAY = 86_400_000;
const ISSUES = ['title', 'h1', 'description'].map((field) => `has_duplicate_${field}_issue`);
const DUPLICATE_ISSUES = [...ISSUES, 'has_nearduplicate_issue'];

function average(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : sum(known) / known.length;
}

/** The figures of all pages of a crawl. */
function figures(data: ServiceData, crawl: CrawlData): Record<string, number | null> {
  const { pages } = crawl;
  const project = data.projects.find(({ id }) => id === crawl.projectId);
  const counted = (isKnown: (page: Row) => boolean, holds: (page: Row) => boolean): number | null =>
    pages.some(isKnown) ? pages.filter(holds).length : null;
  const statusIn = (from: number, to: number): number | null =>
    counted(
      (page) => num(page, 'status_code') !== null,
      (page) => (num(page, 'status_code') ?? 0) >= from && (num(page, 'status_code') ?? 0) <= to,
    );
  const hasDepth = pages.some((page) => num(page, 'depth') !== null);
  const ok = pages.filter((page) => num(page, 'status_code') === 200);
  const urls = new Set(pages.map(({ url }) => url));
  const last = Math.floor(crawl.endedAt / DAY) * DAY;
  const shown = (project?.ranking ?? []).filter((row) => {
    const day = Date.parse(String(row.date));
    return day <= last && day > last - 28 * DAY;
  });
  const ofPages = shown.filter((row) => urls.has(row.url));
  const hits = project ? spans(data, project).find((span) => span.crawl?.id === crawl.id)?.hits : undefined;
  return {
    pages: pages.length,
    indexable_pages: counted(
      (page) => indexable(page) !== null,
      (page) => indexable(page) === true,
    ),
    error_pages: statusIn(400, 599),
    redirect_pages: statusIn(300, 399),
    average_depth: average(pages.map((page) => num(page, 'depth'))),
    average_load_time: average(ok.map((page) => num(page, 'load_time'))),
    average_word_count: average(ok.map((page) => num(page, 'word_count'))),
    duplicate_pages: counted(
      (page) => DUPLICATE_ISSUES.some((issue) => bool(page, issue) !== null),
      (page) =>
        num(page, 'status_code') === 200 && DUPLICATE_ISSUES.some((issue) => bool(page, issue) === true),
    ),
    orphan_pages: counted(
      (page) => num(page, 'depth') !== null || num(page, 'nb_inlinks') !== null,
      (page) =>
        num(page, 'depth') !== 0 &&
        (num(page, 'nb_inlinks') === 0 || (hasDepth && num(page, 'depth') === null)),
    ),
    clicks: shown.length === 0 ? null : sum(ofPages.map((row) => num(row, 'clicks'))),
    impressions: shown.length === 0 ? null : sum(ofPages.map((row) => num(row, 'impressions'))),
    search_bot_hits:
      hits === undefined
        ? null
        : total(hits.filter(({ url }) => urls.has(url)).map(({ searchBots }) => searchBots)),
  };
}

/** Rounded to two decimals, a half away from zero. */
const away = (value: number): number => Math.sign(value) * (round(Math.abs(value), 2) ?? 0);

export const q21: Answer = (data) =>
  data.crawls.map((crawl) => {
    const now = figures(data, crawl);
    const former = crawl.previous && figures(data, crawl.previous);
    const changes = Object.entries(now).flatMap(([name, value]) => {
      const before = former?.[name] ?? null;
      const change = value === null || before === null ? null : away(value - before) || 0;
      return [
        [name, value === null ? null : away(value)],
        [`${name}_change`, change],
      ];
    });
    return {
      ...{ project_name: crawl.project, crawl_config_name: crawl.configName },
      ...{ ended_at: iso(crawl.endedAt), crawl_id: crawl.id, segmentation: '(site)', segment: '(site)' },
      ...Object.fromEntries(changes),
    };
  });

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
