import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { AskedCrawls } from '../chosen-crawls.ts';

/**
 * The operators on a column. `is` accepts null, not_null, true or false; `in` accepts several values separated by
 * commas.
 */
export const OPERATORS = {
  eq: 'is',
  ne: 'is not',
  gt: 'above',
  gte: 'at least',
  lt: 'below',
  lte: 'at most',
  contains: 'contains',
  not_contains: 'does not contain',
  starts: 'begins with',
  ends: 'ends with',
  has: 'has',
  in: 'is one of',
  is: 'is',
} as const;
export type Operator = keyof typeof OPERATORS;

/** A row of mart.project_issues. */
export const FilteredIssue = z.strictObject({
  issue: z.string(),
  title: z.string(),
  severity: z.string(),
  definition: z.string(),
  why_it_matters: z.string(),
  fix: z.string(),
  source: z.string(),
});
export type FilteredIssue = Typed<typeof FilteredIssue>;

export const CHANGES_OF_ISSUE = ['new', 'fixed', 'missing', 'remaining', 'unseen'] as const;
export type ChangeOfIssue = (typeof CHANGES_OF_ISSUE)[number];
export const isIssueChange = (change: string): change is ChangeOfIssue =>
  CHANGES_OF_ISSUE.some((one) => one === change);

/** Changes that list pages of the earlier crawl: the pages are gone, were not read, or no longer have the issue. */
export const CHANGES_OF_BEFORE: readonly string[] = ['fixed', 'removed', 'moved', 'missing'];

/** A condition on one column: `depth=gte:4` in an address. */
export interface Condition {
  readonly column: string;
  readonly operator: Operator;
  readonly value: string;
}

/**
 * A filter of the pages of one crawl. The command line, the console, assistants and links of figures write it
 * differently; `pageStatement` builds the SELECT for all of them.
 */
export interface PageFilter extends AskedCrawls {
  readonly issue?: string | undefined;
  /**
   * With an issue: new, fixed, missing, remaining or unseen. Without: added, removed, moved, missing, unseen, or a
   * column of `mart.pages` that differs. Fixed, removed, moved and missing pages are pages of the previous crawl.
   */
  readonly change?: string | undefined;
  /** The crawl that `change` compares with; without it, the previous one (mart.crawls.previous_crawl_id). */
  readonly since?: string | undefined;
  /**
   * A first directory or a segment, alone or with its segmentation: `other`, `template:other`, `(directory):/lamps/`.
   */
  readonly segment?: string | undefined;
  /** The segmentation of a segment that is named without it. */
  readonly segmentation?: string | undefined;
  readonly conditions: readonly Condition[];
  /** Conditions as SQL. All must hold. */
  readonly where: readonly string[];
  /** A column, as in `depth`; in descending order, as in `depth desc`. */
  readonly sort?: string | undefined;
  readonly columns: readonly string[];
}

const NAMED = ['crawl', 'issue', 'change', 'since', 'segment', 'segmentation', 'sort'] as const;
/** Parameters of a page list's address other than columns; those after `columns` belong to the list itself. */
const OTHERS = ['where', 'columns', 'page', 'column', 'operator', 'value'];
const RESERVED: readonly string[] = [...NAMED, ...OTHERS];
/** Prefix of a column whose name has another meaning in an address: `column.page=gte:2`. */
const COLUMN = 'column.';

export const conditionKey = (column: string): string =>
  RESERVED.includes(column) || column.startsWith(COLUMN) ? `${COLUMN}${column}` : column;

/** Parses the filter in the query of an address. An empty value is not a filter. */
export function filterOfQuery(project: string, query: URLSearchParams): PageFilter {
  const named = Object.fromEntries(NAMED.map((name) => [name, query.get(name) || undefined]));
  const conditions = [...query].flatMap(([name, value]) =>
    value === '' || RESERVED.includes(name)
      ? []
      : [conditionOf(name.startsWith(COLUMN) ? name.slice(COLUMN.length) : name, value)],
  );
  return {
    project,
    ...named,
    conditions,
    where: query.getAll('where').filter((one) => one.trim() !== ''),
    columns: (query.get('columns') ?? '').split(',').filter((one) => one !== ''),
  };
}

/**
 * Parses a condition such as `gte:4`. The default operator is `eq`.
 *
 * @param text `OPERATOR:VALUE`
 */
function conditionOf(column: string, text: string): Condition {
  const [, operator, value] = /^([a-z_]+):([\s\S]*)$/.exec(text) ?? [];
  if (operator !== undefined && value !== undefined && Object.hasOwn(OPERATORS, operator))
    return { column, operator: operator as Operator, value };
  return { column, operator: 'eq', value: text };
}

/** The parts of an address: fields of `PageFilter`, and columns with their conditions. */
export type AddressParts = Readonly<Record<string, string | readonly string[] | null | undefined>>;

/**
 * Returns the address of the filtered pages in the console: `/projects/P/pages?crawl=…&depth=gte:4`. Parts without a
 * value are omitted.
 */
export function pagesAddress(project: string, parts: AddressParts): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts))
    for (const one of [value ?? ''].flat()) if (one !== '') query.append(name, one);
  return `/projects/${encodeURIComponent(project)}/pages${query.size === 0 ? '' : `?${query}`}`;
}

export function partsOfFilter({
  project: _,
  conditions,
  where,
  columns,
  ...named
}: PageFilter): AddressParts {
  const each = Map.groupBy(conditions, ({ column }) => conditionKey(column));
  return {
    ...Object.fromEntries(NAMED.map((name) => [name, named[name]])),
    ...Object.fromEntries(
      [...each].map(([key, own]) => [key, own.map(({ operator, value }) => `${operator}:${value}`)]),
    ),
    where,
    columns: columns.join(','),
  };
}

/** The filter of the pages that a figure counts, as in mart.crawl_segments. */
export const FIGURE_PAGES = {
  pages: {},
  indexable_pages: { is_indexable: 'is:true' },
  error_pages: { status_code: ['gte:400', 'lt:600'] },
  redirect_pages: { status_code: ['gte:300', 'lt:400'] },
} as const;

export function pagesCommand(filter: PageFilter): string {
  const flags = (['project', ...NAMED] as const).flatMap((name) =>
    filter[name] === undefined ? [] : [`--${name} ${shellWord(filter[name])}`],
  );
  const columns = filter.conditions.map(
    ({ column, operator, value }) => `--filter ${shellWord(`${column}=${operator}:${value}`)}`,
  );
  const where = filter.where.map((condition) => `--where ${shellWord(condition)}`);
  const shown = filter.columns.map((column) => `--columns ${shellWord(column)}`);
  return ['crawlhouse pages', ...flags, ...columns, ...where, ...shown].join(' ');
}

/** @throws CrawlhouseError `usage` */
export function filterFlag(text: string): Condition {
  const [, column, condition] = /^([^=\s]+)=([\s\S]+)$/.exec(text) ?? [];
  if (column === undefined || condition === undefined)
    throw new CrawlhouseError('usage', `--filter: ${text} is not COLUMN=OPERATOR:VALUE`, {
      hint: `as in --filter depth=gte:4; operators: ${Object.keys(OPERATORS).join(', ')}`,
    });
  return conditionOf(column, condition);
}
