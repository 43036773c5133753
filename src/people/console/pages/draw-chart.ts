import { answerChart, CHART_KINDS, type ChartPoint } from '../../../answers/report/answer-chart.ts';
import { countText } from '../../../core/amounts.ts';
import { type Html, html } from '../../../core/html.ts';
import { stringifyJson } from '../../../core/json.ts';
import { firstChart, isNumber, isTime } from '../desk/column-types.ts';
import { askFields } from '../layout/ask-address.ts';
import type { AskDocument } from './ask-document.ts';

const OF_CHARTS = ['chart', 'x', 'y', 'colour'];

/** The chart of an answer, and the form that chooses it; nothing where it has no numbers. */
export function drawChart({ columns, rows, chart }: AskDocument, query: URLSearchParams): Html | null {
  const chosen = chart ?? firstChart(columns, rows);
  if (chosen === null) return null;
  const select = (name: string, label: string, value: string | null, options: readonly string[]): Html =>
    html`<label>${label} <select name="${name}">${options.map(
      (one) =>
        html`<option value="${one}"${one === (value ?? '') ? html` selected` : null}>${one || '–'}</option>`,
    )}</select></label>`;
  const names = columns.map(({ name }) => name);
  const numbers = columns.filter(({ type }) => isNumber(type)).map(({ name }) => name);
  const fields = askFields(query).filter(([key]) => !OF_CHARTS.includes(key));
  return html`<form method="get" action="/ask#answer" class="choose">
${fields.map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`)}
${select('chart', 'Chart', chosen.kind, CHART_KINDS)}
${select('x', 'x', chosen.x, names)}
${select('y', 'y', chosen.y, ['', ...numbers])}
${select('colour', 'Colour', chosen.colour, ['', ...names])}
<button type="submit">Draw</button>
</form>
${chart === null ? null : figure(chart, columns)}`;
}

function figure(chart: NonNullable<AskDocument['chart']>, columns: AskDocument['columns']): Html {
  const { kind, x, y, colour, points, cut, problem } = chart;
  if (problem !== null) return html`<p class="notice">${problem}</p>`;
  const type = columns.find(({ name }) => name === x)?.type ?? '';
  const drawn = points.map(
    (row): ChartPoint => ({
      x: kind === 'bar' ? textOf(row[0]) : placeOf(row[0], type),
      y: row[1] === null ? null : numberOf(row[1]),
      colour: colour === null ? null : textOf(row[2]),
    }),
  );
  const what = kind === 'histogram' ? `Rows by ${x}` : `${y} by ${x}`;
  return html`<figure class="drawn"><figcaption>${what}</figcaption>
${cut ? html`<p class="facts">The chart has the first ${countText(points.length)} rows; there are more.</p>` : null}
<div class="scroll" tabindex="0" role="region" aria-label="Chart">${answerChart(kind, drawn, { x, y, colour })}</div></figure>`;
}

function placeOf(value: unknown, type: string): number | Date | null {
  if (value === null) return null;
  if (!isTime(type)) return numberOf(value);
  const at = new Date(String(value));
  return Number.isNaN(at.getTime()) ? null : at;
}

/** A chart may round what a table may not. */
function numberOf(value: unknown): number {
  return Number(stringifyJson(value));
}

function textOf(value: unknown): string | null {
  return value === null || typeof value === 'string' ? value : stringifyJson(value);
}
