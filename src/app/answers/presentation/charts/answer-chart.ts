import * as Plot from '@observablehq/plot';
import { counted, figureText } from '../../../../core/text/amounts.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import type { Chart } from '../../../../etl/project/sql/questions/question-chart.ts';
import { columnName } from '../value-text.ts';
import { barChart, funnelChart } from './bars.ts';
import { type Figure, type FigureSeries, isTimeText, UNKNOWN } from './chart-figures.ts';
import { chartKey, drawn, type Mark } from './chart-marks.ts';
import { timeNames } from './chart-words.ts';
import { type ChartNote, lineChart, noteMark, notesWithin, stackedChart } from './charts.ts';
import { coloursOf } from './palette.ts';
import { linePath, round } from './sparkline.ts';

/** Colors are not the only difference between lines. */
const DASHES = ['none', '6 3', '2 3', '8 3 2 3', '1 2'];
const SIZE = { height: 240, marginLeft: 56, marginRight: 40, marginTop: 24, marginBottom: 36 };
/** Beyond this number, dots would hide the line. */
const MOST_DOTS = 200;

/** Returns one chart of an answer, as its question declares it or a user chose it; null if there is no value. */
export function answerChart(chart: Chart, figure: Figure, notes: readonly ChartNote[] = []): Html | null {
  const { series, problem } = figure;
  if (problem !== null) return html`<p class="notice">No chart: ${problem}.</p>`;
  const label = [figure.title, figure.of].filter(Boolean).join(', ');
  const [first] = series;
  const named = (first?.points ?? []).map(({ x, y, colour }) => ({ name: textOf(x), value: y, colour }));
  if (chart.kind === 'funnel') return funnelChart(label, withoutColours(named));
  if (chart.kind === 'histogram') return barChart(label, withoutColours(named));
  if (chart.kind === 'bar')
    return chart.colour === null ? barChart(label, withoutColours(named)) : colouredBars(label, named);
  const isOverTime = series.every(({ points }) =>
    points.every(({ x }) => typeof x === 'string' && isTimeText(x)),
  );
  if (chart.kind === 'stacked')
    return isOverTime ? stacked(label, series, notes) : stackedBars(label, series);
  if (chart.kind === 'line' && chart.colour === null && isOverTime) return panels(label, series, notes);
  return plot(chart, label, series, isOverTime ? notes : null);
}

type Named = { readonly name: string; readonly value: number | null; readonly colour: string | null };

const withoutColours = (bars: readonly Named[]) => bars.map(({ name, value }) => ({ name, value }));

function colouredBars(label: string, bars: readonly Named[]): Html | null {
  const values = [...new Set(bars.map(({ colour }) => colour))];
  const colours = coloursOf(values.map((value) => (value === UNKNOWN ? null : value)));
  const paint = (value: string | null): string => colours[values.indexOf(value)] ?? '';
  const chart = barChart(
    label,
    bars.map((bar) => ({ ...bar, colour: paint(bar.colour) })),
  );
  return (
    chart && html`${chartKey(values.map((value) => ({ name: value ?? '–', colour: paint(value) })))}${chart}`
  );
}

/** Draws panels in which each series has one point per row of the answer. */
function panels(label: string, series: readonly FigureSeries[], notes: readonly ChartNote[]): Html | null {
  const places = (series[0]?.points ?? []).map(({ x }, place) => ({ ended_at: isoOf(x), place }));
  return lineChart(
    label,
    places,
    series.map(({ name, points }) => ({ name: name ?? '', value: ({ place }) => points[place]?.y ?? null })),
    notes,
  );
}

function stacked(label: string, series: readonly FigureSeries[], notes: readonly ChartNote[]): Html | null {
  const colours = paints(series);
  const parts = series.flatMap(({ name, points }) =>
    points.flatMap(({ x, y }) =>
      y === null ? [] : [{ ended_at: isoOf(x), crawl_id: '', name: name ?? '–', value: y }],
    ),
  );
  const entries = series.map(({ name }, place) => ({ name: name ?? '–', colour: colours[place] ?? '' }));
  return stackedChart(label, parts, entries, notes);
}

