import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import { columnsOf, type Typed } from '../../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';
import { asking, chosenBy, rowsOf } from '../chosen-crawls.ts';
import { type AskedSegment, ISSUES_WITHIN, PageSegment, segmentOf, urlsOf } from '../page-segments.ts';
import { CHANGES_OF_ISSUE } from '../pages/page-filter.ts';
import {
  comparedOfAnswers,
  FIELDS,
  partWords,
  seenByBoth,
  untoldParts,
  valuesDiffer,
} from './comparable-columns.ts';
import { ComparedKpi, readComparedKpis } from './compare-kpis.ts';
import {
  type AskOfTwo,
  ComparedCrawl,
  type ComparedSegment,
  IssueRow,
  issuesSql,
  nameOfCrawl,
  pagesOfSite,
  whyNot,
  whyUndivided,
} from './compared-crawls.ts';
import {
  type ComparedPair,
  changedIssues,
  comparedPair,
  countedPages,
  PAGE_CHANGES,
  type PageChange,
  PageCount,
  pageChangeSql,
} from './page-comparison.ts';

/** Two crawls of one project, by identifier, name or day, optionally limited to a segment. */
export interface AskedComparison extends AskedSegment {
  readonly project?: string | undefined;
  readonly from: string;
  readonly to: string;
  /** Whether the crawls may belong to two projects. A crawl is then also named `PROJECT/CRAWL` or `https://HOST/CRAWL`. */
  readonly mayBeApart?: boolean;
}

const Crawl = ComparedCrawl.extend({ has_pages: z.boolean(), previous_crawl_id: z.string().nullable() });
type Crawl = Typed<typeof Crawl>;
const CrawlId = z.strictObject({ crawl_id: z.string() });

const CRAWLS = `
  SELECT
    crawls.crawl_id, crawls.project_id, coalesce(crawls.project_name, crawls.project_id) AS project,
    crawls.crawl_number, crawls.crawl_config_id, crawls.crawl_config_name, crawls.ended_at, crawls.is_complete,
    crawls.scope_note, crawls.previous_crawl_id, crawls.has_pages
  FROM mart.crawls AS crawls
  WHERE crawls.crawl_id IN ($from, $to)`;

const DIVIDED = `
  SELECT DISTINCT segments.crawl_id FROM mart.crawl_segments AS segments
  WHERE segments.crawl_id IN ($from, $to) AND segments.segmentation = $segmentation`;

/**
 * Compares any two crawls of a project, even with different configurations.
 *
 * @throws CrawlhouseError `usage` for an unknown project, crawl or segment, for the same crawl twice, for crawls of two
 *   projects unless they may be apart, and for a crawl whose pages are not loaded
 */
