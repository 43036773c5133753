import { z } from 'zod';
import { isPageChange } from '../../../answers/explore/compare/page-comparison.ts';
import { familyOf } from '../../../answers/explore/pages/page-conditions.ts';
import {
  conditionKey,
  filterOfQuery,
  isIssueChange,
  OPERATORS,
  pagesAddress,
  pagesCommand,
} from '../../../answers/explore/pages/page-filter.ts';
import {
  type FilteredIssue,
  type PageStatement,
  pageStatement,
} from '../../../answers/explore/pages/page-statement.ts';
import { type ListedPages, pagesHead, pagesTable } from '../../../answers/explore/pages/pages-blocks.ts';
import { recordsOf } from '../../../answers/query/warehouse.ts';
import { countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { CRAWL_NAMES } from '../../../project/model/crawl-name.ts';
import type { Names } from '../../../project/model/shown/blocks.ts';
import { columnName, crawlName } from '../../../project/model/shown/value-text.ts';
import type { Readers } from '../desk/desk.ts';
import { PAGE_ROWS, readAnswer } from '../desk/read-answer.ts';
import { drawBlocks, withQuery } from '../layout/addresses.ts';
import { Count } from '../layout/counts.ts';
import { filterForm } from '../layout/filter-form.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { type PageRequest, page } from '../page-parts/page.ts';
import {
  chosenSegment,
  readSegments,
  Segments,
  segmentChoices,
  withSegment,
} from '../page-parts/segments.ts';
import { crawlsOf, ProjectCrawl } from './compare.ts';

const FORMATS = { csv: 'CSV', parquet: 'Parquet', jsonl: 'JSON lines' } as const;
/** Columns that say what to look at first. */
const SORTS = ['inrank_decimal desc', 'priority desc', 'clicks desc', 'nb_inlinks desc', 'depth', 'url'];

const Row = z.record(z.string(), z.unknown());

const PageList = z.strictObject({
  ...{ project_id: z.string(), project_name: z.string() },
  ...{ crawl_id: z.string(), crawl_number: z.number().nullable(), ended_at: z.string().nullable() },
  /** Why the crawl does not cover the whole site; null where it does. */
  scope_note: z.string().nullable(),
  /** The crawl that a change is compared with. */
  since: z.string().nullable(),
  issue: (Row as unknown as z.ZodType<FilteredIssue>).nullable(),
  ...{ conditions: z.array(z.unknown()), where: z.array(z.string()) },
  columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
  ...{ rows: z.array(z.array(z.unknown())), page: z.number(), more: z.boolean() },
  /** Null: it takes longer to count them. */
  total: Count.nullable(),
  ...{ seconds: z.number(), sql: z.string() },
  /** A SELECT of all links to them, with the same parameters; null where the links of the crawl are not loaded. */
  inlinks: z.string().nullable(),
  ...{ parameters: z.record(z.string(), z.string().nullable()), command: z.string() },
  choices: z.strictObject({
    crawls: z.array(ProjectCrawl),
    segments: Segments,
    issues: z.array(z.strictObject({ issue: z.string(), title: z.string() })),
    columns: z.array(z.strictObject({ name: z.string(), kind: z.string() })),
  }),
});
export type PageList = z.infer<typeof PageList>;

export const PAGE_LIST = page<PageList>({
  path: '/projects/:project_id/pages',
  summary: 'The pages of a crawl that a filter lets through.',
  query: {
    crawl: `One of: ${CRAWL_NAMES}; without it, the main crawl.`,
    issue: 'Only pages with this issue.',
    change:
      'Since the previous crawl: added, removed, moved, missing, unseen, changed (in any field) or a column; of an issue: new, fixed, missing, remaining or unseen.',
    since: 'The crawl that change compares with.',
    segment: 'Only pages of this first directory or segment, as in template:other.',
    segmentation: 'The segmentation of a segment that is named alone.',
    COLUMN: 'Only pages whose column is so, as in depth=gte:4.',
    where: 'Only pages for which this condition in SQL holds.',
    sort: 'A column; COLUMN desc: the largest first.',
    columns: 'More columns to show, with commas between.',
    page: 'The page of 100 rows, from 1.',
  },
  schema: PageList,
  async read({ path, query }, desk, signal) {
    const project_id = path.project_id ?? '';
    const asked = withAdded(query);
    const filter = filterOfQuery(project_id, asked);
    const statement = await desk.readOnce(`pages: ${JSON.stringify(filter)}`, (warehouse, signal) =>
      pageStatement(warehouse, filter, signal),
    );
    const number = Number(asked.get('page') ?? 1);
    const view = {
      ...{ filter: null, sort: null, count: statement.count },
      page: Number.isInteger(number) && number > 0 && number < 1e7 ? number : 1,
    };
    const parameters = [...statement.parameters].map(([name, value]) => {
      return { name, type: 'text', default: null, description: '', value };
    });
    const asking = { question: null, sql: statement.sql, parameters };
    const key = `pages: ${JSON.stringify([asking, view.page])}`;
    const answer = await desk.onceAsked(key, signal, (until) =>
      readAnswer(desk.warehouse, asking, view, until),
    );
    // The rows may be counted in time when the page is asked for again.
    if (answer.total === null) desk.forget(key);
    const { crawl, since, issue, sql, inlinks, filter: named } = statement;
    return {
      project_id: crawl.project_id,
      project_name: crawl.project,
      crawl_id: crawl.crawl_id,
      ended_at: crawl.ended_at,
      ...{ crawl_number: crawl.crawl_number, scope_note: crawl.scope_note, since, issue },
      conditions: [...filter.conditions],
      where: [...filter.where],
      columns: [...answer.columns],
      rows: answer.rows.map((row) => [...row]),
      ...{ page: view.page, more: answer.more, total: answer.total, seconds: answer.seconds, sql, inlinks },
      parameters: Object.fromEntries(statement.parameters),
      command: pagesCommand(named),
      choices: await choicesOf(statement, desk),
    };
  },
  draw: drawPageList,
});

async function choicesOf({ crawl, types }: PageStatement, desk: Readers): Promise<PageList['choices']> {
  const own = new Map([['crawl', crawl.crawl_id]]);
  const issues = await desk.rowsOnce<PageList['choices']['issues'][number]>(
    `SELECT changes.issue, issues.title FROM mart.issue_changes AS changes
     JOIN mart.issues AS issues ON issues.issue = changes.issue
     WHERE changes.crawl_id = $crawl AND changes.pages > 0 ORDER BY issues.title`,
    own,
  );
  return {
    crawls: [...(await crawlsOf(crawl.project_id, desk))],
    segments: await readSegments(desk, crawl.crawl_id),
    issues,
    columns: [...types].map(([name, type]) => ({ name, kind: familyOf(type) })),
  };
}

/** What a form sends as a filter: one condition more comes as three fields, and a change of an issue may be without its issue. */
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
${ways(document)}
`,
  };
}

function listOf(document: PageList, query: URLSearchParams): ListedPages {
  const { project_id, project_name, crawl_id, crawl_number, ended_at, scope_note, since: id } = document;
  const { issue, columns, total, page, choices } = document;
  const known = choices.crawls.find((one) => one.crawl_id === id);
  return {
    crawl: { project: project_name, project_id, crawl_id, crawl_number, ended_at, scope_note },
    since: id === null ? null : (known ?? { crawl_id: id, crawl_number: null, ended_at: null }),
    filter: filterOfQuery(project_id, query),
    ...{ issue, columns, total, before: (page - 1) * PAGE_ROWS },
    rows: recordsOf(document),
  };
}

function choices(document: PageList, path: string, query: URLSearchParams): Html {
  const { crawls, segments, issues, columns } = document.choices;
  const shown = new Set(document.columns.map(({ name }) => name));
  const options = {
    crawl: crawls.map((one) => ({ value: one.crawl_id, text: crawlName(one) })),
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
  { name: 'sort', label: 'first', any: 'highest link score', options: sorts(query) },
])}
${filterForm(path, query, [{ name: 'columns', label: 'one more column', any: '–', options: more }])}</details>`;
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

/** Ways to these rows: a file, a command, a statement. */
function ways(document: PageList): Html {
  const { sql, inlinks, parameters, command } = document;
  const values = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[`param.${name}`, value]],
  );
  const asked = new URLSearchParams([['sql', sql], ...values, ['run', '1']]);
  const files = (statement: string, name: string): Html => {
    const file = (format: keyof typeof FORMATS, names: Names): Html => {
      const what = { sql: statement, format, names, name };
      const query = new URLSearchParams([...Object.entries(what), ...values]);
      return html`<a href="/ask/download?${String(query)}" download>${FORMATS[format]}</a>`;
    };
    return html`${file('csv', 'people')} with names as here, or with those of the columns ${file('csv', 'columns')}, ${file('parquet', 'columns')}, ${file('jsonl', 'columns')}`;
  };
  return html`<p class="facts">Download all of them: ${files(sql, fileName(document))}. In a terminal: <code>${command}</code></p>
${inlinks && html`<p class="facts">Download all links to them, for those who mend the pages that link: ${files(inlinks, `${fileName(document)}-inlinks`)}. In a terminal: <code>${command} --inlinks</code></p>`}
<details><summary>The SQL</summary><p><a href="/ask?${String(asked)}">Ask it</a></p>
<pre tabindex="0" role="region" aria-label="SQL of the list">${sql}</pre></details>`;
}

/** The site, the issue and the day: `shop.example-client_error-2026-11-22`. */
function fileName({ project_name, issue, ended_at }: PageList): string {
  return [project_name, issue?.issue ?? 'pages', ended_at?.slice(0, 10)].filter(Boolean).join('-');
}
