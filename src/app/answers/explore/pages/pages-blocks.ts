import { countText } from '../../../../core/text/amounts.ts';
import { stringifyJson } from '../../../../core/text/json.ts';
import {
  type Block,
  type Cell,
  type ColumnOf,
  type Kind,
  type Link,
  line,
  type Names,
  type Section,
  section,
  tableOf,
} from '../../presentation/blocks.ts';
import { reasonWords } from '../../presentation/reason-words.ts';
import { columnName, columnNames, numberText } from '../../presentation/value-text.ts';
import { type ComparedName, crawlCell } from '../compare/compared-crawls.ts';
import { scopeLines } from '../scope-lines.ts';
import { conditionWords, familyOf } from './page-conditions.ts';
import { ANY_FIELD, isOfColumn } from './page-differences.ts';
import {
  CHANGES_OF_BEFORE,
  type FilteredIssue,
  type PageFilter,
  pagesCommand,
  partsOfFilter,
} from './page-filter.ts';
import type { FilteredCrawl } from './page-statement.ts';

/** Some of the filtered pages, or some of the links to them. */
export interface ListedPages {
  readonly crawl: ComparedName & Pick<FilteredCrawl, 'project' | 'project_id' | 'scope_note'>;
  /** The crawl that a change is compared with. */
  readonly since: ComparedName | null;
  readonly filter: PageFilter;
  readonly issue: FilteredIssue | null;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The number of all rows; null: counting takes too long. */
  readonly total: number | bigint | null;
  /** The number of rows before these. */
  readonly before: number;
  readonly isLinks?: boolean;
}

/** Returns the head of the list: the number of pages, the crawl, the filter, and the meaning of the issue. */
export function pagesHead(list: ListedPages): Section {
  const { crawl, since, issue, filter } = list;
  const compared = since === null ? [] : [', compared with ', crawlCell(since)];
  return section(
    heading(list),
    line([`${crawl.project}, `, crawlCell(crawl), ...compared]),
    ...scopeLines(crawl.scope_note),
    { is: 'chosen', parts: chosen(list) },
    ...(issue === null ? [] : [meaning(issue, filter)]),
  );
}

function heading({ total, rows, before, issue, filter, isLinks = false }: ListedPages): string {
  const isOne = total !== null && Number(total) === 1;
  const having = issue === null ? '' : `: ${issue.title}`;
  const things = isLinks ? `${isOne ? 'link' : 'links'} to pages` : isOne ? 'page' : 'pages';
  const how = filter.change === undefined ? '' : `, ${changeWords(filter.change, filter.issue)}`;
  const count = total === null ? `More than ${countText(before + rows.length)}` : countText(total);
  return `${count} ${things}${having}${how}`;
}

/**
 * Returns the change as text. Changes of a boolean column have two directions: with `is_indexable`, pages became
 * indexable or non-indexable.
 */
function changeWords(change: string, issue: string | undefined): string {
  const isColumn = isOfColumn(issue, change) && change !== ANY_FIELD;
  return isColumn ? `changed in ${columnName(change)}` : change;
}

/** Each part of the filter, with the list without that part and without the parts that depend on it. */
function chosen({ crawl, filter, issue }: ListedPages) {
  const { change, segment, conditions, where } = filter;
  const part = (text: string, without: Partial<PageFilter>) => [
    { text, without: pagesLink(crawl, { ...filter, ...without }) },
  ];
  const apart = { change: undefined, since: undefined };
  return [
    ...(issue === null ? [] : part(issue.title, { issue: undefined, ...apart })),
    ...(segment === undefined
      ? []
      : part(`segment ${segment.replace('(directory):', '')}`, {
          segment: undefined,
          segmentation: undefined,
        })),
    ...(change === undefined ? [] : part(changeWords(change, filter.issue), apart)),
    ...conditions.flatMap((condition) =>
      part(conditionWords(condition), { conditions: conditions.filter((other) => other !== condition) }),
    ),
    ...where.flatMap((one) => part(one, { where: where.filter((other) => other !== one) })),
  ];
}

function pagesLink({ project_id }: ListedPages['crawl'], filter: PageFilter): Link {
  return { to: 'pages', project_id, parts: partsOfFilter(filter) };
}

function meaning(issue: FilteredIssue, { change }: PageFilter): Block {
  const { title, severity, why_it_matters: why, definition, source, fix } = issue;
  const rule = `A page has this issue when: ${definition} `;
  return {
    is: 'problems',
    problems: [
      {
        title: `${title} (${severity} severity)`,
        details: [why, [rule, { value: source, link: { to: 'web', address: source } }]],
        todo: change === 'fixed' || change === 'missing' ? null : `${fix}.`,
        isNotice: true,
      },
    ],
  };
}

/** Returns the rows; in a browser, a column's head sorts by it. */
export function pagesTable(list: ListedPages, called: Names = 'people'): Block {
  const { columns, rows, crawl, since, filter, total, before } = list;
  const names = columns.map(({ name }) => name);
  const heads = called === 'people' ? columnNames(names) : names;
  const { project_id } = crawl;
  const { crawl_id } = since !== null && CHANGES_OF_BEFORE.includes(filter.change ?? '') ? since : crawl;
  const link = (url: string): Cell => ({ value: url, link: { to: 'url', project_id, url, crawl_id } });
  const fits = list.isLinks ? 'No link leads to a page that matches' : 'No page matches';
  const asked = chosen(list).map(({ text }) => text);
  const none = `${fits} the whole filter: ${asked.join('; ')}. Remove a part of it to see more.`;
  const table = columns.map(({ name, type }, index): ColumnOf<ListedPages['rows'][number]> => {
    return {
      name: heads[index] ?? name,
      kind: kindOf(type),
      ...(list.isLinks ? {} : { sort: sortBy(name, list) }),
      isOptional: !isUrl(name) && !isAsked(name, filter),
      of: (row) => (isUrl(name) && row[name] != null ? link(String(row[name])) : cell(name, row[name])),
    };
  });
  const count = total === null ? rows.length : Number(total);
  return tableOf('Pages', table, rows, {
    empty: before > 0 ? 'There are no more pages.' : asked.length > 0 ? none : 'The crawl has no pages.',
    rest: {
      total: count,
      noun: 'page',
      first: rows.length,
      address: null,
      command: `${pagesCommand(filter)}${list.isLinks ? ' --inlinks' : ''} --limit ${count}`,
    },
    isCut: 'lifted',
  });
}

/** Columns that the person chose stay, even without values. */
const isAsked = (column: string, { columns, conditions, sort }: PageFilter): boolean =>
  columns.includes(column) ||
  conditions.some((condition) => condition.column === column) ||
  sort?.trim().split(/\s/, 1)[0] === column;

const isUrl = (column: string): boolean => column === 'url' || column === 'related_url';

function kindOf(type: string): Kind {
  const family = familyOf(type);
  return family === 'number' ? 'count' : family === 'time' ? 'time' : 'text';
}

function sortBy(column: string, { crawl, filter }: ListedPages) {
  const [, sorted, direction = 'asc'] = /^\s*(\S+?)(?:\s+(asc|desc))?\s*$/i.exec(filter.sort ?? '') ?? [];
  const isUp = direction.toLowerCase() === 'asc';
  const now = column !== sorted ? null : isUp ? 'ascending' : 'descending';
  const sort = now === 'ascending' ? `${column} desc` : column;
  return { link: pagesLink(crawl, { ...filter, sort }), now } as const;
}

function cell(column: string, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(column, value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (column === 'reason') return reasonWords(String(value));
  return typeof value === 'string' ? value : stringifyJson(value);
}
