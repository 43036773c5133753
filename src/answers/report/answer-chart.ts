import * as Plot from '@observablehq/plot';
import { counted } from '../../core/amounts.ts';
import { type Html, html } from '../../core/html.ts';
import { chartKey, drawn } from './chart-marks.ts';
import { OTHERS, SERIES_COLOURS } from './palette.ts';

export const CHART_KINDS = ['line', 'bar', 'scatter', 'histogram'] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

/** Marks and dashes differ as colours do. Further ones are grey. */
const COLOURS = SERIES_COLOURS.slice(0, 4);
const DASHES = ['none', '6 3', '2 3', '8 3 2 3'];
const SYMBOLS = ['circle', 'triangle', 'square', 'diamond'] as const;
/** More would hide the line. */
const MOST_DOTS = 200;
const LABEL_LENGTH = 28;
const BAR_HEIGHT = 22;

const BINS = { x: 'x', fill: 'paint' };

/** A row that is drawn. */
export interface ChartPoint {
  readonly x: number | Date | string | null;
  /** Null in a histogram, and where there is no value. */
  readonly y: number | null;
  readonly colour: string | null;
}

/** The labels of a chart's axes: the names of columns. */
export interface ChartNames {
  readonly x: string;
  readonly y: string | null;
  readonly colour: string | null;
}

/** Rows as a chart with the key of its colours. */
export function answerChart(kind: ChartKind, points: readonly ChartPoint[], names: ChartNames): Html {
  const series = [...new Set(points.map(({ colour }) => colour))];
  const place = (colour: string | null): number => series.indexOf(colour);
  const rows = points.map((point) => ({
    ...point,
    paint: COLOURS[place(point.colour)] ?? OTHERS,
    symbol: SYMBOLS[place(point.colour)] ?? 'cross',
    title: titleOf(point),
  }));
  const label = `${names.y ?? 'rows'} by ${names.x}, ${kind}`;
  const chart = CHARTS[kind]({ rows, series, names });
  return html`${names.colour === null ? null : keyOf(series)}${drawn({ label, options: chart })}`;
}

/** A point as it is drawn. */
interface DrawnPoint extends ChartPoint {
  readonly paint: string;
  readonly symbol: string;
  readonly title: string;
}

/** What a chart is drawn from. */
interface Drawing {
  readonly rows: readonly DrawnPoint[];
  /** Each has a colour. */
  readonly series: readonly (string | null)[];
  readonly names: ChartNames;
}

const CHARTS: Readonly<Record<ChartKind, (drawing: Drawing) => Plot.PlotOptions>> = {
  line: ({ rows, series, names }) => ({
    ...axes(rows, names),
    marks: [
      ...series.map((one, index) =>
        Plot.lineY(
          rows.filter(({ colour }) => colour === one),
          {
            x: 'x',
            y: 'y',
            stroke: COLOURS[index] ?? OTHERS,
            strokeWidth: 2,
            strokeDasharray: DASHES[index] ?? 'none',
          },
        ),
      ),
      Plot.dot(rows.length > MOST_DOTS ? [] : rows, { x: 'x', y: 'y', fill: 'paint', r: 3, title: 'title' }),
    ],
  }),
  scatter: ({ rows, names }) => {
    const { x, y } = axes(rows, names);
    return {
      x: { ...x, grid: true, nice: true },
      y,
      marks: [Plot.dot(rows, { x: 'x', y: 'y', stroke: 'paint', symbol: 'symbol', r: 3, title: 'title' })],
      symbol: { type: 'identity' as const },
    };
  },
  histogram: ({ rows, names }) => {
    const { x, y } = axes(rows, names);
    return {
      x,
      y: { ...y, label: 'rows' },
      marks: [Plot.rectY(rows, Plot.binX({ y: 'count' }, BINS)), Plot.ruleY([0])],
    };
  },
  bar: ({ rows, names }) => {
    const labels = rows.map((row) => ({ ...row, x: textOf(row.x) }));
    const domain = [...new Set(labels.map((row) => row.x))];
    return {
      height: 60 + BAR_HEIGHT * domain.length,
      marginLeft: 200,
      x: { label: names.y, grid: true },
      y: { label: null, domain, tickFormat: cut },
      marks: [Plot.barX(labels, { y: 'x', x: 'y', fill: 'paint', title: 'title' }), Plot.ruleX([0])],
    };
  },
};

function axes(rows: readonly ChartPoint[], names: ChartNames) {
  const isTime = rows.some(({ x }) => x instanceof Date);
  return {
    x: { label: names.x, ...(isTime && { type: 'utc' as const }) },
    y: { label: names.y, grid: true, nice: true },
  };
}

/** The key of the colours; those that have none of their own share a name. */
function keyOf(series: Drawing['series']): Html {
  const others = series.length - COLOURS.length;
  return chartKey([
    ...series.slice(0, COLOURS.length).map((one, index) => ({
      name: one ?? '–',
      colour: COLOURS[index] ?? OTHERS,
    })),
    ...(others > 0 ? [{ name: counted(others, 'other'), colour: OTHERS }] : []),
  ]);
}

function titleOf({ x, y, colour }: ChartPoint): string {
  return `${textOf(x)}${colour === null ? '' : `, ${colour}`}: ${y}`;
}

function textOf(x: ChartPoint['x']): string {
  if (x === null) return '–';
  return x instanceof Date ? x.toISOString().slice(0, 16).replace('T', ' ') : String(x);
}

function cut(text: string): string {
  return text.length > LABEL_LENGTH ? `${text.slice(0, LABEL_LENGTH - 1)}…` : text;
}
