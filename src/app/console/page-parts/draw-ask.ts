import { isNumber } from '../../../core/duckdb/type-families.ts';
import { counted, countText, durationText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { CHART_KINDS, type Chart } from '../../../etl/project/sql/questions/question-chart.ts';
import { TASKS } from '../../../etl/project/sql/questions/questions.ts';
import { answerChart } from '../../answers/presentation/charts/answer-chart.ts';
import { plainChart } from '../../answers/presentation/charts/chart-columns.ts';
import { chartFigures } from '../../answers/presentation/charts/chart-figures.ts';
import { isExplain } from '../../answers/query/read-only-statement.ts';
import { hasRole } from '../access/sessions.ts';
import { askAddress, askFields } from '../layout/ask-address.ts';
import { option } from '../layout/filter-form.ts';
import { shareForm } from '../layout/share-form.ts';
import { PAGE_ROWS } from '../readers/read-answer.ts';
import type { AskDocument } from './ask-document.ts';
import type { PageRequest } from './console-page.ts';
import { keepForm } from './keep-form.ts';

/** The downloads; the names of the formats are those of `query`. */
const DOWNLOADS = [
  ['csv', 'CSV'],
  ['csv', 'CSV with readable names', 'people'],
  ['csv', 'CSV for Excel', 'people', '1'],
  ['xlsx', 'Excel', 'people'],
  ['jsonl', 'JSON lines'],
  ['parquet', 'Parquet'],
] as const;

export function drawAsk(document: AskDocument, request: PageRequest): { title: string; body: Html } {
  const { question, ran, error } = document;
  const title = question?.title ?? 'Ask';
  // Without a statement, the questions come first.
  const isEmpty = question === null && document.sql === '';
  const isHeld = request.query.has('run') && !request.isOwn;
  const body = html`<h1>${title}</h1>
${question === null ? null : aboutQuestion(document, request)}
${isEmpty ? questionList(document, request) : null}
${document.scope.map((note) => html`<p class="notice">${note}</p>\n`)}${question === null && !mayRunSql(request) ? shownStatement(document) : statementForm(document, request)}
${isHeld ? html`<p class="notice">You came from another site, so nothing ran. ${question !== null || mayRunSql(request) ? 'Read the SQL, then select Run.' : 'Open this answer from its page in the console.'}</p>` : null}
${error === null ? null : errorNotice(error)}
${ran && error === null ? answer(document, request) : null}
${ran && error === null && question === null && request.may('POST /ask/keep') ? keep(document, request) : null}
${ran && error === null && request.may('POST /links') ? shareForm(request.query, question?.title ?? '', request.session.csrf) : null}
${isEmpty ? null : questionList(document, request)}`;
  return { title, body };
}

const mayRunSql = ({ session }: PageRequest): boolean => hasRole(session, 'analyst');

/** For viewers, in place of the editor. */
function shownStatement({ sql }: AskDocument): Html {
  return html`<p class="notice">Analysts can run SQL here. You can run the saved questions.</p>
${sql === '' ? null : html`<pre tabindex="0"><code>${sql}</code></pre>`}`;
}

function aboutQuestion({ question, sql }: AskDocument, request: PageRequest): Html {
  const edit = html` · <a href="/ask?edit=${encodeURIComponent(question?.name ?? '')}">Open in the editor</a>`;
  return html`<p class="facts"><a href="/ask">Ask</a> › <code>${question?.name}</code>, reads <code>${question?.model}</code></p>
<p class="prose">${question?.description}</p>
<details><summary>Its SQL</summary>
<p class="facts">${question?.file}${mayRunSql(request) ? edit : null}</p>
<pre tabindex="0"><code>${sql}</code></pre></details>`;
}

function statementForm(document: AskDocument, { session }: PageRequest): Html {
  const { question, sql, parameters, suggestions } = document;
  return html`<form method="post" action="/ask" class="ask">
<input type="hidden" name="csrf" value="${session.csrf}">
${
  question === null
    ? html`<label for="sql">SQL: one read-only statement</label>
<textarea id="sql" name="sql" rows="10" spellcheck="false" autocapitalize="off" autocomplete="off" required data-catalog="/ask/catalog.json">
${sql}</textarea>
<p id="sql-keys" class="facts" hidden>Ctrl+Enter runs it (on a Mac, ⌘+Enter). Tab indents; Escape, then Tab leaves the editor.</p>`
    : html`<input type="hidden" name="question" value="${question.name}">`
}
${parameters.length === 0 ? null : html`<div class="parameters">${parameters.map(field)}</div>`}
${Object.entries(suggestions).map(([name, values]) =>
  values.length === 0
    ? null
    : html`<datalist id="known-${name}">${values.map(
        ({ value, label }) => html`<option value="${value}">${label}</option>`,
      )}</datalist>`,
)}
<p><button type="submit" class="main">Run</button></p>
</form>`;
}

function field({
  name,
  type,
  default: standard,
  description,
  value,
}: AskDocument['parameters'][number]): Html {
  const id = `param-${name}`;
  const about = `${description} ${standard === null ? '' : `Without it: ${standard}.`}`.trim();
  const said = about === '' ? null : html`<small id="${id}-about">${about}</small>`;
  const described = about === '' ? null : html` aria-describedby="${id}-about"`;
  const input =
    type === 'BOOLEAN'
      ? html`<select id="${id}" name="param.${name}"${described}>${['', 'true', 'false'].map((one) =>
          option(one, value ?? ''),
        )}</select>`
      : html`<input id="${id}" name="param.${name}" value="${value}" autocomplete="off"${described}${
          type === 'DATE' ? html` type="date"` : null
        }${type === 'BIGINT' ? html` inputmode="numeric"` : null} list="known-${name}" placeholder="${standard}">`;
  return html`<div><label for="${id}">${name}</label>${input}${said}</div>`;
}

function errorNotice({ code, message, hint, place }: NonNullable<AskDocument['error']>): Html {
  const title = code === 'query_limit' ? 'The query was stopped' : 'The query failed';
  return html`<div class="incident" role="alert"><h2>${title}</h2><p class="said">${message}</p>
${place === null ? null : html`<pre tabindex="0" aria-label="The place in the SQL">${place}</pre>`}
${hint === null ? null : html`<p>To do: ${hint}</p>`}</div>`;
}

function answer(document: AskDocument, { query }: PageRequest): Html {
  return html`<section id="answer" aria-labelledby="answer-title">
<h2 id="answer-title">Answer</h2>
<p class="facts">${rowsText(document)} · ${secondsText(document.seconds ?? 0)}</p>
${filterForm(document, query)}
${document.rows.length > 0 ? drawChart(document, query) : null}
${
  document.rows.length > 0
    ? answerTable(document, query)
    : html`<p class="notice">${query.has('filter') ? 'No row contains this text.' : (document.why ?? 'There are no rows.')}</p>`
}
${pager(document, query)}
<p class="facts">Download the whole answer: ${DOWNLOADS.map(
    ([format, name, names = null, bom = null], index) =>
      html`${index > 0 ? ', ' : ''}<a href="${askAddress(
        query,
        { format, names, bom, ...NOT_WHOLE },
        '/ask/download',
      )}" download>${name}</a>`,
  )}</p>
