import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { didYouMean } from '../../../../core/text/nearest-name.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';
import { crawlOf } from '../../../../etl/state/catalog/resolve-parameters.ts';
import {
  type AskCrawls,
  asking,
  CHOSEN,
  ChosenCrawl,
  chosenBy,
  onlyCrawl,
  rowsOf,
} from '../chosen-crawls.ts';
import { comparedOfAnswers, FIELDS, partWords, untoldParts } from '../compare/comparable-columns.ts';
import { whyNotCompared } from '../compare/compared-crawls.ts';
import { type ComparedPair, comparedPair, PAGE_CHANGES } from '../compare/page-comparison.ts';
import { type PageSegment, segmentCondition, segmentOf, segmentParts } from '../page-segments.ts';
import { BESIDE_PAGES, BESIDES, trafficColumns } from './beside-pages.ts';
import {
  boundCondition,
  columnsOfCondition,
  type PageColumnTypes,
  parameterName,
  sortOf,
  unknownColumn,
} from './page-conditions.ts';
import {
  ANY_FIELD,
  type ComparedColumns,
  changedPages,
  isOfColumn,
  pagesWithIssue,
  shownOfChange,
} from './page-differences.ts';
import {
  CHANGES_OF_BEFORE,
  CHANGES_OF_ISSUE,
  FilteredIssue,
  isIssueChange,
  type PageFilter,
} from './page-filter.ts';
import { type PageReading, readingOf, type Within } from './page-reading.ts';
import { foundRows, withRechecked } from './rechecked-pages.ts';

const FilteredCrawl = ChosenCrawl.extend({
  crawl_number: z.number().nullable(),
  has_links: z.boolean(),
  /** Why the crawl does not cover the whole site (mart.crawls.scope_note); null if it does. */
  scope_note: z.string().nullable(),
});
export type FilteredCrawl = Typed<typeof FilteredCrawl>;

/** The SELECT of the filtered pages, in their order. */
export interface PageStatement extends PageReading {
  /** The requested crawl; pages that are gone belong to `since`. */
  readonly crawl: FilteredCrawl;
  /** The request, with the unique name of the segment. */
  readonly filter: PageFilter;
  /** The crawl that a change is compared with. */
  readonly since: string | null;
  /** The issue of the pages; null means any. */
  readonly issue: FilteredIssue | null;
  readonly parameters: ReadonlyMap<string, string | null>;
  /** All columns to show, sort and compare by, with their types. */
  readonly types: PageColumnTypes;
}

const CRAWLS = `
  SELECT chosen.*, crawls.crawl_number, crawls.has_links, crawls.scope_note
  FROM (${CHOSEN}
  ) AS chosen
  JOIN mart.crawls AS crawls ON crawls.crawl_id = chosen.crawl_id`;

const SHOWN = ['url', 'status_code', 'is_indexable', 'depth', 'nb_inlinks', 'title'];

/**
 * Builds the SQL statement for a filter after checking every name in the filter.
 *
 * @throws CrawlhouseError `usage` for an unknown project, crawl, issue, segment or column, or an invalid condition
 */
