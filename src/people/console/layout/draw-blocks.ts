import { pagesAddress } from '../../../answers/explore/pages/page-filter.ts';
import { lineChart } from '../../../answers/report/charts.ts';
import { sparkline } from '../../../answers/report/sparkline.ts';
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
  type Problems,
  plainValue,
  type Rest,
  shownValue,
  type Table,
  type TableRow,
  type Words,
} from '../../../project/model/shown/blocks.ts';
import { type Names, valueText } from '../../../project/model/shown/value-text.ts';
import { crawlName, crawlPath, projectPath, unitPath, urlPath, webLink } from './addresses.ts';
import { statusMark } from './status-mark.ts';
import { table } from './table.ts';
import { timeText } from './times.ts';

export function drawBlocks(blocks: readonly Block[]): Html {
  return html`${blocks.map(drawBlock)}`;
}

const TONES = { plain: 'facts', good: 'well', notice: 'notice' } as const;

function drawBlock(block: Block): Html | null {
  switch (block.is) {
    case 'section':
      return html`${block.title !== null && html`<h2>${block.title}</h2>\n`}${drawBlocks(block.blocks)}`;
    case 'line':
      return html`<p class="${TONES[block.tone]}">${drawWords(block.words)}</p>\n`;
    case 'facts':
      return html`${block.title !== null && html`<h2>${block.title}</h2>\n`}<dl class="facts-list">${block.facts.map(
        ([name, value]) => html`<dt>${name}</dt><dd>${drawCell(value) ?? '–'}</dd>\n`,
      )}</dl>\n`;
    case 'table':
      return drawTable(block);
    case 'problems':
      return html`${block.problems.map(drawProblem)}`;
    case 'chosen':
      if (block.parts.length === 0) return null;
      return html`<p class="chips">${block.parts.map(
        ({ text, without }) =>
          html`<a class="chip" href="${addressOf(without)}" title="without this">${text} <span aria-hidden="true">×</span><span class="unseen"> (take it away)</span></a> `,
      )}</p>\n`;
    case 'next':
      return html`<p class="facts">Next: <code>crawlhouse ${block.command}</code></p>\n`;
    case 'chart':
      return drawChart(block);
    case 'folded':
      return html`<details><summary>${block.title}</summary>${drawBlocks(block.blocks)}</details>\n`;
    case 'preview':
      return html`<div class="result"><p class="facts">${block.address}</p>
<p class="title">${drawCell(block.title)}</p>
<p>${drawCell(block.text)}</p></div>\n`;
  }
}

function drawTable(block: Table): Html {
  const columns = block.columns.flatMap(({ name, kind, sort, isForCommands }, index) => {
    const cell = (row: TableRow): Html | null => {
      const drawn = drawCell(row.cells[index] ?? null, kind);
      return index === 0 ? drawFirst(row, drawn, block.label) : drawn;
    };
    const order = sort && { href: addressOf(sort.link), ...(sort.now && { order: sort.now }) };
    return isForCommands ? [] : [{ name, ...order, isNumber: isFigure(block, index), cell }];
  });
  const causes =
    block.cause === null
      ? []
      : [{ name: block.cause, cell: ({ cause }: TableRow) => cause && drawWords(cause) }];
  return html`${block.rest && drawRest(block.rest, block.rows.length)}${table(block.label, [...columns, ...causes], block.rows, drawWords(block.empty))}`;
}

/** One panel of a table is open at a time, without a script. */
function drawFirst({ cells, isHead, panel }: TableRow, drawn: Html | null, label: string): Html | null {
  if (isHead) return html`<span class="head">${drawn}</span>`;
  if (!panel) return drawn;
  const name = String(plainValue(cells[0] ?? null));
  return html`<details class="beside" name="${label}"${panel.isOpen && html` open`}><summary>${drawn}</summary>
<div class="opened" tabindex="0" role="region" aria-label="${name}">${drawBlocks(panel.blocks)}</div></details>`;
}

function drawRest({ total, noun, address }: Rest, shown: number): Html | null {
  if (address === null || total === 0) return null;
  const part = shown < total ? `, the ${countText(shown)} that matter most first` : '';
  const file = (names: Names, text: string): Html =>
    html`<a href="${`${address}&names=${names}`}" download>${text}</a>`;
  return html`<p class="facts">${counted(total, noun)}${part}. All of them: ${file('people', 'CSV with names for people')}, ${file('columns', 'with those of the columns')}</p>\n`;
}

function drawChart({ label, table, lines }: DayChart): Html | null {
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
  return html`<figure>${lineChart(label, points, series)}<details><summary>The figures</summary>${drawTable(table)}</details></figure>\n`;
}

function drawProblem({ title, began, details, todo, isNotice }: Problems['problems'][number]): Html {
  return html`<article class="${isNotice ? 'notice' : 'incident'}">
<p><strong>${title}</strong></p>
${began !== undefined && html`<p class="facts">since ${began === null ? 'an unknown time' : html`${timeText(began)} UTC`}</p>`}
${details.length > 0 && html`<ul>${details.map((detail) => html`<li>${drawWords(detail)}</li>`)}</ul>`}
${todo !== null && html`<p><strong>To do:</strong> ${drawWords(todo)}</p>`}
</article>
`;
}

function drawWords(words: Words): Html {
  if (typeof words === 'string') return html`${words}`;
  return html`${words.map((word) => (typeof word === 'string' ? word : (drawCell(word) ?? 'not known')))}`;
}

/** Null for what is not known. */
function drawCell(cell: Cell, columnKind?: Kind): Html | null {
  if (isSentence(cell)) return drawWords(cell);
  const { trend, ...shown } = shownValue(cell, columnKind);
  const drawn = drawValue(shown);
  const line = trend && sparkline(trend.values, trend.label);
  return line && drawn ? html`${line} ${drawn}` : drawn;
}

function drawValue({ value, kind, link, tone }: ReturnType<typeof shownValue>): Html | null {
  if (value === null) return null;
  const text = valueText(value, kind);
  if (tone === 'before') return html`<del>${text}</del>`;
  if (tone === 'after') return html`<ins>${text}</ins>`;
  if (tone !== undefined) return html`<span class="${tone}">${text}</span>`;
  if (link) return drawLink(link, text);
  if (kind === 'status') return statusMark(text);
  if (kind === 'severity') return severityMark(text);
  if (kind === 'code') return html`<code>${text}</code>`;
  return kind === 'time' && text !== value ? timeText(String(value)) : html`${text}`;
}

/** A crawl has its name for people here; a terminal shows the identifier, which its commands take. */
function drawLink(link: Link, text: string): Html {
  switch (link.to) {
    case 'crawl':
      return html`<a href="${addressOf(link)}" title="${link.crawl_id}">${crawlName(link)}</a>`;
    case 'web':
      return webLink(link.address);
    default:
      return html`<a href="${addressOf(link)}">${text}</a>`;
  }
}

function addressOf(link: Link): string {
  switch (link.to) {
    case 'unit':
      return unitPath(link.unit);
    case 'run':
      return `/runs/${encodeURIComponent(link.run_id)}`;
    case 'project':
      return projectPath(link.project_id);
    case 'url':
      return urlPath(link.project_id, link.url, link.crawl_id);
    case 'web':
      return link.address;
    case 'pages':
      return pagesAddress(link.project_id, link.parts);
    case 'crawl':
      return crawlPath(link.crawl_id);
  }
}

export function severityMark(severity: string): Html {
  const kind = severity === 'high' ? 'bad' : severity === 'medium' ? 'warn' : 'plain';
  return html`<span class="${kind}">${severity}</span>`;
}