</section>`;
}

function keep({ sql }: AskDocument, { session }: PageRequest): Html {
  return html`<details><summary>Keep this as a question</summary>${keepForm(sql, session.csrf)}</details>`;
}

const OF_CHARTS = ['chart', 'x', 'y', 'colour'];
/** A download contains the whole answer in its own order. */
const NOT_WHOLE = Object.fromEntries(
  ['filter', 'in', 'sort', 'order', ...OF_CHARTS].map((key) => [key, null]),
);

function rowsText({ rows, page, total }: AskDocument): string {
  if (rows.length === 0) return 'No rows';
  const first = (page - 1) * PAGE_ROWS + 1;
  const last = first + rows.length - 1;
  if (total === rows.length) return counted(total, 'row');
  const shown = `Rows ${countText(first)} to ${countText(last)}`;
  return total === null ? `${shown} of more` : `${shown} of ${countText(total)}`;
}

function secondsText(seconds: number): string {
  return seconds < 0.05 ? 'less than 0.1 s' : durationText(seconds);
}

function filterForm({ columns }: AskDocument, query: URLSearchParams): Html {
  const within = query.get('in');
  const fields = askFields(query).filter(([key]) => key !== 'filter' && key !== 'in');
  return html`<form method="get" action="/ask#answer" class="choose">
