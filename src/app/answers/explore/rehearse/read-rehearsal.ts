import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { counted } from '../../../../core/text/amounts.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { type AskedCrawls, chosenBy, onlyCrawl, rowsOf } from '../chosen-crawls.ts';
import { type AskedRows, askedRows, type RehearsedWarehouse } from './asked-rows.ts';
import { type AtStake, Covered, readAtStake } from './at-stake.ts';
import {
  type CrawledPages,
  type CrawlGraph,
  originOf,
  readCrawledPages,
  readCrawlGraph,
  spelled,
} from './crawl-graph.ts';
import { type RedirectRule, readRedirects } from './read-redirects.ts';
import { Reference, readReferences, whyUndeclared } from './read-references.ts';
import { matchingPages, rehearseNoindex, rehearseRemoval } from './rehearse-condition.ts';
import { RehearsedRedirect, rehearseRedirects } from './rehearse-redirects.ts';
import { RehearsedAgent, rehearseRobots } from './rehearse-robots.ts';
import { CHANGES, type Effect, type RehearsedChange, type UrlChange } from './rehearsed-change.ts';
import { RehearsedPage, rehearsedPages } from './rehearsed-pages.ts';

const RehearsedCrawl = z.strictObject({
  crawl_id: z.string(),
  project_id: z.string(),
  project: z.string(),
  crawl_number: z.number().nullable(),
  /** ISO 8601, UTC. */
  ended_at: z.string().nullable(),
  /** Why the crawl does not cover the whole site; null if it does. */
  scope_note: z.string().nullable(),
});
const ChosenCrawl = RehearsedCrawl.extend({
  has_links: z.boolean(),
  has_all_links: z.boolean().nullable(),
  start_url: z.string().nullable(),
});

const CRAWL = `
  SELECT
    crawls.crawl_id, crawls.project_id, coalesce(crawls.project_name, crawls.project_id) AS project,
    crawls.crawl_number, crawls.ended_at, crawls.scope_note, coalesce(crawls.has_links, false) AS has_links,
    crawls.has_all_links, projects.start_url
  FROM mart.crawls AS crawls
  LEFT JOIN mart.projects AS projects ON projects.project_id = crawls.project_id
  WHERE crawls.has_pages AND ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
    AND (($crawl IS NULL AND crawls.is_main) OR crawls.crawl_id = $crawl)`;

const SitemapEntry = z.strictObject({ url: z.string(), sitemap: z.string(), action: z.string() });
type SitemapEntry = Typed<typeof SitemapEntry>;

const Figure = z.strictObject({
  figure: z.string(),
  title: z.string(),
  /** Null: unknown. Also applies to the next three fields. */
  count: z.number().nullable(),
  clicks: z.number().nullable(),
  impressions: z.number().nullable(),
  hits: z.number().nullable(),
  /** The list that contains its URLs. */
  part: z.enum(['pages', 'sitemaps', 'links']),
  /** Why it is unknown. */
  why: z.string().nullable(),
});
type Figure = Typed<typeof Figure>;

const Source = z.strictObject({ covered: Covered.nullable(), why: z.string().nullable() });

export const Rehearsal = z.strictObject({
  change: z.strictObject({ kind: z.string(), given: z.string() }),
  crawl: RehearsedCrawl,
  /** Notes to read before the figures. */
  notes: z.array(z.string()),
  /** The days that the clicks and the verified hits cover, or why they are unknown. */
  clicks: Source,
  hits: Source,
  figures: z.array(Figure),
  agents: z.array(RehearsedAgent),
  /** The redirects of the change, and others whose chains differ. */
  redirects: z.array(RehearsedRedirect),
  pages: z.array(RehearsedPage),
  sitemaps: z.array(SitemapEntry),
  /** Links, redirects, canonicals and hreflang links to update. */
  links: z.array(Reference),
  /** The statements whose rows were judged. */
  sql: z.array(z.strictObject({ name: z.string(), sql: z.string() })),
});
export type Rehearsal = Typed<typeof Rehearsal>;

/**
 * Rehearses a change on the pages and links of a crawl. Changes nothing.
 *
 * @throws CrawlhouseError `usage` for an unknown project or crawl, or if there are several projects
 */
