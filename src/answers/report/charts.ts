import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { durationText } from '../../core/amounts.ts';
import { Html, html } from '../../core/html.ts';
import type { StatusPoint } from './read-site-report.ts';

const SIZE = { width: 640, height: 240, marginLeft: 56, marginBottom: 36 };
/** Ranges of HTTP statuses with their names and colours, which stand on a light and a dark page. */
export const STATUS_RANGES = [
  { range: 'ok', name: '2xx', colour: '#3f8f5f' },
  { range: 'redirect', name: '3xx', colour: '#c58a1a' },
  { range: 'client_error', name: '4xx', colour: '#cf4a3c' },
  { range: 'server_error', name: '5xx', colour: '#8a4fb5' },
  { range: null, name: 'no answer', colour: '#7d8794' },
] as const;
/** Of the first line, the second and so on. */
export const LINE_COLOURS = ['#2f6fc4', '#3f8f5f', '#cf4a3c', '#c58a1a', '#8a4fb5', '#7d8794'];

/** A crawl in a chart over time. */
interface CrawlPoint {
  /** ISO 8601, UTC. */
  readonly ended_at: string;
}

/** A line of a chart. */
export interface Series<T extends CrawlPoint> {
  readonly name: string;
  readonly value: (point: T) => number | null;
}

/** Lines over the ends of crawls, as SVG; a crawl without a value leaves a gap. Null without any value. */
export function lineChart<T extends CrawlPoint>(
  label: string,
  points: readonly T[],
  series: readonly Series<T>[],
): Html | null {
  const rows = series.flatMap(({ name, value }) =>
    points.map((point) => ({ at: new Date(point.ended_at), value: value(point), name })),
  );
  if (rows.every(({ value }) => value === null)) return null;
  const colours = { domain: series.map(({ name }) => name), range: LINE_COLOURS.slice(0, series.length) };
  return drawn(label, {
    color: colours,
    x: { type: 'utc', label: null },
    y: { grid: true, zero: true, label: null, tickFormat: 's', nice: true },
    marks: [
      Plot.ruleY([0], { strokeOpacity: 0.4 }),
      Plot.lineY(rows, { x: 'at', y: 'value', z: 'name', stroke: 'name', strokeWidth: 2 }),
      Plot.dot(
        rows.filter(({ value }) => value !== null),
        { x: 'at', y: 'value', fill: 'name', r: 3, title: titleOf },
      ),
    ],
  });
}

/** Pages by range of status, a bar for each crawl. Null without crawls. */
export function statusChart(label: string, points: readonly StatusPoint[]): Html | null {
  if (points.length === 0) return null;
  const names = new Map<string | null, string>(STATUS_RANGES.map(({ range, name }) => [range, name]));
  const entries = STATUS_RANGES.map(({ name, colour }) => ({ name, colour }));
  const rows = points.map(({ ended_at, crawl_id, status_code_range, pages }) => {
    const name = names.get(status_code_range) ?? status_code_range ?? 'no answer';
    return { ended_at, crawl_id, name, value: pages };
  });
  return stackedChart(label, rows, entries);
}

/** A part of the bar of a crawl. */
export interface StackedPart extends CrawlPoint {
  readonly crawl_id: string;
  readonly name: string;
  readonly value: number;
}

/** A bar for each crawl, in parts. Null without crawls. */
export function stackedChart(
  label: string,
  parts: readonly StackedPart[],
  entries: readonly { readonly name: string; readonly colour: string }[],
): Html | null {
  if (parts.length === 0) return null;
  const rows = parts.map(({ ended_at, crawl_id, ...part }) => ({
    crawl: `${ended_at} ${crawl_id}`,
    at: new Date(ended_at),
    ...part,
  }));
  return drawn(label, {
    color: { domain: entries.map(({ name }) => name), range: entries.map(({ colour }) => colour) },
    x: { type: 'band', label: null, tickFormat: (crawl: string) => crawl.slice(5, 10), tickRotate: -30 },
    y: { grid: true, label: null, tickFormat: 's' },
    marks: [
      Plot.barY(rows, { x: 'crawl', y: 'value', fill: 'name', order: 'name', title: titleOf }),
      Plot.ruleY([0], { strokeOpacity: 0.4 }),
    ],
  });
}

