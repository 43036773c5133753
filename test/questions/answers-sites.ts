import type { Answer } from './answers-links.ts';
import { demand, orphansOf, spans, total } from './answers-visits.ts';
import {
  before,
  bool,
  distinct,
  groups,
  indexable,
  isCanonicalised,
  iso,
  list,
  num,
  reasonAgainst,
  round,
  str,
  sum,
} from './plain.ts';
import type { CrawlData, ProjectData, Row, ServiceData } from './service-data.ts';

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
  const orphans = new Set(orphansOf(data, crawl).map(({ page }) => page));
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
      (page) => orphans.has(page),
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
      const past = former?.[name] ?? null;
      const change = value === null || past === null ? null : away(value - past) || 0;
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

/** The hops of the chain that begins with a page, and the URL that they lead to. */
function follow(pages: ReadonlyMap<unknown, Row>, page: Row): { hops: string[]; target: string } {
  const hops: string[] = [];
  let target = String(page.url);
  for (let to = redirectOf(page); to !== null; to = redirectOf(pages.get(target))) {
    if (hops.includes(target) || hops.length === 16) break;
    hops.push(target);
    target = to;
  }
  return { hops, target };
}

export const q23: Answer = (data) =>
  main(data).flatMap((crawl) => {
    const pages = byUrl(crawl);
    return crawl.pages.flatMap((page) => {
      const { hops, target: at } = follow(pages, page);
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

const ACTIONS: readonly {
  readonly issue: string;
  readonly severity: 'high' | 'medium' | 'low';
  readonly fix: string;
  readonly why: (page: Row, worth: Worth) => string;
}[] = [
  {
    ...{ issue: 'server_error', severity: 'high', fix: 'Find out why the server fails, and mend it' },
    why: (page) => `HTTP status ${page.status_code}`,
  },
  {
    ...{ issue: 'client_error', severity: 'high' },
    fix: 'Bring the page back or redirect it, and take away the links to it',
    why: (page) => `HTTP status ${page.status_code}`,
  },
  {
    ...{ issue: 'redirect_loop', severity: 'high', fix: 'Let the redirect lead to a page that answers' },
    why: () => 'redirects without an end',
  },
  {
    ...{ issue: 'redirect_chain', severity: 'medium', fix: 'Let the first redirect lead to the final URL' },
    why: (page) => `${page.redirect_count} redirects in a row`,
  },
  {
    ...{ issue: 'linked_redirect', severity: 'low', fix: 'Let the links lead to the final URL' },
    why: (page) => `HTTP status ${page.status_code}`,
  },
  {
    ...{ issue: 'demand_not_indexable', severity: 'high' },
    fix: 'Allow the page to be indexed, or redirect it to one that is',
    why: (page, { impressions }) => `not indexable (${reasonAgainst(page)}), with ${impressions} impressions`,
  },
  {
    ...{ issue: 'orphan', severity: 'medium' },
    fix: 'Link to the page from pages of its subject, or take it away',
    why: (_page, { orphanReason }) =>
      ({ linked_by_orphans_only: 'only orphans link to it', only_in_sitemap: 'only a sitemap names it' })[
        orphanReason ?? ''
      ] ?? 'no link leads to it',
  },
  {
    ...{ issue: 'duplicate', severity: 'medium', fix: 'Give the page texts of its own, or a canonical' },
    why: () => 'shares its texts with other pages',
  },
  { issue: 'missing_title', severity: 'medium', fix: 'Write a title', why: () => 'no title' },
  { issue: 'missing_h1', severity: 'low', fix: 'Write an H1', why: () => 'no H1' },
  { issue: 'missing_description', severity: 'low', fix: 'Write a description', why: () => 'no description' },
  {
    ...{ issue: 'thin', severity: 'low', fix: 'Write more, or join the page with another one' },
    why: (page) => `${page.word_count} words`,
  },
  {
    ...{ issue: 'slow', severity: 'medium', fix: 'Make the server answer faster, or the page smaller' },
    why: (page) => `${page.load_time} ms to the last byte`,
  },
  {
    ...{
      issue: 'deep_with_clicks',
      severity: 'medium',
      fix: 'Link to the page from pages nearer to the start',
    },
    why: (page) => `${page.depth} clicks from the start`,
  },
];
const WEIGHTS = { high: 1, medium: 0.6, low: 0.3 } as const;

interface Worth {
  readonly clicks: number | null;
  readonly impressions: number | null;
  readonly searchBots: number | null;
  readonly orphanReason: string | null;
}

/** Names of the issues that a page has. */
function issuesOf(page: Row, { clicks, impressions, searchBots, orphanReason }: Worth): Set<string> {
  const [status, reason] = [num(page, 'status_code'), reasonAgainst(page)];
  const [inlinks, depth, redirects] = [
    num(page, 'nb_inlinks'),
    num(page, 'depth'),
    num(page, 'redirect_count'),
  ];
  const isIndexable = indexable(page) === true;
  const isEndless = bool(page, 'is_redirect_loop') === true || bool(page, 'is_too_many_redirects') === true;
  const isWorth = (inlinks ?? 0) > 0 || (impressions ?? 0) > 0 || (searchBots ?? 0) > 0;
  const lacks = (field: string): boolean => isIndexable && str(page, `${field}_evaluation`) === 'not_set';
  const holds: Record<string, boolean> = {
    server_error: reason === 'server_error',
    client_error: reason === 'client_error' && isWorth,
    redirect_loop: isEndless,
    redirect_chain: (redirects ?? 0) > 1 && !isEndless,
    linked_redirect: reason === 'redirect' && (inlinks ?? 0) > 0,
    demand_not_indexable:
      reason !== null &&
      !['redirect', 'client_error', 'server_error'].includes(reason) &&
      (impressions ?? 0) > 0,
    orphan: isIndexable && orphanReason !== null,
    duplicate: isIndexable && DUPLICATE_ISSUES.some((issue) => bool(page, issue) === true),
    ...{ missing_title: lacks('title'), missing_h1: lacks('h1'), missing_description: lacks('description') },
    thin: isIndexable && (num(page, 'word_count') ?? 300) < 300,
    slow: status === 200 && (num(page, 'load_time') ?? 0) > 1000,
    deep_with_clicks: isIndexable && (depth ?? 0) > 3 && (clicks ?? 0) > 0,
  };
  return new Set(Object.keys(holds).filter((name) => holds[name]));
}

/** Of each value the share of the others that are smaller. */
function shares(values: readonly number[]): number[] {
  const ordered = values.toSorted((a, b) => a - b);
  const first = new Map(ordered.map((value, index) => [value, index] as const).toReversed());
  return values.map((value) => (values.length === 1 ? 0 : (first.get(value) ?? 0) / (values.length - 1)));
}

export const q32: Answer = (data) =>
  main(data).flatMap((crawl) => {
    const project = data.projects.find(({ id }) => id === crawl.projectId) as ProjectData;
    const demanded = demand(project);
    const hits = spans(data, project).find((span) => span.crawl?.id === crawl.id)?.hits ?? [];
    const hitsOf = groups(hits, ({ url }) => [url]);
    const orphans = new Map(orphansOf(data, crawl).map(({ page, reason }) => [page, reason]));
    const worths = crawl.pages.map((page): Worth => {
      const { url } = page;
      const shown = demanded.get(String(url));
      const days = hitsOf.get(JSON.stringify([url]));
      return {
        clicks: shown?.clicks ?? null,
        impressions: shown?.impressions ?? null,
        searchBots: days ? total(days.map(({ searchBots }) => searchBots)) : null,
        orphanReason: orphans.get(page) ?? null,
      };
    });
    const byDemand = shares(worths.map(({ impressions }) => impressions ?? 0));
    const byHits = shares(worths.map(({ searchBots }) => searchBots ?? 0));
    const byInrank = shares(crawl.pages.map((page) => num(page, 'inrank_decimal') ?? 0));
    const found = crawl.pages.flatMap((page, n) => {
      const worth = worths[n] as Worth;
      const value = 50 * (byDemand[n] ?? 0) + 30 * (byHits[n] ?? 0) + 20 * (byInrank[n] ?? 0);
      const issues = issuesOf(page, worth);
      return ACTIONS.filter(({ issue }) => issues.has(issue)).map(({ issue, severity, fix, why }) => ({
        ...{ project_name: crawl.project, crawl_config_name: crawl.configName, crawl_id: crawl.id },
        priority: Math.round(value * WEIGHTS[severity]),
        ...{ issue, severity, url: String(page.url), why: why(page, worth), fix },
        ...{ clicks: worth.clicks, impressions: worth.impressions, search_bot_hits: worth.searchBots },
        inrank_decimal: num(page, 'inrank_decimal'),
      }));
    });
    const ordered = found.toSorted(
      (a, b) => b.priority - a.priority || before(a.url, b.url) || before(a.issue, b.issue),
    );
    return ordered.slice(0, 100);
  });

export const q22: Answer = (data) =>
  data.crawls.flatMap((crawl) => {
    const reasonsOf = ({ pages }: CrawlData) =>
      groups(
        pages.filter((page) => indexable(page) === false),
        (page) => [reasonAgainst(page)],
      );
    const former = crawl.previous && reasonsOf(crawl.previous);
    return [...reasonsOf(crawl)].map(([key, pages]) => ({
      ...{ project_name: crawl.project, crawl_config_name: crawl.configName },
      ...{ ended_at: iso(crawl.endedAt), crawl_id: crawl.id },
      reason: (JSON.parse(key) as string[])[0],
      pages: pages.length,
      share: round(pages.length / crawl.pages.length, 3),
      pages_change: former ? pages.length - (former.get(key)?.length ?? 0) : null,
      sample_url: pages.map((page) => String(page.url)).toSorted(before)[0],
    }));
  });

export const q29: Answer = (data) =>
  main(data).flatMap((crawl) => {
    const pages = byUrl(crawl);
    const segmentOf = (url: unknown): string | null => str(pages.get(url), 'url_first_path');
    const internal = crawl.links.filter((link) => bool(link, 'intern'));
    const fromSegment = groups(internal, (link) => [segmentOf(link.origin)]);
    const flows = groups(internal, (link) => [segmentOf(link.origin), segmentOf(link.target)]);
    return [...flows.values()].map((links) => {
      const origin = segmentOf(links[0]?.origin);
      return {
        ...{ project_name: crawl.project, crawl_config_name: crawl.configName, crawl_id: crawl.id },
        ...{ origin_segment: origin, target_segment: segmentOf(links[0]?.target), links: links.length },
        share: round(links.length / (fromSegment.get(JSON.stringify([origin]))?.length ?? 0), 3),
        follow_links: links.filter((link) => bool(link, 'follow') === true).length,
        origin_pages: distinct(links.map((link) => link.origin)),
        target_pages: distinct(links.map((link) => link.target)),
      };
    });
  });

function canonicalisedOrUnknown(page: Row | undefined): boolean | null {
  const says = str(page, 'canonical_evaluation') ?? str(page, 'rel_canonical');
  return page === undefined || says === null ? null : isCanonicalised(page);
}

export const q24: Answer = (data) =>
  main(data).flatMap((crawl) => {
    const former = crawl.previous;
    const project = data.projects.find(({ id }) => id === crawl.projectId);
    if (former === null || project === undefined) return [];
    const pages = byUrl(crawl);
    const last = Math.floor(former.endedAt / DAY) * DAY;
    const ranked = project.ranking.filter((row) => {
      const day = Date.parse(String(row.date));
      return day <= last && day > last - 28 * DAY;
    });
    const before28 = groups(ranked, (row) => [row.url]);
    const now = demand(project);
    const old = former.pages.filter(
      (page) => num(page, 'status_code') === 200 && num(pages.get(page.url), 'status_code') !== 200,
    );
    return old.map((page) => {
      const later = pages.get(page.url);
      const isMoved = redirectOf(later) !== null;
      const { hops, target } = follow(pages, later ?? page);
      const url = isMoved ? target : null;
      const found = pages.get(url);
      const status = num(found, 'status_code') ?? num(pages.get(hops.at(-1)), 'final_redirect_status');
      const isElsewhere = canonicalisedOrUnknown(found);
      const [title, oldTitle] = [str(found, 'title'), str(page, 'title')];
      const isTitleKept = title === null || oldTitle === null ? null : title === oldTitle;
      const failed = (): string => {
        if (later === undefined) return 'not_crawled';
        if (!isMoved) return 'not_redirected';
        if (hops.includes(target)) return 'loop';
        if (status !== 200) return 'bad_target';
        if (hops.length > 1) return 'chain';
        if (isElsewhere) return 'canonicalised';
        return isTitleKept === false ? 'title_changed' : 'ok';
      };
      const clicked = before28.get(JSON.stringify([page.url]));
      return {
        ...{ project_name: crawl.project, crawl_config_name: crawl.configName, crawl_id: crawl.id },
        ...{ previous_crawl_id: former.id, finding: failed(), old_url: page.url },
        status_code: num(later, 'status_code'),
        ...{ hops: isMoved ? hops.length : null, new_url: url, new_status_code: isMoved ? status : null },
        ...{ is_title_kept: isTitleKept },
        is_canonical_kept: isElsewhere === null ? null : !isElsewhere,
        clicks_before: clicked ? sum(clicked.map((row) => num(row, 'clicks'))) : null,
        clicks_after: url === null ? null : (now.get(url)?.clicks ?? null),
      };
    });
  });

const VITALS = { cwv_lcp: 2500, cwv_cls: 0.1, cwv_tbt: 200 } as const;

export const q30: Answer = (data) =>
  main(data).flatMap((crawl) => {
    const items = groups(crawl.structuredData, (item) => [item.url]);
    const ok = crawl.pages.filter((page) => num(page, 'status_code') === 200);
    const placed = ok.flatMap((page) =>
      Object.entries(page).flatMap(([name, value]) => {
        if (name !== 'url_first_path' && !name.startsWith('page_group_')) return [];
        if (value === null) return [];
        const segmentation = name === 'url_first_path' ? '(directory)' : name.slice('page_group_'.length);
        return [...new Set((list(page, name) ?? []).map(String))].map((segment) => ({
          ...{ segmentation, segment, page },
        }));
      }),
    );
    const keyed = groups(placed, ({ segmentation, segment }) => [segmentation, segment]);
    return [...keyed.values()].map((of) => {
      const pages = of.map(({ page }) => page);
      const goodOf = (values: readonly (boolean | null)[]): number | null => {
        const known = values.filter((value) => value !== null);
        return known.length === 0 ? null : round(known.filter(Boolean).length / known.length, 3);
      };
      const vital = (page: Row, name: keyof typeof VITALS): boolean | null => {
        const value = num(page, name);
        return value === null ? null : value <= VITALS[name];
      };
      const names = Object.keys(VITALS) as (keyof typeof VITALS)[];
      const all = pages.map((page) => {
        const values = names.map((name) => vital(page, name));
        return values.includes(null) ? null : values.every(Boolean);
      });
      const itemsOf = pages.map((page) => items.get(JSON.stringify([page.url])) ?? []);
      const judged = itemsOf.flat().filter((item) => bool(item, 'valid') !== null);
      const rich = pages.filter(
        (page, n) => (itemsOf[n]?.length ?? 0) > 0 || (list(page, 'semantic_types') ?? []).length > 0,
      );
      return {
        ...{ project_name: crawl.project, crawl_config_name: crawl.configName, crawl_id: crawl.id },
        ...{ segmentation: of[0]?.segmentation, segment: of[0]?.segment, pages: pages.length },
        measured_pages: all.filter((value) => value !== null).length,
        good_lcp_share: goodOf(pages.map((page) => vital(page, 'cwv_lcp'))),
        good_cls_share: goodOf(pages.map((page) => vital(page, 'cwv_cls'))),
        good_tbt_share: goodOf(pages.map((page) => vital(page, 'cwv_tbt'))),
        good_share: goodOf(all),
        // Every test loads structured data with the pages.
        structured_share: round(rich.length / pages.length, 3),
        invalid_item_share:
          judged.length > 0
            ? round(judged.filter((item) => item.valid === false).length / judged.length, 3)
            : null,
      };
    });
  });