export async function pageStatement(
  warehouse: CatalogReader,
  filter: PageFilter,
  signal: AbortSignal,
): Promise<PageStatement> {
  const ask = asking(warehouse, signal);
  const given = await chosenBy(filter, warehouse, signal);
  const crawl = onlyCrawl(await rowsOf(warehouse, FilteredCrawl, CRAWLS, given, signal));
  const since = await sinceOf(warehouse, filter, crawl, signal);
  const { issue, change } = filter;
  if (issue !== undefined) await checkIssue(ask, issue);
  if (issue !== undefined && since !== null) await checkCompared(ask, { issue, since, crawl });
  const types = await columnTypes(ask, filter);
  const compared =
    change === undefined || since === null
      ? NONE_COMPARED
      : await comparedColumns(ask, { issue, change, crawls: [since, crawl.crawl_id], types });
  const segment = await segmentOf(ask, filter, [crawl.crawl_id, since]);

  const parameters = new Map<string, string | null>();
  const pair =
    since === null
      ? null
      : await comparedPair({ crawl: '$crawl', since: '$since' }, since === crawl.previous_crawl_id, '$issue');
  const crawls = [since, crawl.crawl_id] as const;
  const within = pagesOf({ filter, crawls, segment, pair, compared, parameters });
  const names: string[] = [];
  for (const condition of filter.where)
    names.push(...(await columnsOfCondition(warehouse, condition, signal)));
  const conditions = filter.conditions.map((condition, index) => {
    const { sql, values } = boundCondition(
      condition,
      types,
      parameterName(condition.column, index, parameters),
    );
    for (const [name, value] of values) parameters.set(name, value);
    names.push(condition.column);
    return sql;
  });
  const sorted = sortOf(filter.sort, types);
  const unknown = filter.columns.find((name) => !types.has(name));
  if (unknown !== undefined) throw unknownColumn(unknown, [...types.keys()]);
  const found = await foundRows(ask, issue, within.own === '$since' ? since : crawl.crawl_id);
  const extra = [
    ...(issue === undefined ? [] : ['why']),
    ...(found.are_related ? ['related_url'] : []),
    ...within.shown,
    ...(compared.columns.length === 1 && change === 'is_indexable' ? ['non_indexable_reason'] : []),
  ];
  const more = [...filter.columns, ...names, sorted.column].filter((name) => types.has(name));
  const traffic = await trafficColumns(ask, crawl.crawl_id);
  const shown = [...new Set(['url', ...extra, ...SHOWN.slice(1), ...traffic, ...more])];
  const all = [...within.inSegment, ...conditions, ...filter.where.map((condition) => `(${condition}\n)`)];
  return {
    crawl,
    filter: { ...filter, segment: undefined, segmentation: undefined, ...segmentParts(segment) },
    since,
    issue: issue === undefined ? null : await issueOf(ask, issue, crawl),
    ...readingOf({
      source: found.are_rechecked ? withRechecked(types) : 'mart.pages',
      within,
      issue,
      all,
      names,
      shown,
      sorted,
      types,
      hasLinks: crawl.has_links,
    }),
    parameters,
    types,
  };
}

/** Returns null if there is no previous crawl. A filter without a change compares nothing. */
async function sinceOf(
  warehouse: CatalogReader,
  { change, since }: PageFilter,
  crawl: FilteredCrawl,
  signal: AbortSignal,
): Promise<string | null> {
  if (change === undefined && since === undefined) return null;
  if (change === undefined)
    throw new CrawlhouseError('usage', '--since needs --change', {
      hint: 'use --change with added, removed, moved, missing, changed or a column; with --issue: new, fixed, missing or remaining',
    });
  if (since !== undefined)
    return await crawlOf(warehouse, { project: crawl.project_id, crawl: since }, signal);
  if (crawl.previous_crawl_id !== null) return crawl.previous_crawl_id;
  throw new CrawlhouseError('usage', `crawl ${crawl.crawl_id} has no previous crawl to compare with`, {
    hint: 'choose a crawl with --since; crawls that ended early are not compared by default',
  });
}

/** @throws CrawlhouseError `usage` */
export async function checkIssue(ask: AskCrawls, issue: string): Promise<void> {
  const named = FilteredIssue.pick({ issue: true });
  const known = await ask(named, 'SELECT issue FROM mart.issues ORDER BY issue');
  const names = known.map((one) => one.issue);
  if (names.includes(issue)) return;
  throw new CrawlhouseError('usage', `there is no issue ${issue}`, {
    hint: `${didYouMean(issue, names)}crawlhouse issues lists the issues of a crawl`,
  });
}

/** Returns null if the issue is off in the project. */
async function issueOf(
  ask: AskCrawls,
  issue: string,
  { project_id: project }: FilteredCrawl,
): Promise<FilteredIssue | null> {
  const found = await ask(
    FilteredIssue,
    `SELECT issue, title, severity, definition, why_it_matters, fix, source
     FROM mart.project_issues WHERE project_id = $project AND issue = $issue`,
    { project, issue },
  );
  return found[0] ?? null;
}

