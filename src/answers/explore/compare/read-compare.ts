import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import { chosenBy, rowsOf } from '../chosen-crawls.ts';
import { type ComparedIssue, readComparedIssues } from './compare-issues.ts';
import { type ComparedKpi, readComparedKpis } from './compare-kpis.ts';
import { type ComparedPages, readComparedPages } from './compare-pages.ts';
import { type AskOfTwo, type ComparedCrawl, nameOfCrawl } from './compared-crawls.ts';

/** Two crawls of one project, named as everywhere. */
export interface AskedComparison {
  readonly project?: string | undefined;
  readonly from: string;
  readonly to: string;
}

/** What differs between two crawls. */
export interface Comparison {
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

/**
 * Compares any two crawls of a project, also of two configurations.
 *
 * @throws CrawlhouseError `usage` for a project or crawl that is not there, one crawl twice, crawls of two projects, or
 * one whose pages are not loaded
 */
export async function readComparison(
  warehouse: CatalogReader,
  { project, from: first, to: second }: AskedComparison,
  signal: AbortSignal,
): Promise<Comparison> {
  const named = async (crawl: string): Promise<string> =>
    (await chosenBy({ project, crawl }, warehouse, signal)).get('crawl') ?? crawl;
  const given = new Map([
    ['from', await named(first)],
    ['to', await named(second)],
  ]);
  const ask: AskOfTwo = (sql) => rowsOf(warehouse, sql, given, signal);
  const crawls = new Map((await ask<Crawl>(CRAWLS)).map((crawl) => [crawl.crawl_id, crawl]));
  const [from, to] = [...given.values()].map((id) => usable(crawls.get(id), id)) as [Crawl, Crawl];
  refuseOther(from, to);
  const kpis = await readComparedKpis(ask, from, to);
  const issues = await readComparedIssues(ask, from, to);
  const pages = await readComparedPages(ask, from, to);
  return { from: shown(from), to: shown(to), notes: notesOn(from, to), kpis, issues, pages };
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

const configOf = ({ crawl_config_name, crawl_config_id }: Crawl): string =>
  crawl_config_name ?? crawl_config_id ?? 'an unknown one';
