import { plainChart } from '../../../answers/query/result/chart-columns.ts';
import { answerChart } from '../../../answers/report/answer-chart.ts';
import { isNumber } from '../../../core/duckdb/column-types.ts';
import { countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { chartFigures } from '../../../pipeline/transform/questions/chart-figures.ts';
import { CHART_KINDS, type Chart } from '../../../pipeline/transform/questions/question-chart.ts';
import { askFields } from '../layout/ask-address.ts';
import type { AskDocument } from './ask-document.ts';

const OF_CHARTS = ['chart', 'x', 'y', 'colour'];

/** The charts of an answer, and the form that chooses others; nothing where it has no numbers. */
export function drawChart({ columns, rows, chart }: AskDocument, query: URLSearchParams): Html | null {
  const chosen = chart ?? plainOf(columns, rows);
  if (chosen === null) return null;
  const select = (name: string, label: string, value: string | null, options: readonly string[]): Html =>
    html`<label>${label} <select name="${name}">${options.map(
      (one) =>
        html`<option value="${one}"${one === (value ?? '') ? html` selected` : null}>${one || '–'}</option>`,
    )}</select></label>`;
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
    const drawn = answerChart(chart, figure, own) ?? html`<p class="empty">There is no number to draw.</p>`;
    return html`<figure><figcaption>${caption}</figcaption>
${figure.cut === null ? null : html`<p class="facts">Drawn: ${figure.cut}.</p>`}
${figure.leftOut === null ? null : html`<p class="facts">${figure.leftOut}.</p>`}${drawn}</figure>`;
  })}</div>
${more === 0 ? null : html`<p class="facts">And ${countText(more)} more charts: choose a project or a segment.</p>`}`;
}