${fields.map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`)}
<label>Rows with <input name="filter" value="${query.get('filter')}"></label>
<label>in <select name="in"><option value="">any column</option>${columns.map(({ name }) => option(name, within))}</select></label>
<button type="submit">Filter</button>
${query.has('filter') ? html`<a href="${askAddress(query, { filter: null, in: null })}#answer">All rows</a>` : null}
</form>`;
}

function pager({ page, more }: AskDocument, query: URLSearchParams): Html | null {
  if (page === 1 && !more) return null;
  const to = (number: number, name: string, rel: string) =>
    html`<a class="button" rel="${rel}" href="${askAddress(query, { page: number })}#answer">${name}</a>`;
  return html`<nav class="paging" aria-label="Pages of the answer">${page > 1 ? to(page - 1, 'Previous rows', 'prev') : null}
${more ? to(page + 1, 'Next rows', 'next') : null}</nav>`;
}

function questionList({ questions }: AskDocument, { query }: PageRequest): Html {
  const find = query.get('find');
  const tasks = Map.groupBy(questions, ({ task }) => task);
  return html`<section aria-labelledby="questions-title"><h2 id="questions-title">Saved questions</h2>
<form method="get" action="/ask#questions-title" role="search" aria-label="Saved questions" class="choose">
<label>Search <input type="search" name="find" value="${find}"></label> <button type="submit">Find</button>
${find ? html`<a href="/ask#questions-title">All questions</a>` : null}
</form>
${
  questions.length > 0
    ? html`<div class="subjects">${TASKS.map((task) => drawTask(task, tasks.get(task) ?? []))}</div>`
    : html`<p class="notice">${
        find ? 'No saved question matches.' : 'There are none yet: write one to sql/questions/NAME.sql.'
      }</p>`
}</section>`;
}

function drawTask(task: string, questions: AskDocument['questions']): Html | null {
  if (questions.length === 0) return null;
  return html`<div><h3>${task}</h3><ul>${questions.map(
    ({ name, title }) => html`<li><a href="/ask?question=${encodeURIComponent(name)}">${title}</a></li>`,
  )}</ul></div>`;
}

/** A longer text is cut on the page and can be opened. */
const LONG = 60;

