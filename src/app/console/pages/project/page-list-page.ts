import { z } from 'zod';
import { text } from '../../../../core/duckdb/duckdb.ts';
import { countText } from '../../../../core/text/amounts.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { CRAWL_NAMES } from '../../../../etl/project/model/crawl-name.ts';
import { replaceParameters } from '../../../../etl/project/sql/questions/question-parameters.ts';
import { isPageChange } from '../../../answers/explore/compare/page-comparison.ts';
import { familyOf } from '../../../answers/explore/pages/page-conditions.ts';
import {
  conditionKey,
  FilteredIssue,
  filterOfQuery,
  isIssueChange,
  OPERATORS,
  pagesAddress,
  pagesCommand,
} from '../../../answers/explore/pages/page-filter.ts';
import type { PageStatement } from '../../../answers/explore/pages/page-statement.ts';
import { type ListedPages, pagesHead, pagesTable } from '../../../answers/explore/pages/pages-blocks.ts';
import type { Names } from '../../../answers/presentation/blocks.ts';
import { columnName, crawlName } from '../../../answers/presentation/value-text.ts';
import { recordsOf } from '../../../answers/query/warehouse.ts';
import { drawBlocks, withQuery } from '../../layout/addresses.ts';
import { filterForm } from '../../layout/filter-form.ts';
import { projectTabs } from '../../layout/project-tabs.ts';
import { shareForm } from '../../layout/share-form.ts';
import { Count } from '../../layout/unit-counts.ts';
import {
  chosenSegment,
  readSegments,
  Segments,
  segmentChoices,
  withSegment,
} from '../../page-parts/chosen-segment.ts';
import { type PageRequest, page } from '../../page-parts/console-page.ts';
import { newTicketForm } from '../../page-parts/tickets/ticket-form.ts';
import { PAGE_ROWS, readAnswer, readCount } from '../../readers/read-answer.ts';
import type { Readers } from '../../readers/readers.ts';
import { crawlsOf, ProjectCrawl } from './compare-page.ts';
import { boundParameters, listDownload, readPageStatement } from './list-download.ts';

const FORMATS = { csv: 'CSV', xlsx: 'Excel', parquet: 'Parquet', jsonl: 'JSON lines' } as const;
/** Columns that show what to look at first. */
const SORTS = ['inrank_decimal desc', 'priority desc', 'clicks desc', 'nb_inlinks desc', 'depth', 'url'];

const NamedIssue = z.strictObject({ issue: z.string(), title: z.string() });

export const PageList = z.strictObject({
  project_id: z.string(),
  project_name: z.string(),
  crawl_id: z.string(),
  crawl_number: z.number().nullable(),
  ended_at: z.string().nullable(),
  /** Why the crawl does not cover the whole site; null if it does. */
  scope_note: z.string().nullable(),
  /** The crawl that a change is compared with. */
  since: z.string().nullable(),
  issue: FilteredIssue.nullable(),
  conditions: z.array(z.unknown()),
  where: z.array(z.string()),
  columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.unknown())),
  page: z.number(),
  more: z.boolean(),
  /** Null: counting takes too long. */
  total: Count.nullable(),
  seconds: z.number(),
  sql: z.string(),
  /** A SELECT of all links to the pages, with the same parameters; null if the links of the crawl are not loaded. */
  inlinks: z.string().nullable(),
  parameters: z.record(z.string(), z.string().nullable()),
  command: z.string(),
  choices: z.strictObject({
    crawls: z.array(ProjectCrawl),
    segments: Segments,
    issues: z.array(NamedIssue),
    columns: z.array(z.strictObject({ name: z.string(), kind: z.string() })),
  }),
});
export type PageList = Typed<typeof PageList>;

export const PAGE_LIST = page<PageList>({
  path: '/projects/:project_id/pages',
  summary: 'The pages of a crawl that match a filter.',
  query: {
    crawl: `One of: ${CRAWL_NAMES} (default: the main crawl).`,
    issue: 'Only pages with this issue.',
    change:
      'Since the previous crawl: added, removed, moved, missing, unseen, changed (in any field) or a column; of an issue: new, fixed, missing, remaining or unseen.',
    since: 'The crawl that change compares with.',
    segment: 'Only pages of this first directory or segment, as in template:other.',
    segmentation: 'The segmentation, if segment is a name alone.',
    COLUMN: 'Only pages whose column meets a condition, as in depth=gte:4.',
    where: 'Only pages that meet this SQL condition.',
    sort: 'A column to sort by; COLUMN desc: largest first.',
    columns: 'More columns to show, separated by commas.',
    page: 'The page of 100 rows, from 1.',
  },
  schema: PageList,
  async read({ path, query }, readers, signal) {
    const project_id = path.project_id ?? '';
    const asked = withAdded(query);
    const filter = filterOfQuery(project_id, asked);
    const statement = await readPageStatement(readers, filter);
    const number = Number(asked.get('page') ?? 1);
    const view = {
      filter: null,
      sort: null,
      isCounted: true as const,
      part: statement.part,
      page: Number.isInteger(number) && number > 0 && number < 1e7 ? number : 1,
    };
    const parameters = boundParameters(statement.parameters);
    const asking = { question: null, sql: statement.sql, parameters };
    const key = `pages: ${JSON.stringify([asking, view.page])}`;
    const answer = await readers.onceAsked(key, signal, (until) =>
      readAnswer(readers.warehouse, asking, view, until),
    );
    const total = answer.total ?? (await totalOf(statement, readers, signal));
    const { crawl, since, issue, sql, inlinks, filter: named } = statement;
    return {
      project_id: crawl.project_id,
      project_name: crawl.project,
      crawl_id: crawl.crawl_id,
      ended_at: crawl.ended_at,
      crawl_number: crawl.crawl_number,
      scope_note: crawl.scope_note,
      since,
      issue,
      conditions: filter.conditions,
      where: filter.where,
      columns: answer.columns,
      rows: answer.rows,
      page: view.page,
      more: answer.more,
      total,
      seconds: answer.seconds,
      sql,
      inlinks,
      parameters: Object.fromEntries(statement.parameters),
      command: pagesCommand(named),
      choices: await choicesOf(statement, readers),
    };
  },
  draw: drawPageList,
});

