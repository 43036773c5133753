import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { counted } from '../../../../core/text/amounts.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { type AskedCrawls, chosenBy, onlyCrawl, rowsOf } from '../chosen-crawls.ts';
import { askedRows, type RehearsedWarehouse } from './asked-rows.ts';
import { type AtStake, Covered, readAtStake } from './at-stake.ts';
import { type CrawlGraph, originOf, readCrawlGraph } from './crawl-graph.ts';
import { OWN_AGENT, RehearsedAgent, rehearseRobots } from './rehearse-robots.ts';
import { BY_LINKS, CHANGES, type RehearsedChange, type UrlChange } from './rehearsed-change.ts';
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
  /** Null: unknown. Also applies to the next two fields. */
  count: z.number().nullable(),
  clicks: z.number().nullable(),
  hits: z.number().nullable(),
  /** The list that contains its URLs. */
  part: z.enum(['pages', 'sitemaps']),
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
  pages: z.array(RehearsedPage),
  sitemaps: z.array(SitemapEntry),
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
  const graph = await readCrawlGraph(asked, crawl.crawl_id);
  const stake = await readAtStake(asked, crawl);
  const place = originOf(graph, start_url);
  if (place === null)
    throw new CrawlhouseError(
      'usage',
      start_url === null
        ? `the start page of the crawl ${crawl.crawl_id} is unknown`
        : `the crawl ${crawl.crawl_id} has no page of the host of its start URL ${start_url}`,
      { hint: `crawlhouse run loads the record of the project ${shellWord(crawl.project_id)}` },
    );
  const { origin, others } = place;
  const { changed, urls, agents, notes } = await rehearseRobots(asked, change.content, {
    ...{ crawl: crawl.crawl_id, origin, graph, stake },
  });
  const hasLinks = has_links && has_all_links !== false;
  const { rows, unexplained } = rehearsedPages({ graph, stake, changed, urls, hasLinks });
  const sitemaps = sitemapEntries(rows, graph);
  const whyNoDepth = hasLinks
    ? null
    : has_links
      ? 'the crawl did not read all links'
      : 'its links are not loaded';
  return {
    change: { kind: change.kind, given: change.given },
    crawl,
    notes: [
      ...(crawl.scope_note === null ? [] : [crawl.scope_note]),
      ...(others === 0 ? [] : [`Not judged, because of another host or scheme: ${counted(others, 'page')}.`]),
      ...notes,
      ...(hasLinks && unexplained > 0
        ? [
            `Links do not explain the depth of ${counted(unexplained, 'page')}. The rehearsal assumes that it does not change.`,
          ]
        : []),
    ],
    clicks: { covered: stake.clicks.covered, why: stake.clicks.why },
    hits: { covered: stake.hits.covered, why: stake.hits.why },
    figures: [...pageFigures(rows, { stake, whyNoDepth }), sitemapFigure(sitemaps, graph)],
    agents,
    pages: rows,
    sitemaps,
    sql: asked.statements,
  };
}

function pageFigures(
  rows: readonly RehearsedPage[],
  { stake, whyNoDepth }: { readonly stake: AtStake; readonly whyNoDepth: string | null },
): Figure[] {
  return (Object.entries(CHANGES) as [UrlChange, string][]).map(([figure, title]) => {
    const why = BY_LINKS.includes(figure) ? whyNoDepth : null;
    const own = rows.filter(({ change }) => change === figure);
    const sum = (of: 'clicks' | 'hits'): number | null =>
      why !== null || stake[of].covered === null ? null : own.reduce((all, row) => all + Number(row[of]), 0);
    return {
      figure,
      title,
      count: why === null ? own.length : null,
      clicks: sum('clicks'),
      hits: sum('hits'),
      part: 'pages',
      why,
    };
  });
}

/** The robots whose access decides about a sitemap entry. */
const SEARCH: readonly string[] = [OWN_AGENT, 'Googlebot', 'Bingbot'];

function sitemapEntries(rows: readonly RehearsedPage[], { pages, numberOf }: CrawlGraph): SitemapEntry[] {
  return rows.flatMap(({ url, change, agents }) => {
    const by = agents?.split(', ').filter((agent) => SEARCH.includes(agent)) ?? [];
    if (change !== 'blocked' || by.length === 0) return [];
    const listed = pages[numberOf.get(url) ?? -1]?.sitemaps?.split(' ').filter((one) => one !== '') ?? [];
    return listed.map((sitemap) => ({ url, sitemap, action: `remove: blocked for ${by.join(', ')}` }));
  });
}

function sitemapFigure(entries: readonly SitemapEntry[], { pages }: CrawlGraph): Figure {
  const isKnown = pages.some(({ sitemaps }) => sitemaps !== null && sitemaps !== '');
  return {
    figure: 'sitemaps',
    title: 'sitemap entries to change',
    count: isKnown ? entries.length : null,
    clicks: null,
    hits: null,
    part: 'sitemaps',
    why: isKnown ? null : 'the crawl found no page in a sitemap',
  };
}