/** Refuses a change by an issue for which the two crawls cannot be compared: no page has a new or fixed one. */
async function checkCompared(
  ask: AskCrawls,
  asked: { readonly issue: string; readonly since: string; readonly crawl: FilteredCrawl },
): Promise<void> {
  const { issue, since, crawl } = asked;
  const from = { crawl_id: since, crawl_number: null, ended_at: null };
  const given = { issue, from: since, to: crawl.crawl_id };
  const why = await whyNotCompared((schema, sql) => ask(schema, sql, given), from, crawl);
  if (why === null) return;
  throw new CrawlhouseError('usage', `the issue ${issue} is not compared between these crawls: ${why}`, {
    hint: `omit --change: crawlhouse pages --project ${shellWord(crawl.project_id)} --crawl ${shellWord(crawl.crawl_id)} --issue ${issue}`,
  });
}

const Described = z.object({ column_name: z.string(), column_type: z.string() });
async function columnTypes(ask: AskCrawls, { issue, change }: PageFilter): Promise<PageColumnTypes> {
  const described = await ask(Described, 'DESCRIBE mart.pages');
  return new Map([
    ...described.map(({ column_name, column_type }) => [column_name, column_type] as const),
    ...BESIDES.flatMap(({ columns }) => Object.entries(columns)),
    ...(issue === undefined ? [] : ['why', 'related_url']).map((one) => [one, 'VARCHAR'] as const),
    ...shownOfChange(issue, change).map((one) => [one, 'VARCHAR'] as const),
  ]);
}

const NONE_COMPARED: ComparedColumns = { columns: [], ofAnswers: new Set() };

async function comparedColumns(
  ask: AskCrawls,
  asked: {
    readonly issue: string | undefined;
    readonly change: string;
    readonly crawls: readonly [string, string];
    readonly types: PageColumnTypes;
  },
): Promise<ComparedColumns> {
  const { issue, change, crawls, types } = asked;
  if (issue !== undefined) {
    if (isIssueChange(change)) return NONE_COMPARED;
    throw new CrawlhouseError('usage', `--change: ${change} is not a change of an issue`, {
      hint: `${didYouMean(change, CHANGES_OF_ISSUE)}new, fixed, missing, remaining or unseen`,
    });
  }
  if (!isOfColumn(issue, change)) return NONE_COMPARED;
  const own = [...types.keys()].filter((name) => !BESIDE_PAGES.has(name));
  if (change !== ANY_FIELD && !own.includes(change))
    throw unknownColumn(change, [...PAGE_CHANGES, ANY_FIELD, ...own]);
  const fields = change === ANY_FIELD ? Object.keys(FIELDS) : [change];
  const untold = await untoldParts(ask, crawls, [...fields, 'status_code']);
  const lack = change === ANY_FIELD ? undefined : untold.get(change);
  if (lack === undefined)
    return { columns: fields.filter((name) => !untold.has(name)), ofAnswers: comparedOfAnswers(untold) };
  throw new CrawlhouseError(
    'usage',
    `the export of crawl ${lack.crawl_id} lacks ${partWords(change, lack.part)}`,
    { hint: 'the field must exist in both crawls' },
  );
}

/** Returns the pages of the crawl, with its issue, change and segment; adds the parameters. */
function pagesOf(asked: {
  readonly filter: PageFilter;
  readonly crawls: readonly [since: string | null, crawl: string];
  readonly segment: PageSegment;
  readonly pair: ComparedPair | null;
  readonly compared: ComparedColumns;
  readonly parameters: Map<string, string | null>;
}): Within {
  const { filter, crawls, segment, pair, compared, parameters } = asked;
  const { issue, change } = filter;
  const own = change !== undefined && CHANGES_OF_BEFORE.includes(change) ? '$since' : '$crawl';
  parameters.set('crawl', crawls[1]);
  // Only the parameters that the SQL names: DuckDB refuses others.
  if (change !== undefined) parameters.set('since', crawls[0]);
  if (issue !== undefined) parameters.set('issue', issue);
  const { columns, joins, conditions } =
    issue !== undefined
      ? pagesWithIssue(change, pair)
      : change !== undefined && pair !== null
        ? changedPages(change, pair, compared)
        : { columns: [], joins: [], conditions: [] };
  const inSegment = segmentCondition(segment, own);
  if (inSegment !== null) {
    parameters.set('segment', segment.segment);
    if (inSegment.includes('$segmentation')) parameters.set('segmentation', segment.segmentation);
  }
  return {
    own,
    columns,
    joins,
    shown: shownOfChange(issue, change),
    conditions: [`pages.crawl_id = ${own}`, ...conditions],
    inSegment: inSegment === null ? [] : [inSegment],
  };
}
