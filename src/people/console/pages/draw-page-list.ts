import { conditionWords } from '../../../answers/explore/pages/page-conditions.ts';
import {
  CHANGES_OF_ISSUE,
  conditionKey,
  OPERATORS,
  type Operator,
  pagesAddress,
} from '../../../answers/explore/pages/page-filter.ts';
import { isDimension } from '../../../answers/query/result/chart-columns.ts';
import { isNumber } from '../../../core/duckdb/column-types.ts';
import { countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { PAGE_ROWS } from '../desk/read-answer.ts';
import { urlLink, withQuery } from '../layout/addresses.ts';
import { filterForm } from '../layout/filter-form.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { severityMark } from '../layout/severity-mark.ts';
import { type TableColumn, table } from '../layout/table.ts';
import { timeText } from '../layout/times.ts';
import type { PageRequest } from './page.ts';
import { type PageList, withAdded } from './page-list-document.ts';

const DOWNLOADS = ['csv', 'parquet', 'jsonl'] as const;
const FORMATS = { csv: 'CSV', parquet: 'Parquet', jsonl: 'JSON lines' } as const;
/** Columns that say what to look at first. */
const SORTS = ['inrank_decimal desc', 'priority desc', 'clicks desc', 'nb_inlinks desc', 'depth', 'url'];

export function drawPageList(
  document: PageList,
  request: PageRequest,
): { readonly title: string; readonly body: Html } {
  const query = withAdded(request.query);
  const path = pagesAddress(document.project_id, {});
  return {
    title: `Pages of ${document.project_name}`,
    body: html`<h1>${document.project_name}</h1>
${projectTabs(document.project_id, 'pages')}
<h2>${heading(document, query)}</h2>
<p class="facts">In the crawl of ${timeText(document.ended_at)} UTC${
      document.since === null ? null : html`, compared with ${crawlTime(document, document.since)}`
    }. ${chips(document, path, query)}</p>
${aboutIssue(document.issue)}
${choices(document, path, query)}
${rowsOf(document, path, query)}
${pager(document, path, query)}
${ways(document)}
`,
  };
}

function heading({ total, rows, page, issue }: PageList, query: URLSearchParams): Html {
  const change = query.get('change');
  const having = issue === null ? null : ` with ${lowerFirst(issue.title)}`;
  const [one, which] = [html`page${having}`, html`pages${having}`];
  const how = change === null ? null : `, ${changeWords(change)}`;
  if (total !== null) return html`${countText(total)} ${Number(total) === 1 ? one : which}${how}`;
  const least = (page - 1) * PAGE_ROWS + rows.length;
  return html`More than ${countText(least)} ${which}${how}`;
}

/** A change of a column goes both ways: of `is_indexable`, pages became indexable, or stopped being so. */
function changeWords(change: string): string {
  const isWhole = [...CHANGES_OF_ISSUE, 'added', 'removed', 'changed'].includes(change);
  return isWhole ? change : `changed in ${change}`;
}

function crawlTime({ choices }: PageList, crawl: string): Html {
  const known = choices.crawls.find((one) => one.crawl_id === crawl);
  return known === undefined ? html`<code>${crawl}</code>` : html`${timeText(known.ended_at)} UTC`;
}

/** Parts of a filter that mean nothing without another. */
const MEANT_WITH: Readonly<Record<string, readonly string[]>> = {
  issue: ['change', 'since'],
  change: ['since'],
  segment: ['segmentation'],
};

/** Each part of the filter, with the address of the list without it. */
function chips(document: PageList, path: string, query: URLSearchParams): Html {
  const without = (name: string, value?: string): string => {
    const next = new URLSearchParams(query);
    next.delete(name, value);
    for (const one of ['page', ...(lookUp(MEANT_WITH, name) ?? [])]) next.delete(one);
    return next.size === 0 ? path : `${path}?${next}`;
  };
  const named = ['segment', 'change'] as const;
  const parts = [
    ...(document.issue === null ? [] : [{ text: document.issue.title, href: without('issue') }]),
    ...named.flatMap((name) => {
      const value = query.get(name);
      const text = name === 'change' ? changeWords(value ?? '') : `${name} ${value}`;
      return value ? [{ text, href: without(name) }] : [];
    }),
    ...document.conditions.map((one) => ({
      text: conditionWords({ ...one, operator: one.operator as Operator }),
      href: without(
        conditionKey(one.column),
        query
          .getAll(conditionKey(one.column))
          .find((text) => [`${one.operator}:${one.value}`, one.value].includes(text)),
      ),
    })),
    ...document.where.map((one) => ({ text: one, href: without('where', one) })),
  ];
  if (parts.length === 0) return html`All pages that the crawl knows.`;
  return html`<span class="chips">${parts.map(
    ({ text, href }) =>
      html`<a class="chip" href="${href}" title="without this">${text} <span aria-hidden="true">×</span><span class="unseen"> (take it away)</span></a> `,
  )}</span>`;
}

function aboutIssue(issue: PageList['issue']): Html | null {
  if (issue === null) return null;
  return html`<div class="about"><p>${severityMark(issue.severity)} ${issue.why_it_matters}</p>
<p><strong>To do:</strong> ${issue.fix}.</p>
<p class="facts">A page has it when: ${issue.definition} <a href="${issue.source}" rel="noreferrer">Source</a></p></div>`;
}

function choices(document: PageList, path: string, query: URLSearchParams): Html {
  const { crawls, segments, issues, columns } = document.choices;
  const shown = new Set(document.columns.map(({ name }) => name));
  return html`<details class="filter"${query.size === 0 ? html` open` : null}><summary>Filter and columns</summary>
${filterForm(path, query, [
  {
    name: 'crawl',
    label: 'crawl',
    any: 'the latest',
    options: crawls.map(({ crawl_id, ended_at }) => ({
      value: crawl_id,
      text: ended_at === null ? crawl_id : ended_at.slice(0, 16).replace('T', ' '),
    })),
  },
  {
    name: 'issue',
    label: 'issue',
    any: 'any page',
    options: issues.map(({ issue, title }) => ({ value: issue, text: title })),
  },
  ...(segments.length === 0
    ? []
    : [
        {
          name: 'segment',
          label: 'segment',
          any: 'all pages',
          options: segments
            .filter(({ segmentation }) => [null, '', segmentation].includes(query.get('segmentation')))
            .map(({ segmentation, segment }) => ({
              value: segment,
              text: segmentation === '(directory)' ? segment : `${segmentation}: ${segment}`,
            })),
        },
      ]),
  { name: 'column', label: 'column', any: '–', options: columns.map(({ name }) => name) },
  {
    name: 'operator',
    label: 'how',
    any: null,
    options: Object.entries(OPERATORS).map(([value, text]) => ({
      value,
      text: value === 'is' ? 'is (null, not_null, true, false)' : text,
    })),
  },
  { name: 'value', label: 'value' },
  { name: 'sort', label: 'first', any: 'most inrank', options: sorts(query) },
])}
${filterForm(path, query, [
  {
    name: 'columns',
    label: 'one more column',
    any: '–',
    options: columns
      .filter(({ name }) => !shown.has(name))
      .map(({ name }) => ({
        value: [query.get('columns'), name].filter(Boolean).join(','),
        text: name,
      })),
  },
])}</details>`;
}

function sorts(query: URLSearchParams): readonly string[] {
  const now = query.get('sort');
  return now === null || SORTS.includes(now) ? SORTS : [now, ...SORTS];
}

function rowsOf(document: PageList, path: string, query: URLSearchParams): Html {
  const { columns, rows, project_id, crawl_id, since } = document;
  const isGone = ['fixed', 'removed'].includes(query.get('change') ?? '');
  const crawl = isGone && since !== null ? since : crawl_id;
  const [, sorted = '', direction = 'asc'] = /^(\S+?)(?: (asc|desc))?$/.exec(query.get('sort') ?? '') ?? [];
  return table(
    'Pages',
    columns.map(({ name, type }, index): TableColumn<readonly unknown[]> => {
      const next = name === sorted && direction === 'asc' ? `${name} desc` : name;
      return {
        name: name.replaceAll('_', ' '),
        isNumber: isNumber(type),
        href: withQuery(path, query, { sort: next, page: null }),
        ...(name === sorted && { order: direction === 'desc' ? 'descending' : 'ascending' }),
        cell: (row) => {
          const value = row[index];
          if (name === 'url') return urlLink(project_id, String(value), crawl);
          return cell(value, name, type);
        },
      };
    }),
    rows,
    document.page > 1 ? 'There are no more pages.' : 'No page of this crawl is so.',
  );
}

function cell(value: unknown, name: string, type: string): Html | string | null {
  if (value === null) return null;
  if (typeof value === 'string' && type.startsWith('TIMESTAMP')) return timeText(value);
  const text = typeof value === 'string' ? value : stringifyJson(value);
  if (isNumber(type) && !isDimension(name) && /^-?\d+$/.test(text)) return countText(BigInt(text));
  return text;
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
  const files = (statement: string, name: string): Html =>
    html`${DOWNLOADS.map((format, index) => {
      const query = new URLSearchParams([['sql', statement], ...values, ['format', format], ['name', name]]);
      return html`${index > 0 ? ', ' : null}<a href="/ask/download?${String(query)}" download>${FORMATS[format]}</a>`;
    })}`;
  return html`<p class="facts">Download all of them: ${files(sql, fileName(document))}. In a terminal: <code>${command}</code></p>
${inlinks && html`<p class="facts">Download all links to them, for those who mend the pages that link: ${files(inlinks, `${fileName(document)}-inlinks`)}. In a terminal: <code>${command} --inlinks</code></p>`}
<details><summary>The SQL</summary><p><a href="/ask?${String(asked)}">Ask it</a></p>
<pre tabindex="0" role="region" aria-label="SQL of the list">${sql}</pre></details>`;
}

/** The site, the issue and the day: `shop.example-client_error-2026-11-22`. */
function fileName({ project_name, issue, ended_at }: PageList): string {
  return [project_name, issue?.issue ?? 'pages', ended_at?.slice(0, 10)].filter(Boolean).join('-');
}

/** `H1` stays as it is, `Client error` does not. */
const lowerFirst = (title: string): string =>
  /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
