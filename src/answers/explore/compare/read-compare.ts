import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import { chosenBy, rowsOf } from '../chosen-crawls.ts';
import { type AskedSegment, type PageSegment, segmentOf } from '../segments.ts';
import { type ComparedIssue, readComparedIssues } from './compare-issues.ts';
import { type ComparedKpi, readComparedKpis } from './compare-kpis.ts';
import { type ComparedPages, readComparedPages } from './compare-pages.ts';
import {
  type AskOfTwo,
  type ComparedCrawl,
  type ComparedSegment,
  nameOfCrawl,
  whyUndivided,
} from './compared-crawls.ts';

/** Two crawls of one project, named as everywhere, or a segment of their pages. */
export interface AskedComparison extends AskedSegment {
  readonly project?: string | undefined;
  readonly from: string;
  readonly to: string;
}

/** What differs between two crawls, in all of their pages or in a segment. */
export interface Comparison extends PageSegment {
  readonly from: ComparedCrawl;
  readonly to: ComparedCrawl;
  /** What to know before one reads the figures. */
  readonly notes: readonly string[];
  readonly kpis: readonly ComparedKpi[];
  readonly issues: readonly ComparedIssue[];
  readonly pages: readonly ComparedPages[];
}

type Crawl = ComparedCrawl & { readonly has_pages: boolean };

const CRAWLS = `
  SELECT
    crawls.crawl_id, crawls.project_id, coalesce(crawls.project_name, crawls.project_id) AS project,
    crawls.crawl_number, crawls.crawl_config_id, crawls.crawl_config_name, crawls.ended_at, crawls.is_complete,
    crawls.has_pages
  FROM mart.crawls AS crawls
  WHERE crawls.crawl_id IN ($from, $to)`;

const DIVIDED = `
  SELECT DISTINCT segments.crawl_id FROM mart.crawl_segments AS segments
  WHERE segments.crawl_id IN ($from, $to) AND segments.segmentation = $segmentation`;

/**
 * Compares any two crawls of a project, also of two configurations.
 *
 * @throws CrawlhouseError `usage` for a project, crawl or segment that is not there, one crawl twice, crawls of two projects, or
 * one whose pages are not loaded
 */
export async function readComparison(
  warehouse: CatalogReader,
  { project, from: first, to: second, ...asked }: AskedComparison,
  signal: AbortSignal,
): Promise<Comparison> {
  const named = async (crawl: string): Promise<string> =>
    (await chosenBy({ project, crawl }, warehouse, signal)).get('crawl') ?? crawl;
  const given = new Map([
    ['from', await named(first)],
    ['to', await named(second)],
  ]);
  // Of each only where the SQL names it: a parameter too many is refused.
  const ask: AskOfTwo = (sql) => {
    const named = new Set(sql.match(/\$\w+/g));
    const own = new Map([...given].filter(([name]) => named.has(`$${name}`)));
    return rowsOf(warehouse, sql, own, signal);
  };
  const crawls = new Map((await ask<Crawl>(CRAWLS)).map((crawl) => [crawl.crawl_id, crawl]));
  const [from, to] = [...given.values()].map((id) => usable(crawls.get(id), id)) as [Crawl, Crawl];
  refuseOther(from, to);
  const segment = await segmentOf(warehouse, asked, [to.crawl_id, from.crawl_id], signal);
  for (const [name, value] of Object.entries(segment)) given.set(name, value);
  const divided = (await ask<{ crawl_id: string }>(DIVIDED)).map(({ crawl_id }) => crawl_id);
  const undivided = [from, to].filter(({ crawl_id }) => !divided.includes(crawl_id));
  const within: ComparedSegment = { ...segment, undivided };
  const kpis = await readComparedKpis(ask, [from, to], within);
  const issues = await readComparedIssues(ask, [from, to], within);
  const pages = await readComparedPages(ask, [from, to], within);
  const notes = [...notesOn(from, to), ...notesOnSegment(within, kpis, pages)];
  return { ...segment, from: shown(from), to: shown(to), notes, kpis, issues, pages };
}

function usable(crawl: Crawl | undefined, id: string): Crawl {
  if (crawl?.has_pages === true) return crawl;
  throw new CrawlhouseError('usage', `the pages of the crawl ${id} are not loaded`, {
    hint: `crawlhouse run --crawl ${shellWord(id)}`,
  });
}

function refuseOther(from: Crawl, to: Crawl): void {
  const hint = `crawlhouse compare previous latest --project ${shellWord(to.project_id)}`;
  if (from.crawl_id === to.crawl_id)
    throw new CrawlhouseError('usage', `both names stand for the crawl ${to.crawl_id}`, { hint });
  if (from.project_id === to.project_id) return;
  throw new CrawlhouseError(
    'usage',
    `${from.crawl_id} is a crawl of ${from.project}, and ${to.crawl_id} one of ${to.project}: their pages differ`,
    { hint },
  );
}

const shown = ({ has_pages: _, ...crawl }: Crawl): ComparedCrawl => crawl;

function notesOn(from: Crawl, to: Crawl): string[] {
  const notes: string[] = [];
  if ((from.crawl_config_id ?? '') !== (to.crawl_config_id ?? ''))
    notes.push(
      `The crawls are of two configurations, ${configOf(from)} and ${configOf(to)}: pages may differ by what each crawls.`,
    );
  for (const crawl of [from, to])
    if (!crawl.is_complete)
      notes.push(`${nameOfCrawl(crawl)} did not reach all pages: those that it lacks may be there.`);
  if (from.ended_at !== null && to.ended_at !== null && from.ended_at > to.ended_at)
    notes.push(`${nameOfCrawl(from)} is the later one: the changes go back in time.`);
  return notes;
}

function notesOnSegment(
  within: ComparedSegment,
  kpis: readonly ComparedKpi[],
  pages: readonly ComparedPages[],
): string[] {
  const why = whyUndivided(within);
  if (why !== null) return [`What changed in the segment is not known: ${why}.`];
  const of = (change: ComparedPages['change']): number =>
    pages.find((one) => one.change === change)?.pages ?? 0;
  const grown = kpis.find(({ kpi }) => kpi === 'pages')?.change ?? 0;
  return grown === of('added') - of('removed')
    ? []
    : ['Pages moved between segments: those are neither added nor removed.'];
}

const configOf = ({ crawl_config_name, crawl_config_id }: Crawl): string =>
  crawl_config_name ?? crawl_config_id ?? 'an unknown one';
