import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import { asking, chosenBy, rowsOf } from '../chosen-crawls.ts';
import { type AskedSegment, ISSUES_WITHIN, type PageSegment, segmentOf, urlsOf } from '../segments.ts';
import { comparedOfAnswers, FIELDS, partWords, untoldParts } from './comparable-columns.ts';
import { type ComparedKpi, readComparedKpis } from './compare-kpis.ts';
import {
  type AskOfTwo,
  type ComparedCrawl,
  type ComparedSegment,
  type IssueRow,
  issuesSql,
  nameOfCrawl,
  pagesOfSite,
  whyNot,
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
  const segment = await segmentOf(asking(warehouse, signal), asked, [to.crawl_id, from.crawl_id]);
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

interface ComparedIssue extends Omit<IssueRow, 'is_by_days' | 'is_sampled'> {
  /** Null where the two can't be compared, as in the next two. */
  readonly new: number | null;
  readonly fixed: number | null;
  readonly remaining: number | null;
  readonly why: string | null;
}

const pagesWithin = (crawl: string): string => `
  SELECT changes.issue, ${ISSUES_WITHIN.pages}
  FROM mart.issue_changes AS changes
  ${ISSUES_WITHIN.joins}
  WHERE changes.crawl_id = ${crawl}`;

/** Pages of a segment of one of the crawls that have an issue in both. */
async function pagesOfBoth(
  ask: AskOfTwo,
  within: PageSegment,
  side: '$from' | '$to',
): Promise<ReadonlyMap<string, number>> {
  const other = side === '$to' ? '$from' : '$to';
  const rows = await ask<{ issue: string; pages: number }>(`
    SELECT own.issue, count(*) AS pages
    FROM mart.page_issues AS own
    JOIN mart.page_issues AS other
      ON other.crawl_id = ${other} AND other.issue = own.issue AND other.url = own.url
    WHERE own.crawl_id = ${side} ${urlsOf('own', within, side)}
    GROUP BY own.issue`);
  return new Map(rows.map(({ issue, pages }) => [issue, pages]));
}

/**
 * The issues of two crawls, the severest first. The rule is that of mart.issue_changes: an issue is compared where both
 * exports have what shows it, and not where days decide or a sample was measured.
 */
async function readComparedIssues(
  ask: AskOfTwo,
  [from, to]: readonly [ComparedCrawl, ComparedCrawl],
  within: ComparedSegment,
): Promise<readonly ComparedIssue[]> {
  const isWhole = within.segmentation === '(site)';
  const kept = await pagesOfBoth(ask, within, '$to');
  // A page may have gone from one segment to another.
  const left = isWhole ? kept : await pagesOfBoth(ask, within, '$from');
  const isKnown = (crawl: ComparedCrawl): boolean => !within.undivided.includes(crawl);
  const rows = await ask<IssueRow>(`${issuesSql(isWhole ? pagesOfSite : pagesWithin)}
    WHERE former.pages > 0 OR later.pages > 0
    ORDER BY issues.weight DESC, coalesce(later.pages, 0) DESC, issues.issue`);
  return rows.map((row) => {
    const { is_by_days: _, is_sampled: __, ...found } = row;
    const [before, after] = [isKnown(from) ? found.before : null, isKnown(to) ? found.after : null];
    const issue = { ...found, before, after };
    const why = whyUndivided(within) ?? whyNot(row, from, to);
    if (why !== null || issue.before === null || issue.after === null)
      return { ...issue, new: null, fixed: null, remaining: null, why };
    const remaining = kept.get(issue.issue) ?? 0;
    const fixed = issue.before - (left.get(issue.issue) ?? 0);
    return { ...issue, new: issue.after - remaining, fixed, remaining, why };
  });
}

type Field = keyof typeof FIELDS;

/** Pages that came, went, or are in both crawls with another value. */
interface ComparedPages {
  /** `changed`: in any of the fields. */
  readonly change: 'added' | 'removed' | 'changed' | Field;
  readonly title: string;
  /** Null where one of the exports lacks the field, or one of the crawls the segmentation. */
  readonly pages: number | null;
  readonly why: string | null;
}

/**
 * How many pages came, went, and changed in each field. The rule is that of mart.page_changes: a field counts where both
 * exports tell it alike. In a segment are pages that the later crawl has there, and removed ones that the earlier one had.
 */
async function readComparedPages(
  ask: AskOfTwo,
  [from, to]: readonly [ComparedCrawl, ComparedCrawl],
  within: ComparedSegment,
): Promise<readonly ComparedPages[]> {
  const crawls = new Map([from, to].map((crawl) => [crawl.crawl_id, crawl]));
  const untold = await untoldParts(ask, [from.crawl_id, to.crawl_id], Object.keys(FIELDS));
  const fields = (Object.keys(FIELDS) as Field[]).filter((field) => !untold.has(field));
  const [counted] = await ask<Record<ComparedPages['change'], number>>(
    countedChanges(fields, comparedOfAnswers(untold), within),
  );
  const row = (change: ComparedPages['change'], title: string): ComparedPages => {
    const why = whyUndivided(within);
    return { change, title, pages: why === null ? (counted?.[change] ?? 0) : null, why };
  };
  return [
    ...[row('added', 'pages added'), row('removed', 'pages removed'), row('changed', 'pages changed')],
    ...(Object.entries(FIELDS) as [Field, string][]).map(([field, name]) => {
      const title = `${name} changed`;
      const lack = untold.get(field);
      if (lack === undefined) return row(field, title);
      const without = nameOfCrawl(crawls.get(lack.crawl_id) ?? from);
      const why = `the export of ${without} lacks ${partWords(field, lack.part)}`;
      return { change: field, title, pages: null, why };
    }),
  ];
}

/** Each page once, in one join. */
function countedChanges(
  fields: readonly Field[],
  ofAnswers: ReadonlySet<string>,
  within: PageSegment,
): string {
  const counted = (condition: string, name: string): string =>
    `count(CASE WHEN ${condition} THEN 1 END) AS ${name}`;
  const alike = 'former.status_code IS NOT DISTINCT FROM later.status_code';
  const differs = fields.map((field) => {
    const differs = `former.${field} IS DISTINCT FROM later.${field}`;
    return ofAnswers.has(field) ? `${differs} AND ${alike}` : differs;
  });
  const both = 'former.url IS NOT NULL AND later.url IS NOT NULL';
  const counts = [
    counted('former.url IS NULL', 'added'),
    counted('later.url IS NULL', 'removed'),
    counted(`${both} AND (${['false', ...differs].join(' OR ')})`, 'changed'),
    ...fields.map((field, index) => counted(`${both} AND ${differs[index]}`, field)),
  ];
  const side = (crawl: 'from' | 'to'): string =>
    `(SELECT ${['url', ...fields].map((field) => `pages.${field}`).join(', ')}
      FROM mart.pages AS pages WHERE pages.crawl_id = $${crawl})`;
  return `
    SELECT ${counts.join(',\n      ')}
    FROM ${side('from')} AS former
    FULL JOIN ${side('to')} AS later ON later.url = former.url
    WHERE later.url IS NOT NULL ${urlsOf('later', within, '$to')}
      OR later.url IS NULL ${urlsOf('former', within, '$from')}`;
}
