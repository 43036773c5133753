import { counted, countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import {
  type Block,
  type Cell,
  type DayChart,
  isFigure,
  isSentence,
  type Kind,
  type Link,
  type Names,
  type Problems,
  plainValue,
  type Rest,
  shownIn,
  shownValue,
  type Table,
  type TableRow,
  type Words,
  withoutEmptyColumns,
} from './blocks.ts';
import { lineChart } from './charts/charts.ts';
import { sparkline } from './charts/sparkline.ts';
import { table } from './html-table.ts';
import { severityMark, statusMark, timeText, webLink } from './marks.ts';
import { columnName, crawlName, valueText } from './value-text.ts';

/** The address of a link in the printed HTML; null for no link. */
export type AddressOf = (link: Link) => string | null;

export function printHtml(blocks: readonly Block[], addressOf: AddressOf): Html {
  return html`${blocks.map((block) => drawBlock(block, addressOf))}`;
}

const TONES = { plain: 'facts', good: 'well', notice: 'notice' } as const;

function drawBlock(block: Block, addressOf: AddressOf): Html | null {
  switch (block.is) {
    case 'section':
      return html`${block.title !== null && html`<h2>${block.title}</h2>\n`}${printHtml(block.blocks, addressOf)}`;
    case 'line':
      return html`<p class="${TONES[block.tone]}">${drawWords(block.words, addressOf)}</p>\n`;
    case 'facts':
      return html`${block.title !== null && html`<h2>${block.title}</h2>\n`}<dl class="facts-list">${block.facts.map(
        ([name, value]) => html`<dt>${name}</dt><dd>${drawCell(value, addressOf) ?? '–'}</dd>\n`,
      )}</dl>\n`;
    case 'table':
      return drawTable(block, addressOf);
    case 'problems':
      return html`${block.problems.map((problem) => drawProblem(problem, addressOf))}`;
    case 'chosen':
      if (block.parts.length === 0) return null;
      return html`<p class="chips">${block.parts.map(
        ({ text, without }) =>
          html`<a class="chip" href="${addressOf(without)}" title="remove this filter">${text} <span aria-hidden="true">×</span><span class="unseen"> (remove)</span></a> `,
      )}</p>\n`;
    case 'next':
      return html`<p class="facts">Next: <code>crawlhouse ${block.command}</code></p>\n`;
    case 'chart':
      return drawChart(block, addressOf);
    case 'folded':
      return html`<details><summary>${block.title}</summary>${printHtml(block.blocks, addressOf)}</details>\n`;
    case 'preview':
      return html`<div class="result"><p class="facts">${block.address}</p>
<p class="title">${drawCell(block.title, addressOf)}</p>
<p>${drawCell(block.text, addressOf)}</p></div>\n`;
  }
}

function drawTable(whole: Table, addressOf: AddressOf): Html {
  const { table: block, empty } = withoutEmptyColumns(shownIn(whole, 'browser'));
  const called = (name: string): string => (block.names === 'columns' ? columnName(name) : name);
  const unknown = block.unknown === null ? null : html`<span class="unknown">${block.unknown}</span>`;
  const columns = block.columns.map(({ name, kind, sort }, index) => {
    const cell = (row: TableRow): Html | null => {
      const drawn = drawCell(row.cells[index] ?? null, addressOf, kind) ?? unknown;
      return index === 0 ? drawFirst(row, drawn, { label: block.label, addressOf }) : drawn;
    };
    const order = sort && { href: addressOf(sort.link), ...(sort.now && { order: sort.now }) };
    return { name: called(name), ...order, isNumber: isFigure(block, index), cell };
  });
  const causes =
    block.cause === null || block.rows.every(({ cause }) => cause === null)
      ? []
      : [
          {
            name: block.cause,
            cell: ({ cause }: TableRow) => (cause === null ? html`` : drawWords(cause, addressOf)),
          },
        ];
  return html`${block.rest && drawRest(block.rest, block.rows.length)}${table(block.label, [...columns, ...causes], block.rows, drawWords(block.empty, addressOf))}${
    empty.length > 0 &&
    html`<p class="facts">Without a value in these rows: ${empty.map(called).join(', ')}.</p>\n`
  }`;
}

/** One panel of a table is open at a time, without a script. */
function drawFirst(
  { cells, isHead, panel, below }: TableRow,
  drawn: Html | null,
  { label, addressOf }: { readonly label: string; readonly addressOf: AddressOf },
): Html | null {
  if (isHead) return html`<span class="head">${drawn}</span>`;
  const lines = below?.map((one) => html`\n<p>${drawCell(one, addressOf)}</p>`);
  const shown = lines ? html`${drawn}${lines}` : drawn;
  if (!panel) return shown;
  const name = String(plainValue(cells[0] ?? null));
  return html`<details class="beside" name="${label}"${panel.isOpen && html` open`}><summary>${shown}</summary>
<div class="opened" tabindex="0" role="region" aria-label="${name}">${printHtml(panel.blocks, addressOf)}</div></details>`;
}

function drawRest({ total, noun, address }: Rest, shown: number): Html | null {
  if (address === null || total === 0) return null;
  const part = shown < total ? `, the ${countText(shown)} most important first` : '';
  const file = (names: Names, text: string): Html =>
    html`<a href="${`${address}&names=${names}`}" download>${text}</a>`;
  return html`<p class="facts">${counted(total, noun)}${part}. Download all: ${file('people', 'CSV with readable names')}, ${file('columns', 'with SQL names')}</p>\n`;
}

function drawChart({ label, table, lines }: DayChart, addressOf: AddressOf): Html | null {
  if (table.rows.length === 0) return null;
  const points = table.rows.map((row) => ({
    row,
    ended_at: `${plainValue(row.cells[0] ?? null)}T00:00:00.000Z`,
  }));
  const series = lines.map((name) => {
    const index = table.columns.findIndex((column) => column.name === name);
    const value = ({ row }: { readonly row: TableRow }): number | null => {
      const found = plainValue(row.cells[index] ?? null);
      return found === null ? null : Number(found);
    };
    return { name, value };
  });
  return html`<figure>${lineChart(label, points, series)}<details><summary>The figures</summary>${drawTable(table, addressOf)}</details></figure>\n`;
}

function drawProblem(
  { title, began, details, todo, isNotice }: Problems['problems'][number],
  addressOf: AddressOf,
): Html {
  return html`<article class="${isNotice ? 'notice' : 'incident'}">
<p><strong>${title}</strong></p>
${began !== undefined && html`<p class="facts">since ${began === null ? 'an unknown time' : html`${timeText(began)} UTC`}</p>`}
${details.length > 0 && html`<ul>${details.map((detail) => html`<li>${drawWords(detail, addressOf)}</li>`)}</ul>`}
${todo !== null && html`<p><strong>To do:</strong> ${drawWords(todo, addressOf)}</p>`}
</article>
`;
}

function drawWords(words: Words, addressOf: AddressOf): Html {
  if (typeof words === 'string') return html`${words}`;
  return html`${words.map((word) => (typeof word === 'string' ? word : (drawCell(word, addressOf) ?? 'unknown')))}`;
}

function drawCell(cell: Cell, addressOf: AddressOf, columnKind?: Kind): Html | null {
  if (isSentence(cell)) return drawWords(cell, addressOf);
  const { trend, ...shown } = shownValue(cell, columnKind);
  const drawn = drawValue(shown, addressOf);
  const line = trend && sparkline(trend.values, trend.label);
  return line && drawn ? html`${line} ${drawn}` : drawn;
}

function drawValue(
  { value, kind, link, tone }: ReturnType<typeof shownValue>,
  addressOf: AddressOf,
): Html | null {
  if (value === null) return null;
  const text = valueText(value, kind);
  if (kind === 'weight')
    return html`<svg class="weight ${tone ?? 'plain'}" width="60" height="8" aria-hidden="true"><rect class="all" width="60" height="8" rx="4"/><rect width="${0.6 * Number(value)}" height="8" rx="4"/></svg> ${text}`;
  if (tone === 'before') return html`<del>${text}</del>`;
  if (tone === 'after') return html`<ins>${text}</ins>`;
  if (tone !== undefined) return html`<span class="${tone}">${text}</span>`;
  if (link) return drawLink(link, text, addressOf);
  if (kind === 'status') return statusMark(text);
  if (kind === 'severity') return severityMark(text);
  if (kind === 'code') return html`<code>${text}</code>`;
  return kind === 'time' && text !== value ? timeText(String(value)) : html`${text}`;
}

/** A crawl has its readable name here; a terminal shows the identifier, which commands accept. */
function drawLink(link: Link, text: string, addressOf: AddressOf): Html {
  const address = addressOf(link);
  if (address === null) return html`${text}`;
  switch (link.to) {
    case 'crawl':
      return html`<a href="${address}" title="${link.crawl_id}">${crawlName(link)}</a>`;
    case 'web':
      return webLink(address);
    default:
      return html`<a href="${address}">${text}</a>`;
  }
}