/** Returns the rows of a page of an answer; a column's head sorts by it. */
function answerTable({ columns, rows, sql }: AskDocument, query: URLSearchParams): Html {
  const numeric = columns.map(({ type }) => isNumber(type));
  // The answer of an EXPLAIN cannot be sorted.
  const canSort = !isExplain(sql);
  return html`<div class="scroll answer" tabindex="0" role="region" aria-label="Rows of the answer"><table>
<thead><tr>${columns.map((column, index) =>
    head(column, numeric[index] ?? false, canSort ? query : null),
  )}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr>${row.map(
        (value, index) =>
          html`<td${numeric[index] ? html` class="number"` : null}>${cell(value, columns[index]?.type ?? '')}</td>`,
      )}</tr>
`,
  )}</tbody></table></div>`;
}

function head(
  { name, type }: AskDocument['columns'][number],
  numeric: boolean,
  query: URLSearchParams | null,
): Html {
  const kind = html`<small>${type}</small>`;
  const attributes = numeric ? html` class="number"` : null;
  if (query === null) return html`<th scope="col"${attributes}>${name} ${kind}</th>`;
  const now = query.get('sort') === name ? (query.get('order') === 'desc' ? 'desc' : 'asc') : null;
  const next = { asc: 'desc', desc: null, none: 'asc' }[now ?? 'none'];
  const href = askAddress(query, { sort: next === null ? null : name, order: next, page: null });
  const sorted = { asc: 'ascending', desc: 'descending', none: null }[now ?? 'none'];
  const mark = { asc: ' ▲', desc: ' ▼', none: '' }[now ?? 'none'];
  const will = next === null ? 'no order' : next === 'asc' ? 'order ascending' : 'order descending';
  return html`<th scope="col"${attributes}${sorted === null ? null : html` aria-sort="${sorted}"`}><a href="${href}#answer" title="${will}">${name}${mark}</a> ${kind}</th>`;
}

function cell(value: unknown, type: string): Html {
  if (value === null) return html`<span class="null" title="NULL">–</span>`;
  if (typeof value === 'string' && type.startsWith('TIMESTAMP') && value.endsWith('Z'))
    return html`<time datetime="${value}">${value.slice(0, -1).replace('T', ' ')}</time>`;
  const text = typeof value === 'string' ? value : stringifyJson(value);
  if (text.length <= LONG && !text.includes('\n')) return html`${text}`;
  return html`<details class="long"><summary>${text}</summary></details>`;
}

/** Returns the charts of an answer, and the form to choose others; empty without numbers. */
function drawChart({ columns, rows, chart }: AskDocument, query: URLSearchParams): Html | null {
  const chosen = chart ?? plainOf(columns, rows);
  if (chosen === null) return null;
  const select = (name: string, label: string, value: string | null, options: readonly string[]): Html =>
    html`<label>${label} <select name="${name}">${options.map((one) => option(one, value ?? '', one || '–'))}</select></label>`;
  const names = columns.map(({ name }) => name);
  const numbers = columns.filter(({ type }) => isNumber(type)).map(({ name }) => name);
  const fields = askFields(query).filter(([key]) => !OF_CHARTS.includes(key));
  const kinds = CHART_KINDS.filter((kind) => kind !== 'funnel' || chosen.kind === kind);
  return html`${chart === null ? null : figures(chart)}
<form method="get" action="/ask#answer" class="choose">
${fields.map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`)}
${select('chart', 'Chart', chosen.kind, kinds)}
${select('x', 'x', chosen.x, names)}
${select('y', 'y', chosen.y[0] ?? null, ['', ...numbers])}
${select('colour', 'Colour', chosen.colour, ['', ...names])}
<button type="submit">Draw</button>
</form>`;
}

function plainOf(columns: AskDocument['columns'], rows: AskDocument['rows']): Chart | null {
  return plainChart(
    columns.map(({ name, type }, index) => ({
      name,
      isNumber: isNumber(type),
      texts: rows.map((row) => (row[index] == null ? null : stringifyJson(row[index]))),
    })),
  );
}

function figures(chart: NonNullable<AskDocument['chart']>): Html {
  const { rows, cut, problem, notes } = chart;
  if (problem !== null) return html`<p class="notice">This is not drawn: ${problem}.</p>`;
  const { figures: all, more } = chartFigures(chart, rows);
  return html`${cut ? html`<p class="facts">The first ${countText(rows.length)} rows are drawn; there are more.</p>` : null}
<div class="charts">${all.map((figure) => {
    const caption = [figure.of, figure.title].filter(Boolean).join(': ');
    const own = notes.find(({ project }) => project === figure.project)?.list;
    const drawn = answerChart(chart, figure, own) ?? html`<p class="empty">There is no number to plot.</p>`;
    return html`<figure><figcaption>${caption}</figcaption>
${figure.cut === null ? null : html`<p class="facts">Drawn: ${figure.cut}.</p>`}
${figure.leftOut === null ? null : html`<p class="facts">${figure.leftOut}.</p>`}${drawn}</figure>`;
  })}</div>
${more === 0 ? null : html`<p class="facts">And ${countText(more)} more charts: choose a project or a segment.</p>`}`;
}