export async function readRehearsal(
  warehouse: RehearsedWarehouse,
  { change, ...named }: AskedCrawls & { readonly change: RehearsedChange },
  signal: AbortSignal,
): Promise<Rehearsal> {
  const chosen = await chosenBy(named, warehouse, signal);
  const found = onlyCrawl(await rowsOf(warehouse, ChosenCrawl, CRAWL, chosen, signal));
  const { start_url, has_links, has_all_links, ...crawl } = found;
  const asked = askedRows(warehouse, signal);
  const crawled = await readCrawledPages(asked, crawl.crawl_id);
  const site = () => siteOf(crawled, crawl, start_url);
  const rules: ReadonlyMap<string, RedirectRule> =
    change.kind === 'redirects' ? await readRedirects(change, () => site().origin, signal) : new Map();
  const graph = await readCrawlGraph(asked, crawl.crawl_id, crawled, rules.keys());
  const stake = await readAtStake(asked, crawl);
  const effect = await effectOf(change, { warehouse, asked, graph, stake, crawl, rules, site }, signal);
  const { changed, linked, notes } = effect;
  const hasLinks = has_links && has_all_links !== false;
  const { rows, unexplained, leadingOut } = rehearsedPages({ graph, stake, effect, hasLinks });
  const sitemaps = sitemapEntries(rows, effect, graph);
  const links = await readReferences(asked, crawl.crawl_id, {
    actions: linked,
    spell: change.kind === 'redirects' ? spelled : (target) => target,
    withLinks: change.kind !== 'noindex',
    isKept: (source) => !changed.has(graph.numberOf.get(source) ?? -1),
  });
  const whyNoLinks = hasLinks
    ? null
    : has_links
      ? 'the crawl did not read all links'
      : 'its links are not loaded';
  // noindex changes no link.
  const whyNoReferences =
    (change.kind === 'noindex' ? null : whyNoLinks) ?? (await whyUndeclared(asked, crawl.crawl_id));
  return {
    change: { kind: change.kind, given: change.given },
    crawl,
    notes: [
      ...(crawl.scope_note === null ? [] : [crawl.scope_note]),
      ...notes,
      ...(hasLinks && change.kind !== 'noindex' ? orphanNotes(stake) : []),
      ...(hasLinks && unexplained > 0
        ? [
            `Links do not explain the depth of ${counted(unexplained, 'page')}. The rehearsal assumes that it does not change.`,
          ]
        : []),
      ...(leadingOut === 0
        ? []
        : [
            `${counted(leadingOut, 'page')} that ${leadingOut === 1 ? 'gets a path has' : 'get a path have'} links to URLs outside the crawl. More pages may keep a path.`,
          ]),
    ],
    clicks: { covered: stake.clicks.covered, why: stake.clicks.why },
    hits: { covered: stake.hits.covered, why: stake.hits.why },
    figures: [
      ...pageFigures(rows, { kind: change.kind, stake, whyNoLinks }),
      sitemapFigure(sitemaps, rows, graph),
      ...(change.kind === 'robots' ? [] : linkFigures(links, whyNoReferences)),
    ],
    agents: effect.agents ?? [],
    redirects: effect.redirects ?? [],
    pages: rows,
    sitemaps,
    links,
    sql: asked.statements,
  };
}

interface Place {
  readonly warehouse: RehearsedWarehouse;
  readonly asked: AskedRows;
  readonly graph: CrawlGraph;
  readonly stake: AtStake;
  readonly crawl: Typed<typeof RehearsedCrawl>;
  /** The redirects of the change. */
  readonly rules: ReadonlyMap<string, RedirectRule>;
  readonly site: () => ReturnType<typeof siteOf>;
}

async function effectOf(
  change: RehearsedChange,
  { warehouse, asked, graph, stake, crawl, rules, site }: Place,
  signal: AbortSignal,
): Promise<Effect & Partial<Pick<Rehearsal, 'agents' | 'redirects'>>> {
  if (!('content' in change)) {
    const { kind, given: condition } = change;
    const matching = await matchingPages({ warehouse, asked, graph }, { kind, condition, crawl }, signal);
    const rehearse = kind === 'remove' ? rehearseRemoval : rehearseNoindex;
    return rehearse(matching, graph);
  }
  if (change.kind === 'redirects') return rehearseRedirects(rules, graph);
  const { origin, others } = site();
  const effect = await rehearseRobots(asked, change.content, {
    ...{ crawl: crawl.crawl_id, origin, graph, stake },
  });
  const note = `Not judged, because of another host or scheme: ${counted(others, 'page')}.`;
  return { ...effect, notes: [...(others === 0 ? [] : [note]), ...effect.notes] };
}

