import { isExplain } from '../../../answers/query/read-only-statement.ts';
import { isNumber } from '../../../core/duckdb/column-types.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { askAddress } from '../layout/ask-address.ts';
import type { AskDocument } from './ask-document.ts';

/** A longer text is cut on the page, and opens. */
const LONG = 60;

/** The rows of a page of an answer; a column's head orders by it. */
export function answerTable({ columns, rows, sql }: AskDocument, query: URLSearchParams): Html {
  const numeric = columns.map(({ type }) => isNumber(type));
  // The answer of an EXPLAIN can't be ordered.
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
  const will = next === null ? 'as it came' : next === 'asc' ? 'order ascending' : 'order descending';
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
