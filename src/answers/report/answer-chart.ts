import * as Plot from '@observablehq/plot';
import { counted } from '../../core/amounts.ts';
import { type Html, html } from '../../core/html.ts';
import { chartKey, drawn } from './charts.ts';

export const CHART_KINDS = ['line', 'bar', 'scatter', 'histogram'] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

/**
 * They stand on a light and a dark page by 3:1, and colour-blind people tell them apart (after Okabe and Ito); marks
 * and dashes differ too. What comes after them is grey.
 */
const COLOURS = ['#0072b2', '#d55e00', '#009470', '#b4608f'];
const OTHERS = '#7d8794';
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

/** What a chart says of its axes: the names of columns. */
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
  const isTime = points.some(({ x }) => x instanceof Date);
  const x = { label: names.x, ...(isTime && { type: 'utc' as const }) };
  const y = { label: names.y, grid: true, nice: true };
  const chart = {
    line: () => ({
      x,
      y,
      marks: [
        ...series.map((one, index) =>
          Plot.lineY(
            rows.filter(({ colour }) => colour === one),
            {
              ...{ x: 'x', y: 'y', stroke: COLOURS[index] ?? OTHERS, strokeWidth: 2 },
              strokeDasharray: DASHES[index] ?? 'none',
            },
          ),
        ),
        Plot.dot(rows.length > MOST_DOTS ? [] : rows, {
          x: 'x',
          y: 'y',
          fill: 'paint',
          r: 3,
          title: 'title',
        }),
      ],
    }),
    scatter: () => ({
      x: { ...x, grid: true, nice: true },
      y,
      marks: [Plot.dot(rows, { x: 'x', y: 'y', stroke: 'paint', symbol: 'symbol', r: 3, title: 'title' })],
      symbol: { type: 'identity' as const },
    }),
    histogram: () => ({
      x,
      y: { ...y, label: 'rows' },
      marks: [Plot.rectY(rows, Plot.binX({ y: 'count' }, BINS)), Plot.ruleY([0])],
    }),
    bar: () => {
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
  }[kind]();
  const others = series.length - COLOURS.length;
  const key =
    names.colour === null
      ? null
      : chartKey([
          ...series.slice(0, COLOURS.length).map((one, index) => ({
            name: one ?? '–',
            colour: COLOURS[index] ?? OTHERS,
          })),
          ...(others > 0 ? [{ name: counted(others, 'other'), colour: OTHERS }] : []),
        ]);
  return html`${key}${drawn(label, chart)}`;
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
