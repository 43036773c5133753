import { type Html, html } from '../../../core/text/html.ts';
import { columnName } from './value-text.ts';

/** A column of a table. The first column names the row. */
export interface TableColumn<T> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly href?: string | null;
  readonly order?: 'ascending' | 'descending';
  /** Null and undefined are shown as a dash, unlike an empty text. */
  readonly cell: (row: T) => Html | string | number | null | undefined;
}

/**
 * Renders a table that scrolls within its box and shows rows as cards on a phone. If there are no rows, renders the
 * empty text.
 */
export function table<T>(
  label: string,
  columns: readonly TableColumn<T>[],
  rows: readonly T[],
  empty: Html | string,
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const kind = ({ isNumber }: TableColumn<T>): Html | null => (isNumber ? html` class="number"` : null);
  const head = (column: TableColumn<T>): Html => {
    const { name, href, order } = column;
    const sign =
      order === undefined
        ? null
        : html` <span aria-hidden="true">${order === 'ascending' ? '▲' : '▼'}</span>`;
    return html`<th scope="col"${kind(column)}${order && html` aria-sort="${order}"`}>${href == null ? name : html`<a href="${href}">${name}</a>`}${sign}</th>`;
  };
  const line = (row: T): Html =>
    html`<tr>${columns.map((column, index) => {
      const value = column.cell(row) ?? '–';
      return index === 0
        ? html`<th scope="row"${kind(column)}>${value}</th>`
        : html`<td${kind(column)} data-name="${column.name}">${value}</td>`;
    })}</tr>\n`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table: ${label}"><table class="rows">
<thead><tr>${columns.map(head)}</tr></thead>
<tbody>${rows.map(line)}</tbody></table></div>
`;
}

/** Returns rows of an answer with readable column names; identifiers of crawls are omitted. */
export function rowsTable<Row extends Readonly<Record<string, unknown>>>(
  label: string,
  rows: readonly Row[],
  shown: (name: string, value: unknown) => Html | string | null,
  empty: string,
): Html {
  const names = Object.keys(rows[0] ?? {}).filter((name) => name !== 'crawl_id' && name !== 'main_id');
  const columns = names.map((name) => ({
    name: columnName(name),
    isNumber: rows.every((row) => isNumeric(row[name])),
    cell: (row: Row) => shown(name, row[name]),
  }));
  return table(label, columns, rows, empty);
}

export function isNumeric(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'bigint';
}
