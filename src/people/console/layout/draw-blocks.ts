import { type Html, html } from '../../../core/text/html.ts';
import {
  type Block,
  type Cell,
  isFigure,
  type Kind,
  type Link,
  type Problems,
  shownValue,
  type Table,
  type TableRow,
  type Words,
} from '../../../project/model/shown/blocks.ts';
import { valueText } from '../../../project/model/shown/value-text.ts';
import { crawlName, crawlPath, projectPath, unitPath } from './addresses.ts';
import { statusMark } from './status-mark.ts';
import { table } from './table.ts';
import { timeText } from './times.ts';

export function drawBlocks(blocks: readonly Block[]): Html {
  return html`${blocks.map(drawBlock)}`;
}

const TONES = { plain: 'facts', good: 'well', notice: 'notice' } as const;

function drawBlock(block: Block): Html {
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
    case 'next':
      return html`<p class="facts">Next: <code>crawlhouse ${block.command}</code></p>\n`;
  }
}

function drawTable(block: Table): Html {
  const columns = block.columns.map(({ name, kind }, index) => ({
    name,
    isNumber: isFigure(block, index),
    cell: ({ cells }: TableRow) => drawCell(cells[index] ?? null, kind),
  }));
  const causes =
    block.cause === null
      ? []
      : [{ name: block.cause, cell: ({ cause }: TableRow) => cause && drawWords(cause) }];
  return table(block.label, [...columns, ...causes], block.rows, drawWords(block.empty));
}

function drawProblem({ title, began, details, todo, isNotice }: Problems['problems'][number]): Html {
  return html`<article class="${isNotice ? 'notice' : 'incident'}">
<h3>${title}</h3>
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
  const { value, kind, link } = shownValue(cell, columnKind);
  if (value === null) return null;
  const text = valueText(value, kind);
  if (link) return drawLink(link, text);
  if (kind === 'status') return statusMark(text);
  if (kind === 'code') return html`<code>${text}</code>`;
  return kind === 'time' && text !== value ? timeText(String(value)) : html`${text}`;
}

/** A crawl has its name for people here; a terminal shows the identifier, which its commands take. */
function drawLink(link: Link, text: string): Html {
  switch (link.to) {
    case 'unit':
      return html`<a href="${unitPath(link.unit)}">${text}</a>`;
    case 'run':
      return html`<a href="/runs/${encodeURIComponent(link.run_id)}">${text}</a>`;
    case 'project':
      return html`<a href="${projectPath(link.project_id)}">${text}</a>`;
    case 'crawl':
      return html`<a href="${crawlPath(link.crawl_id)}" title="${link.crawl_id}">${crawlName(link)}</a>`;
  }
}