/** Counts the pages of a list once, for each of its parts and orders. */
async function totalOf(
  { count, parameters }: PageStatement,
  readers: Readers,
  signal: AbortSignal,
): Promise<number | null> {
  const key = `number of pages: ${JSON.stringify([count, ...parameters])}`;
  const total = await readers.onceAsked(key, signal, (until) =>
    readCount(readers.warehouse, { sql: count, parameters }, until),
  );
  // A later request may count the pages in time.
  if (total === null) readers.forget(key);
  return total;
}

async function choicesOf({ crawl, types }: PageStatement, readers: Readers): Promise<PageList['choices']> {
  const own = new Map([['crawl', crawl.crawl_id]]);
  const issues = await readers.rowsOnce(
    NamedIssue,
    `SELECT changes.issue, issues.title FROM mart.issue_changes AS changes
     JOIN mart.issues AS issues ON issues.issue = changes.issue
     WHERE changes.crawl_id = $crawl AND changes.pages > 0 ORDER BY issues.title`,
    own,
  );
  return {
    crawls: await crawlsOf(crawl.project_id, readers),
    segments: await readSegments(readers, crawl.crawl_id),
    issues,
    columns: [...types].map(([name, type]) => ({ name, kind: familyOf(type) })),
  };
}

/**
 * Returns the filter that a form sends: another condition arrives as three fields, and a change of an issue may arrive
 * without its issue.
 */
export function withAdded(query: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(query);
  const [column, value] = [query.get('column'), query.get('value') ?? ''];
  for (const name of ['column', 'operator', 'value']) next.delete(name);
  if (column) {
    next.append(conditionKey(column), `${query.get('operator') || 'eq'}:${value}`);
  }
  const change = query.get('change') ?? '';
  if (!query.get('issue') && isIssueChange(change) && !isPageChange(change))
    for (const name of ['change', 'since']) next.delete(name);
  return next;
}

export function drawPageList(document: PageList, request: PageRequest) {
  const added = withAdded(request.query);
  const query = withSegment(added, chosenSegment(document.choices.segments, added));
  const path = pagesAddress(document.project_id, {});
  const list = listOf(document, query);
  return {
    title: `Pages of ${document.project_name}`,
    body: html`<h1>${document.project_name}</h1>
${projectTabs(document.project_id, 'pages')}
${drawBlocks([pagesHead(list)])}
${choices(document, path, query)}
${drawBlocks([pagesTable(list)])}
${pager(document, path, query)}
${ways(document, query)}
${request.may('POST /links') ? share(document, request) : null}
${ticketOf(document, query, request)}`,
  };
}

function listOf(document: PageList, query: URLSearchParams): ListedPages {
  const { project_id, project_name, crawl_id, crawl_number, ended_at, scope_note, since: id } = document;
  const { issue, columns, total, page, choices } = document;
  const known = choices.crawls.find((crawl) => crawl.crawl_id === id);
  return {
    crawl: { project: project_name, project_id, crawl_id, crawl_number, ended_at, scope_note },
    since: id === null ? null : (known ?? { crawl_id: id, crawl_number: null, ended_at: null }),
    filter: filterOfQuery(project_id, query),
    issue,
    columns,
    total,
    before: (page - 1) * PAGE_ROWS,
    rows: recordsOf(document),
  };
}