/** A bar for each named value, in the order given. Null without any value. */
export function barChart(
  label: string,
  bars: readonly { readonly name: string; readonly value: number | null }[],
): Html | null {
  const known = bars.filter(({ value }) => value !== null);
  if (known.length === 0) return null;
  return drawn(label, {
    x: { type: 'band', label: null, domain: bars.map(({ name }) => name) },
    y: { grid: true, zero: true, label: null, tickFormat: 's', nice: true },
    marks: [
      Plot.barY(known, {
        x: 'name',
        y: 'value',
        fill: LINE_COLOURS[0] ?? '',
        title: ({ name, value }) => `${name}: ${value}`,
      }),
      Plot.ruleY([0], { strokeOpacity: 0.4 }),
    ],
  });
}

function titleOf({ at, name, value }: { at: Date; name: string; value: number | null }): string {
  return `${at.toISOString().slice(0, 10)}, ${name}: ${value}`;
}

const RUN_COLOURS = {
  done: '#3f8f5f',
  partial: '#c58a1a',
  failed: '#cf4a3c',
  refused: '#cf4a3c',
  killed: '#8a4fb5',
  running: '#2f6fc4',
} as const;
const OTHER_RUN = '#7d8794';

/** The name and colour of each status of runs. */
export const RUN_STATUSES = [
  { name: 'done', colour: RUN_COLOURS.done },
  { name: 'partial', colour: RUN_COLOURS.partial },
  { name: 'failed, refused', colour: RUN_COLOURS.failed },
  { name: 'killed', colour: RUN_COLOURS.killed },
  { name: 'running', colour: RUN_COLOURS.running },
  { name: 'other', colour: OTHER_RUN },
];

/** A run, from its start; `seconds` so far where it goes on. */
export interface RunBar {
  readonly started_at: string;
  readonly seconds: number;
  readonly status: string;
}

/** A bar for each run where it began, as high as it took long. Null without runs. */
export function runsChart(label: string, runs: readonly RunBar[]): Html | null {
  if (runs.length === 0) return null;
  const longest = Math.max(...runs.map(({ seconds }) => seconds), 1);
  const rows = runs.map(({ started_at, seconds, status }) => ({
    at: new Date(started_at),
    // A run of a moment is seen too.
    seconds: Math.max(seconds, longest / 40),
    colour: RUN_COLOURS[status as keyof typeof RUN_COLOURS] ?? OTHER_RUN,
    title: `${started_at.slice(0, 16).replace('T', ' ')}, ${status}: ${durationText(seconds)}`,
  }));
  return drawn(label, {
    height: 160,
    x: { type: 'utc', label: null, insetLeft: 8, insetRight: 8 },
    y: {
      grid: true,
      zero: true,
      label: null,
      ticks: 4,
      tickFormat: (seconds: number) => (seconds === 0 ? '0' : durationText(seconds)),
    },
    marks: [
      Plot.ruleX(rows, { x: 'at', y: 'seconds', stroke: 'colour', strokeWidth: 6, title: 'title' }),
      Plot.ruleY([0], { strokeOpacity: 0.4 }),
    ],
  });
}

/** Names of colours, to stand above a chart. */
export function chartKey(entries: readonly { readonly name: string; readonly colour: string }[]): Html {
  return html`<ul class="legend">${entries.map(
    ({ name, colour }) =>
      html`<li><svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" fill="${colour}"/></svg> ${name}</li>`,
  )}</ul>`;
}

/** Without `style` attributes and elements, which a page may forbid: the style of the page has what they said. */
export function drawn(label: string, options: Plot.PlotOptions): Html {
  const { document } = parseHTML('<html></html>');
  const svg = Plot.plot({
    ...SIZE,
    className: 'chart',
    ...options,
    document: document as unknown as NonNullable<Plot.PlotOptions['document']>,
  });
  for (const style of svg.querySelectorAll('style')) style.remove();
  for (const element of [svg, ...svg.querySelectorAll('[style]')]) element.removeAttribute('style');
  svg.setAttribute('font-size', '13');
  // The label says what it is, and the table beside it what it shows.
  svg.setAttribute('aria-hidden', 'true');
  return html`<div role="img" aria-label="${label}">${new Html(svg.outerHTML)}</div>`;
}