export async function readComparison(
  warehouse: CatalogReader,
  { project, from: first, to: second, mayBeApart = false, ...asked }: AskedComparison,
  signal: AbortSignal,
): Promise<Comparison> {
  const named = async (name: string): Promise<string> => {
    const slash = mayBeApart ? name.lastIndexOf('/') : -1;
    const own = slash > 0 ? { project: name.slice(0, slash).replace(/^https?:\/\//, '') } : { project };
    const crawl = name.slice(slash + 1);
    return (await chosenBy({ ...own, crawl }, warehouse, signal)).get('crawl') ?? crawl;
  };
  const given = new Map([
    ['from', await named(first)],
    ['to', await named(second)],
  ]);
  // Only the parameters that the SQL names: DuckDB refuses others.
  const ask: AskOfTwo = (schema, sql) => {
    const named = new Set(sql.match(/\$\w+/g));
    const own = new Map([...given].filter(([name]) => named.has(`$${name}`)));
    return rowsOf(warehouse, schema, sql, own, signal);
  };
  const crawls = new Map((await ask(Crawl, CRAWLS)).map((crawl) => [crawl.crawl_id, crawl]));
  const [from, to] = [...given.values()].map((id) => usable(crawls.get(id), id)) as [Crawl, Crawl];
  refuseOther(from, to, mayBeApart);
  const isApart = from.project_id !== to.project_id;
  const segment = await segmentOf(asking(warehouse, signal), asked, [to.crawl_id, from.crawl_id]);
  for (const [name, value] of Object.entries(segment)) given.set(name, value);
  const divided = (await ask(CrawlId, DIVIDED)).map(({ crawl_id }) => crawl_id);
  const undivided = [from, to].filter(({ crawl_id }) => !divided.includes(crawl_id));
  const within: ComparedSegment = { ...segment, undivided, isApart };
  const pair = await comparedPair({ crawl: '$to', since: '$from' }, to.previous_crawl_id === from.crawl_id);
  const kpis = await readComparedKpis(ask, [from, to], within);
  const issues = await readComparedIssues(ask, [from, to], { ...within, ...pair });
  const pages = await readComparedPages(ask, [from, to], { ...within, ...pair });
  const [movement] = segment.segmentation === '(site)' ? [] : await ask(SegmentMovement, movementSql(within));
  const notes = [...notesOn(from, to), ...notesOnSegment(within, movement)];
  return { ...segment, from: shown(from), to: shown(to), notes, kpis, issues, pages };
}

function usable(crawl: Crawl | undefined, id: string): Crawl {
  if (crawl?.has_pages === true) return crawl;
  throw new CrawlhouseError('usage', `the pages of the crawl ${id} are not loaded`, {
    hint: `crawlhouse run --crawl ${shellWord(id)}`,
  });
}

function refuseOther(from: Crawl, to: Crawl, mayBeApart: boolean): void {
  const hint = `crawlhouse compare previous latest --project ${shellWord(to.project_id)}`;
  if (from.crawl_id === to.crawl_id)
    throw new CrawlhouseError('usage', `both names refer to the crawl ${to.crawl_id}`, { hint });
  if (mayBeApart || from.project_id === to.project_id) return;
  throw new CrawlhouseError(
    'usage',
    `${from.crawl_id} is a crawl of ${from.project}, but ${to.crawl_id} is a crawl of ${to.project}`,
    { hint },
  );
}

const shown = ({ has_pages: _, previous_crawl_id: __, ...crawl }: Crawl): ComparedCrawl => crawl;

function notesOn(from: Crawl, to: Crawl): string[] {
  const notes: string[] = [];
  if ((from.crawl_config_id ?? '') !== (to.crawl_config_id ?? ''))
    notes.push(
      `The crawls have different configurations, ${configOf(from)} and ${configOf(to)}: each may cover different pages.`,
    );
  for (const crawl of [from, to])
    if (crawl.scope_note !== null) notes.push(`${nameOfCrawl(crawl)}: ${crawl.scope_note}`);
  const isOneProject = from.project_id === to.project_id;
  if (isOneProject && from.ended_at !== null && to.ended_at !== null && from.ended_at > to.ended_at)
    notes.push(`${nameOfCrawl(from)} is the later crawl, so the changes go back in time.`);
  return notes;
}

/** Pages of both crawls: those in the segment in both crawls, and those in either crawl. */
const SegmentMovement = z.strictObject({ both: z.number(), either: z.number() });
type SegmentMovement = Typed<typeof SegmentMovement>;

function movementSql(within: PageSegment): string {
  const isIn = (side: 'former' | 'later', crawl: '$from' | '$to'): string =>
    `(true ${urlsOf(side, within, crawl)})`;
  const [former, later] = [isIn('former', '$from'), isIn('later', '$to')];
  return `
    SELECT count(CASE WHEN ${former} AND ${later} THEN 1 END) AS "both",
      count(CASE WHEN ${former} OR ${later} THEN 1 END) AS "either"
    FROM mart.pages AS former
    JOIN mart.pages AS later ON later.crawl_id = $to AND later.url = former.url
    WHERE former.crawl_id = $from`;
}

function notesOnSegment(within: ComparedSegment, movement: SegmentMovement | undefined): string[] {
  const why = whyUndivided(within);
  if (within.isApart) return [`The changes of pages and issues are unknown: ${why}.`];
  if (why !== null) return [`Changes in the segment are unknown: ${why}.`];
  return movement === undefined || movement.both === movement.either
    ? []
    : ['Some pages moved between segments. They count neither as added nor as removed.'];
}

const configOf = ({ crawl_config_name, crawl_config_id }: Crawl): string =>
  crawl_config_name ?? crawl_config_id ?? 'an unknown one';

const ComparedIssue = z.strictObject({
  ...IssueRow.pick({ issue: true, title: true, severity: true, category: true, before: true, after: true })
    .shape,
  /** Null if the two crawls cannot be compared. Also applies to the next fields. */
  new: z.number().nullable(),
  fixed: z.number().nullable(),
  /** Pages that had the issue and were not read again. */
  missing: z.number().nullable(),
  remaining: z.number().nullable(),
  /** Pages that have the issue and that the earlier crawl did not read. */
  unseen: z.number().nullable(),
  why: z.string().nullable(),
});
export type ComparedIssue = Typed<typeof ComparedIssue>;

const pagesWithin = (crawl: string): string => `
  SELECT changes.issue, ${ISSUES_WITHIN.pages}
  FROM mart.issue_changes AS changes
  ${ISSUES_WITHIN.joins}
  WHERE changes.crawl_id = ${crawl}`;

const IssueChanges = z.strictObject({ issue: z.string(), ...columnsOf(CHANGES_OF_ISSUE, z.number()) });
const NO_CHANGES = { new: 0, fixed: 0, missing: 0, remaining: 0, unseen: 0 };

/**
 * Reads the issues of two crawls, most severe first. As in mart.issue_changes, an issue is compared if both exports
 * contain the fields it needs, and it depends neither on days nor on a sample.
 */
async function readComparedIssues(
  ask: AskOfTwo,
  [from, to]: readonly [ComparedCrawl, ComparedCrawl],
  within: ComparedSegment & ComparedPair,
): Promise<readonly ComparedIssue[]> {
  const isWhole = within.segmentation === '(site)';
  const counted = within.isApart ? [] : await ask(IssueChanges, changedIssues(within, within));
  const changes = new Map(counted.map(({ issue, ...counts }) => [issue, counts]));
  const isKnown = (crawl: ComparedCrawl): boolean => !within.undivided.includes(crawl);
  const rows = await ask(
    IssueRow,
    `${issuesSql(isWhole ? pagesOfSite : pagesWithin)}
    WHERE former.pages > 0 OR later.pages > 0
    ORDER BY issues.weight DESC, coalesce(later.pages, 0) DESC, issues.issue`,
  );
  return rows.map((row) => {
    const { issue, title, severity, category } = row;
    const [before, after] = [isKnown(from) ? row.before : null, isKnown(to) ? row.after : null];
    const found = { issue, title, severity, category, before, after };
    const why = whyUndivided(within) ?? whyNot(row, from, to);
    if (why !== null || before === null || after === null)
      return { ...found, new: null, fixed: null, missing: null, remaining: null, unseen: null, why };
    return { ...found, ...(changes.get(issue) ?? NO_CHANGES), why };
  });
}

type Field = keyof typeof FIELDS;
const FIELD_NAMES = Object.keys(FIELDS) as Field[];

/** Pages that only one of the crawls has, or that differ between both. */
const ComparedPages = z.strictObject({
  /** `changed`: in any of the fields. */
  change: z.enum([...PAGE_CHANGES, 'changed', ...FIELD_NAMES]),
  title: z.string(),
  /** Null if one of the exports lacks the field, or one of the crawls lacks the segmentation. */
  pages: z.number().nullable(),
  /** Why pages were removed or not read, most common reason first. */
  reasons: z.array(z.strictObject({ reason: z.string(), pages: z.number() })),
  why: z.string().nullable(),
});
type ComparedPages = Typed<typeof ComparedPages>;

export const Comparison = z.strictObject({
  from: ComparedCrawl,
  to: ComparedCrawl,
  /** Notes to read before the figures. */
  notes: z.array(z.string()),
  kpis: z.array(ComparedKpi),
  issues: z.array(ComparedIssue),
  pages: z.array(ComparedPages),
  ...PageSegment.shape,
});
export type Comparison = Typed<typeof Comparison>;

const TITLES: Readonly<Record<PageChange | 'changed', string>> = {
  added: 'pages added',
  removed: 'pages removed',
  moved: 'pages moved',
  missing: 'pages missing',
  unseen: 'pages not read before',
  changed: 'pages changed',
};

/**
 * Counts the pages that were added, removed, moved, missing and unseen, and the pages that changed in each field. As in
 * mart.page_changes, a field counts only on pages that both crawls read, and only if both exports contain the same
 * parts of the field. With a segment, removed, moved and missing pages count by their segment in the earlier crawl, all
 * other pages by their segment in the later crawl.
 */
async function readComparedPages(
  ask: AskOfTwo,
  [from, to]: readonly [ComparedCrawl, ComparedCrawl],
  within: ComparedSegment & ComparedPair,
): Promise<readonly ComparedPages[]> {
  const crawls = new Map([from, to].map((crawl) => [crawl.crawl_id, crawl]));
  const untold = await untoldParts(ask, [from.crawl_id, to.crawl_id], FIELD_NAMES);
  const fields = FIELD_NAMES.filter((field) => !untold.has(field));
  const whole = within.isApart ? [] : await ask(PageCount, countedPages(within, within));
  const [differing] = within.isApart
    ? []
    : await ask(
        z.partialRecord(z.enum(['changed', ...FIELD_NAMES]), z.number()),
        countedFields(fields, comparedOfAnswers(untold), within),
      );
  const why = whyUndivided(within);
  const ofPages = (change: PageChange): ComparedPages => {
    const own = why === null ? whole.filter((one) => one.change === change) : [];
    const pages = why === null ? own.reduce((sum, one) => sum + one.pages, 0) : null;
    const reasons = own.flatMap(({ reason, pages }) => (reason === null ? [] : [{ reason, pages }]));
    return { change, title: TITLES[change], pages, reasons, why };
  };
  const ofFields = (change: 'changed' | Field, title: string): ComparedPages => {
    return { change, title, pages: why === null ? (differing?.[change] ?? 0) : null, reasons: [], why };
  };
  return [
    ...PAGE_CHANGES.map(ofPages),
    ofFields('changed', TITLES.changed),
    ...(Object.entries(FIELDS) as [Field, string][]).map(([field, name]) => {
      const title = `${name} changed`;
      const lack = untold.get(field);
      if (lack === undefined) return ofFields(field, title);
      const without = nameOfCrawl(crawls.get(lack.crawl_id) ?? from);
      const lacks = `the export of ${without} lacks ${partWords(field, lack.part)}`;
      return { change: field, title, pages: null, reasons: [], why: lacks };
    }),
  ];
}

/** Counts each page once, in one join. */
function countedFields(
  fields: readonly Field[],
  ofAnswers: ReadonlySet<string>,
  within: PageSegment & ComparedPair,
): string {
  const counted = (condition: string, name: string): string =>
    `count(CASE WHEN ${condition} THEN 1 END) AS ${name}`;
  const alike = ' AND former.status_code IS NOT DISTINCT FROM later.status_code';
  const differs = fields.map(
    (field) =>
      `${valuesDiffer(field, [`former.${field}`, `later.${field}`])}${ofAnswers.has(field) ? alike : ''}${seenByBoth(field, { former: 'former', later: 'later', how: 'how' })}`,
  );
  return `
    SELECT ${[counted(['false', ...differs].join(' OR '), 'changed'), ...fields.map((field, index) => counted(differs[index] ?? 'false', field))].join(',\n      ')}
    FROM mart.pages AS former
    JOIN mart.pages AS later ON later.crawl_id = $to AND later.url = former.url
    LEFT JOIN (${pageChangeSql(within.exceptions)}) AS how ON how.url = later.url
    WHERE former.crawl_id = $from ${urlsOf('later', within, '$to')}`;
}