function choices(document: PageList, path: string, query: URLSearchParams): Html {
  const { crawls, segments, issues, columns } = document.choices;
  const shown = new Set(document.columns.map(({ name }) => name));
  const options = {
    crawl: crawls.map((crawl) => ({ value: crawl.crawl_id, text: crawlName(crawl) })),
    issue: issues.map(({ issue, title }) => ({ value: issue, text: title })),
    column: columns.map(({ name }) => ({ value: name, text: columnName(name) })),
    operator: Object.entries(OPERATORS).map(([value, text]) => {
      return { value, text: value === 'is' ? 'is (null, not_null, true, false)' : text };
    }),
  };
  const more = options.column
    .filter(({ value }) => !shown.has(value))
    .map(({ value, text }) => ({ value: [query.get('columns'), value].filter(Boolean).join(','), text }));
  return html`<details class="filter"${query.size === 0 ? html` open` : null}><summary>Filter and columns</summary>
${filterForm(path, query, [
  { name: 'crawl', label: 'crawl', any: 'the latest', options: options.crawl },
  { name: 'issue', label: 'issue', any: 'any page', options: options.issue },
  ...segmentChoices(segments),
  { name: 'column', label: 'column', any: '–', options: options.column },
  { name: 'operator', label: 'how', any: null, options: options.operator },
  { name: 'value', label: 'value' },
  { name: 'sort', label: 'sort by', any: 'highest link score', options: sorts(query) },
])}
${filterForm(path, query, [{ name: 'columns', label: 'add column', any: '–', options: more }])}</details>`;
}

function sorts(query: URLSearchParams) {
  const now = query.get('sort');
  return (now === null || SORTS.includes(now) ? SORTS : [now, ...SORTS]).map((value) => {
    const [column = '', direction] = value.split(' ');
    return { value, text: `${columnName(column)}${direction === 'desc' ? ', largest first' : ''}` };
  });
}

function pager({ page, more }: PageList, path: string, query: URLSearchParams): Html | null {
  if (page === 1 && !more) return null;
  const to = (number: number, text: string, rel: string): Html =>
    html`<a class="button" rel="${rel}" href="${withQuery(path, query, { page: number === 1 ? null : String(number) })}">${text}</a>`;
  return html`<nav class="paging" aria-label="Pages of the list">${page > 1 ? to(page - 1, 'Previous', 'prev') : null}
<span>page ${countText(page)}</span> ${more ? to(page + 1, 'Next', 'next') : null}</nav>`;
}

function ways(document: PageList, query: URLSearchParams): Html {
  const { project_id, crawl_id, sql, inlinks, parameters, command } = document;
  const values = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[`param.${name}`, value]],
  );
  const asked = new URLSearchParams([['sql', sql], ...values, ['run', '1']]);
  const list = new URLSearchParams(query);
  list.set('crawl', crawl_id);
  list.delete('page');
  const files = (what: { readonly name: string; readonly links?: string }): Html => {
    const file = (format: keyof typeof FORMATS, names: Names): Html =>
      html`<a href="${listDownload(project_id, list, { format, names, ...what })}" download>${FORMATS[format]}</a>`;
    return html`${file('csv', 'people')} or ${file('xlsx', 'people')} with the names on this page; with SQL names: ${file('csv', 'columns')}, ${file('parquet', 'columns')}, ${file('jsonl', 'columns')}`;
  };
  return html`<p class="facts">Download all pages: ${files({ name: fileName(document) })}. In a terminal: <code>${command}</code></p>
${inlinks && html`<p class="facts">Download all links to them, so you can fix the linking pages: ${files({ name: `${fileName(document)}-inlinks`, links: '1' })}. In a terminal: <code>${command} --inlinks</code></p>`}
<details><summary>The SQL</summary><p>Analysts can <a href="/ask?${String(asked)}">open it in Ask</a>.</p>
<pre tabindex="0" role="region" aria-label="SQL of the list">${sql}</pre></details>`;
}

/**
 * Draws the form for sharing the list. A link without a chosen crawl or change shows the main crawl at the time of each
 * request.
 */
function share({ sql, parameters, project_name, project_id, issue }: PageList, request: PageRequest): Html {
  const { query, session } = request;
  const isPinned = ['crawl', 'change', 'since'].some((name) => query.get(name));
  const main = `(SELECT crawl_id FROM mart.crawls WHERE is_main AND project_id = ${text(project_id)})`;
  const own = isPinned ? sql : replaceParameters(sql, (name) => (name === 'crawl' ? main : `$${name}`));
  const asked = new URLSearchParams({ sql: own });
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && (isPinned || name !== 'crawl')) asked.set(`param.${name}`, value);
  return shareForm(asked, `${project_name}: ${issue?.title ?? 'pages'}`, session.csrf);
}

/** For those who may make tickets, the form of a ticket with the listed pages, which have an issue. */
function ticketOf(
  { project_id, crawl_id, issue }: PageList,
  query: URLSearchParams,
  request: PageRequest,
): Html | null {
  if (issue === null || !request.may('POST /projects/:project_id/tickets') || query.get('change'))
    return null;
  const filter = new URLSearchParams(query);
  filter.set('crawl', crawl_id);
  for (const name of ['page', 'sort', 'columns']) filter.delete(name);
  const hidden = { issue: issue.issue, filter: String(filter) };
  return newTicketForm({ project: project_id, csrf: request.session.csrf, hidden });
}

/** Returns the site, the issue and the day: `shop.example-client_error-2026-11-22`. */
function fileName({ project_name, issue, ended_at }: PageList): string {
  return [project_name, issue?.issue ?? 'pages', ended_at?.slice(0, 10)].filter(Boolean).join('-');
}