/** @throws CrawlhouseError `usage` if the crawl does not know its origin */
function siteOf(crawled: CrawledPages, { crawl_id, project_id }: Place['crawl'], startUrl: string | null) {
  const site = originOf(crawled, startUrl);
  if (site !== null) return site;
  throw new CrawlhouseError(
    'usage',
    startUrl === null
      ? `the start page of the crawl ${crawl_id} is unknown`
      : `the crawl ${crawl_id} has no page of the host of its start URL ${startUrl}`,
    { hint: `crawlhouse run loads the record of the project ${shellWord(project_id)}` },
  );
}

function orphanNotes({ clicks, hits }: AtStake): string[] {
  const unknown = Object.entries({ clicks, hits }).flatMap(([name, { why }]) => (why === null ? [] : [name]));
  const judged = unknown.length === 2 ? 'only by sitemaps' : `without ${unknown[0]}`;
  return unknown.length === 0
    ? []
    : [`Orphans are judged ${judged}, because ${unknown.join(' and ')} are unknown.`];
}

function pageFigures(
  rows: readonly RehearsedPage[],
  asked: {
    readonly kind: RehearsedChange['kind'];
    readonly stake: AtStake;
    readonly whyNoLinks: string | null;
  },
): Figure[] {
  return (Object.keys(CHANGES) as UrlChange[]).flatMap((figure): Figure[] => {
    const { title, by, isByLinks }: { title: string; by: readonly string[]; isByLinks?: true } =
      CHANGES[figure];
    if (!by.includes(asked.kind)) return [];
    const why = isByLinks ? asked.whyNoLinks : null;
    const own = rows.filter(({ change }) => change === figure);
    const sum = (of: 'clicks' | 'impressions' | 'hits'): number | null => {
      const isKnown = asked.stake[of === 'hits' ? 'hits' : 'clicks'].covered !== null;
      const isUnknown = why !== null || !isKnown || own.some((row) => row[of] === null);
      return isUnknown ? null : own.reduce((all, row) => all + Number(row[of]), 0);
    };
    const count = why === null ? own.length : null;
    const sums = { clicks: sum('clicks'), impressions: sum('impressions'), hits: sum('hits') };
    return [{ figure, title, count, ...sums, part: 'pages', why }];
  });
}

function sitemapEntries(
  rows: readonly RehearsedPage[],
  { listed }: Effect,
  { pages, numberOf }: CrawlGraph,
): SitemapEntry[] {
  return [...new Set(rows.map(({ url }) => url))].flatMap((url) => {
    const action = listed.get(url);
    const sitemaps = pages[numberOf.get(url) ?? -1]?.sitemaps?.split(' ').filter((one) => one !== '') ?? [];
    return action === undefined ? [] : sitemaps.map((sitemap) => ({ url, sitemap, action }));
  });
}

const NOT_OF_PAGES = { clicks: null, impressions: null, hits: null };

function sitemapFigure(
  entries: readonly SitemapEntry[],
  rows: readonly RehearsedPage[],
  { pages }: CrawlGraph,
): Figure {
  const outside = rows.filter(({ change }) => change === 'not_in_crawl').length;
  const why = !pages.some(({ sitemaps }) => sitemaps !== null && sitemaps !== '')
    ? 'the crawl found no page in a sitemap'
    : outside > 0
      ? `the crawl does not know the sitemap entries of ${counted(outside, 'URL')}`
      : null;
  return {
    figure: 'sitemaps',
    title: 'sitemap entries to change',
    count: why === null ? entries.length : null,
    ...NOT_OF_PAGES,
    part: 'sitemaps',
    why,
  };
}

function linkFigures(links: readonly Reference[], why: string | null): Figure[] {
  const figure = (name: string, title: string, count: number): Figure => {
    return { figure: name, title, count: why === null ? count : null, ...NOT_OF_PAGES, part: 'links', why };
  };
  const sources = new Set(links.map(({ source }) => source));
  return [
    figure('links', 'links and other references to update', links.length),
    figure('linking_pages', 'pages that contain them', sources.size),
  ];
}