function paints(series: readonly FigureSeries[]): readonly string[] {
  // A single series has no name and needs no gray.
  if (series.length === 1) return coloursOf(['']);
  return coloursOf(series.map(({ name }) => (name === UNKNOWN ? null : name)));
}

/** Returns a bar per part: side by side, parts are easier to compare than stacked. */
function stackedBars(label: string, series: readonly FigureSeries[]): Html | null {
  return colouredBars(
    label,
    series.flatMap(({ name, points }) =>
      points.map(({ x, y }) => ({ name: textOf(x), value: y, colour: name })),
    ),
  );
}

/**
 * Plots lines or points on shared axes.
 *
 * @param notes null: x is not a time
 */
function plot(
  chart: Chart,
  label: string,
  series: readonly FigureSeries[],
  notes: readonly ChartNote[] | null,
): Html | null {
  const isOverTime = notes !== null;
  const at = (x: string | number | null): number | Date =>
    isOverTime ? new Date(String(x)) : x === null ? Number.NaN : Number(x);
  const known = series.map(({ name, points }) => ({
    name,
    points: points.filter(({ x, y }) => x !== null && y !== null && !Number.isNaN(Number(at(x)))),
  }));
  const all = known.flatMap(({ points }) => points);
  if (all.length === 0) return null;
  const colours = paints(known);
  const colourOf = (place: number): string => colours[place] ?? '';
  const isLine = chart.kind === 'line';
  const times = timeNames(all.map(({ x }) => isoOf(x)));
  const nameOf = (x: string | number | null): string => (isOverTime ? times.full(isoOf(x)) : textOf(x));
  const ys = all.map(({ y }) => y ?? 0);
  const drawing = drawn({
    label: `${label}: ${counted(all.length, 'point')}, from ${figureText(Math.min(...ys))} to ${figureText(Math.max(...ys))}`,
    options: {
      ...SIZE,
      x: { ...(isOverTime && { type: 'utc' as const }), label: columnName(chart.x ?? ''), nice: !isOverTime },
      y: { label: chart.y.map(columnName).join(', '), grid: true, nice: true },
      marks: [Plot.dot(all, { x: ({ x }) => at(x), y: 'y', opacity: 0 })],
    },
    under: ({ x, y }) =>
      html`${
        isLine
          ? known.map(
              ({ points }, place) =>
                html`<path d="${linePath(points.map((point) => ({ x: x(at(point.x)), y: y(point.y) })))}" fill="none" stroke="${colourOf(place)}" stroke-width="2" stroke-dasharray="${DASHES[place] ?? 'none'}"/>`,
            )
          : null
      }`,
    marks: ({ x, y }) => [
      ...notesWithin(
        notes ?? [],
        all.map((point) => ({ at: isoOf(point.x) })),
      ).map((note) => noteMark(note, x(new Date(note.date)), SIZE.height - SIZE.marginBottom)),
      ...(isLine && all.length > MOST_DOTS
        ? []
        : known.flatMap(({ name, points }, place) =>
            points.map((point): Mark => {
              const [cx, cy] = [round(x(at(point.x))), round(y(point.y))];
              return {
                shape: html`<circle class="near" cx="${cx}" cy="${cy}" r="8"/><circle cx="${cx}" cy="${cy}" r="3" fill="${colourOf(place)}" fill-opacity="${isLine ? 1 : 0.7}"/>`,
                x: cx,
                value: `${nameOf(point.x)}${name === null ? '' : `, ${name}`}: ${figureText(point.y ?? 0)}`,
              };
            }),
          )),
    ],
  });
  const key = known.map(({ name }, place) => ({ name: name ?? '–', colour: colourOf(place) }));
  return html`${chart.colour === null ? null : chartKey(key)}${drawing}`;
}

function isoOf(x: string | number | null): string {
  const at = new Date(String(x));
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

function textOf(x: string | number | null): string {
  if (x === null) return UNKNOWN;
  return typeof x === 'string' && isTimeText(x) ? x.slice(0, 16).replace('T', ' ') : String(x);
}
