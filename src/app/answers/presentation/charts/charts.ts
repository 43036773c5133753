import * as Plot from '@observablehq/plot';
import { z } from 'zod';
import { durationText, figureText, signedText } from '../../../../core/text/amounts.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { chartKey, drawn, type Mark, type Places, WIDTH } from './chart-marks.ts';
import { comparedText, numberAxis, type TimeNames, timeNames } from './chart-words.ts';
import { RUN_STATUSES, runColour, SERIES_COLOURS, STATUS_RANGES } from './palette.ts';
import { linePath, round } from './sparkline.ts';

/** Pages of one crawl with a range of statuses; null: without an answer. */
export const StatusPoint = z.object({
  crawl_id: z.string(),
  ended_at: z.string(),
  status_code_range: z.string().nullable(),
  pages: z.union([z.number(), z.bigint()]).meta({ wire: { type: 'integer' } }),
});
export type StatusPoint = Typed<typeof StatusPoint>;

const MARGINS = { marginTop: 20, marginRight: 40, marginLeft: 48 };
const PANEL_HEIGHT = 88;
const TIME_HEIGHT = 20;
const BAR_HEIGHT = 210;
/** Of a character on a phone, where text is larger relative to the chart. */
const LETTER_WIDTH = 10;
const DAY_MS = 86_400_000;
/** A scale spans at least this share of its values, so that a small change looks small. */
const LEAST_SPAN = 0.0025;

interface CrawlPoint {
  /** ISO 8601, UTC. */
  readonly ended_at: string;
}

export interface ChartNote {
  /** `2026-11-22` */
  readonly date: string;
  readonly kind: string;
  readonly text: string;
}

export interface Series<T extends CrawlPoint> {
  readonly name: string;
  readonly value: (point: T) => number | null;
  readonly colour?: string;
  /** The pages that the figure counts. */
  readonly href?: (point: T) => string | null;
}

/**
 * Draws figures over the ends of crawls. Each has a panel with its own scale, its last value and the change from the
 * previous value, or by day from the value a week before; a crawl without a value leaves a gap. Null if there is no
 * value.
 */
export function lineChart<T extends CrawlPoint>(
  label: string,
  points: readonly T[],
  series: readonly Series<T>[],
  notes: readonly ChartNote[] = [],
): Html | null {
  const shown = series.filter(({ value }) => points.some((point) => value(point) !== null));
  if (shown.length === 0) return null;
  const times = points.map(({ ended_at }) => ended_at);
  const isNear = shown.some((one) => !isFromZero(points.map(one.value)));
  return html`<div class="panels">${shown.map((one, place) =>
    panel({
      label: series.length === 1 ? label : `${label}, ${one.name}`,
      name: series.length === 1 ? null : one.name,
      colour: one.colour ?? SERIES_COLOURS[0] ?? '',
      points: points.map((point) => ({
        at: point.ended_at,
        value: one.value(point),
        href: one.href?.(point) ?? null,
      })),
      times: timeNames(times),
      notes,
      isLast: place === shown.length - 1,
    }),
  )}${isNear ? html`<p class="facts">Dashed baseline: the scale does not start at zero.</p>` : null}</div>`;
}

interface Figure {
  readonly at: string;
  readonly value: number | null;
  readonly href: string | null;
}

interface Panel {
  readonly label: string;
  /** Null if the title of the chart names it. */
  readonly name: string | null;
  readonly colour: string;
  readonly points: readonly Figure[];
  readonly times: TimeNames;
  readonly notes: readonly ChartNote[];
  /** Only the last panel shows the names of times. */
  readonly isLast: boolean;
}

function panel({ label, name, colour, points, times, notes, isLast }: Panel): Html {
  const known = points.flatMap((point) => (point.value === null ? [] : [{ ...point, value: point.value }]));
  const [former, now] = known.length === 1 ? [undefined, known[0]] : known.slice(-2);
  if (now === undefined) return html``;
  const before = (former && (dayBefore(now, known, 1) ? dayBefore(now, known, 7) : null)) || former;
  const [least, most] = scaleOf(known.map(({ value }) => value));
  const isWhole = known.every((point) => Number.isInteger(point.value));
  const since = before && `since ${times.full(before.at)}`;
  const compared = before && `, ${comparedText(now.value, before.value)} on ${times.full(before.at)}`;
  // The figure may be unknown in the last crawl.
  const isLatest = now.at === points.at(-1)?.at;
  const value = html`<b>${figureText(now.value)}</b>${isLatest ? null : ` on ${times.full(now.at)}`}`;
  const chart = drawn({
    label: `${label}: ${figureText(now.value)} on ${times.full(now.at)}${compared ?? ''}`,
    options: {
      ...MARGINS,
      height: PANEL_HEIGHT + (isLast ? TIME_HEIGHT : 0),
      marginBottom: isLast ? TIME_HEIGHT + 8 : 8,
      x: { ...timeAxis(points, times), ...(isLast ? {} : { axis: null }) },
      y: { domain: [least, most], grid: true, label: null, ...numberAxis(least, most, isWhole) },
      marks: [Plot.ruleY([least], { strokeOpacity: 0.5, strokeDasharray: least > 0 ? '2 4' : 'none' })],
    },
    under: ({ x, y }) => {
      const path = points.map((point) =>
        point.value === null ? null : { x: x(new Date(point.at)), y: y(point.value) },
      );
      return html`<path d="${linePath(path)}" fill="none" stroke="${colour}" stroke-width="2"/>`;
    },
    marks: ({ x, y }) => [
      ...notesWithin(notes, points).map((note) => noteMark(note, x(new Date(note.date)), PANEL_HEIGHT - 8)),
      ...known.map((point): Mark => {
        const [cx, cy] = [round(x(new Date(point.at))), round(y(point.value))];
        return {
          shape: html`<circle class="near" cx="${cx}" cy="${cy}" r="12"/><circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`,
          x: cx,
          value: `${times.full(point.at)}: ${figureText(point.value)}`,
          href: point.href,
        };
      }),
    ],
  });
  return html`<p class="panel">${name}${now.href === null ? value : html` <a href="${now.href}">${value}</a>`}
${before && html`<span>${signedText(now.value - before.value)} ${since}</span>`}</p>${chart}`;
}

/** Returns the point exactly so many days before. */
function dayBefore<T extends CrawlTime>(now: CrawlTime, points: readonly T[], days: number): T | undefined {
  const at = Date.parse(now.at) - days * DAY_MS;
  return points.find((point) => Date.parse(point.at) === at);
}

/** Returns the notes between the first and the last point. */
export function notesWithin(notes: readonly ChartNote[], points: readonly CrawlTime[]): readonly ChartNote[] {
  const days = points.map(({ at }) => at.slice(0, 10)).toSorted();
  return notes.filter(({ date }) => date > (days[0] ?? '') && date <= (days.at(-1) ?? ''));
}

export function noteMark({ date, kind, text }: ChartNote, at: number, bottom: number): Mark {
  const x = round(at);
  const line = (kinds: string): Html =>
    html`<line class="${kinds}" x1="${x}" x2="${x}" y1="${MARGINS.marginTop - 4}" y2="${bottom}"/>`;
  return { shape: html`${line('near')}${line('note')}`, x, value: `${date}, ${kind}: ${text}` };
}

function isFromZero(values: readonly (number | null)[]): boolean {
  return scaleOf(values.filter((value) => value !== null))[0] <= 0;
}

/** Starts at zero if the values vary by half or more, else near the values, so that a small loss of many is visible. */
function scaleOf(values: readonly number[]): readonly [least: number, most: number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least === most || least <= most / 2) return [Math.min(0, least), Math.max(0, most) || 1];
  const span = Math.max(most - least, most * LEAST_SPAN);
  const middle = (most + least) / 2;
  return [Math.max(0, middle - span * 0.65), middle + span * 0.65];
}

/** Ticks at the ends of some crawls, including the last. */
function timeAxis(points: readonly CrawlTime[], times: TimeNames): Plot.ScaleOptions {
  const all = [...new Set(points.map(({ at }) => at))].toSorted();
  const [first, last] = [Date.parse(all[0] ?? ''), Date.parse(all.at(-1) ?? '')];
  const room = ((last - first) * timeWidth(all, times)) / (WIDTH - MARGINS.marginLeft - MARGINS.marginRight);
  const ticks: Date[] = [];
  for (const at of all.toReversed()) {
    const former = ticks.at(-1);
    if (former === undefined || former.getTime() - Date.parse(at) >= room) ticks.push(new Date(at));
  }
  return {
    type: 'utc',
    label: null,
    insetLeft: 10,
    ticks,
    domain: [new Date(first), new Date(last)],
    tickFormat: (at: Date) => times.short(at.toISOString()),
  };
}

/** Returns the width that keeps the names of times apart. */
function timeWidth([at = '']: readonly string[], times: TimeNames): number {
  return (times.short(at).length + 1) * LETTER_WIDTH;
}

interface CrawlTime {
  readonly at: string;
}

/** Returns pages by range of status, one bar per crawl. Null if there are no crawls. */
export function statusChart(
  label: string,
  points: readonly (StatusPoint & { readonly href?: string | null })[],
  notes: readonly ChartNote[] = [],
): Html | null {
  const names = new Map<string | null, string>(STATUS_RANGES.map(({ range, name }) => [range, name]));
  const parts = points.map(({ status_code_range, pages, ...point }) => ({
    ...point,
    name: names.get(status_code_range) ?? status_code_range ?? 'no answer',
    value: Number(pages),
  }));
  return stackedChart(label, parts, STATUS_RANGES, notes);
}

export interface StackedPart extends CrawlPoint {
  readonly crawl_id: string;
  readonly name: string;
  readonly value: number;
  /** The pages that the part counts. */
  readonly href?: string | null;
}

/**
 * Draws one bar with parts per crawl. The key above shows the last value of each part, which may be too small to see in
 * a bar, and its change. Null if there are no crawls.
 */
export function stackedChart(
  label: string,
  parts: readonly StackedPart[],
  entries: readonly { readonly name: string; readonly colour: string }[],
  notes: readonly ChartNote[] = [],
): Html | null {
  if (parts.length === 0) return null;
  const bars = barsOf(parts);
  const times = timeNames(bars.map(({ at }) => at));
  const most = Math.max(...bars.map(({ parts: of }) => of.reduce((sum, { value }) => sum + value, 0)), 1);
  const [before, now] = bars.length === 1 ? [undefined, bars[0]] : bars.slice(-2);
  if (now === undefined) return null;
  const valueIn = (bar: Bar | undefined, name: string): number =>
    bar?.parts.find((part) => part.name === name)?.value ?? 0;
  const used = entries.filter(({ name }) => parts.some((part) => part.name === name));
  const found = used.map(({ name }) => {
    const value = valueIn(now, name);
    const compared = before && ` (${comparedText(value, valueIn(before, name))} on ${times.full(before.at)})`;
    return `${name} ${figureText(value)}${compared ?? ''}`;
  });
  const key = used.map((entry) => {
    const value = valueIn(now, entry.name);
    const change = before && ` (${signedText(value - valueIn(before, entry.name))})`;
    const href = now.parts.find((part) => part.name === entry.name)?.href;
    return { ...entry, figure: `${figureText(value)}${change ?? ''}`, href };
  });
  const width = timeWidth(
    bars.map(({ at }) => at),
    times,
  );
  const every = Math.ceil((bars.length * width) / (WIDTH - MARGINS.marginLeft - MARGINS.marginRight));
  const named = bars.toReversed().filter((_, place) => place % every === 0);
  const chart = drawn({
    label: `${label} on ${times.full(now.at)}: ${found.join(', ')}`,
    options: {
      ...MARGINS,
      height: BAR_HEIGHT,
      marginBottom: TIME_HEIGHT + 8,
      x: {
        type: 'band',
        label: null,
        padding: 0.2,
        domain: bars.map(({ id }) => id),
        ticks: named.map(({ id }) => id),
        tickFormat: (id: string) => times.short(id),
      },
      y: { domain: [0, most], grid: true, label: null, ...numberAxis(0, most, true) },
      marks: [Plot.ruleY([0], { strokeOpacity: 0.4 })],
    },
    marks: (places) => [
      ...bars.flatMap((bar) => stackedMarks(bar, entries, times, places)),
      ...notesWithin(notes, bars).map((note) => {
        // Before the first bar that the noted event may have changed.
        const next = bars.find(({ at }) => at.slice(0, 10) >= note.date);
        return noteMark(note, places.x(next?.id) - places.band * 0.125, BAR_HEIGHT - TIME_HEIGHT - 8);
      }),
    ],
  });
  return html`${chartKey(key)}${chart}`;
}

interface Bar {
  /** Begins with its time and is unique: two crawls may end at the same time. */
  readonly id: string;
  readonly at: string;
  readonly parts: readonly StackedPart[];
}

function barsOf(parts: readonly StackedPart[]): readonly Bar[] {
  const bars = Map.groupBy(parts, ({ ended_at, crawl_id }) => `${ended_at} ${crawl_id}`);
  return [...bars]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, of]) => ({ id, at: of[0]?.ended_at ?? '', parts: of }));
}

function stackedMarks(
  bar: Bar,
  entries: readonly { readonly name: string; readonly colour: string }[],
  times: TimeNames,
  { x, y, band }: Places,
): readonly Mark[] {
  const left = x(bar.id);
  let sum = 0;
  return entries.flatMap(({ name, colour }) =>
    bar.parts
      .filter((part) => part.name === name && part.value > 0)
      .map((part): Mark => {
        const below = y(sum);
        sum += part.value;
        // A part that is too small to see or point at becomes a line.
        const height = Math.max(2, below - y(sum));
        const box = html`x="${round(left)}" y="${round(below - height)}" width="${round(band)}" height="${round(height)}"`;
        return {
          shape: html`<rect ${box} fill="${colour}"/>`,
          x: left + band / 2,
          value: `${times.full(bar.at)}, ${name}: ${figureText(part.value)}`,
          href: part.href,
        };
      }),
  );
}

/** A run from its start; `seconds` so far if it is still running. */
export interface RunBar {
  readonly started_at: string;
  readonly seconds: number;
  readonly status: string;
  readonly href?: string | null;
}

/**
 * Draws one bar per run at its start time, with the duration as height. Returns null if there are no runs.
 */
export function runsChart(label: string, runs: readonly RunBar[]): Html | null {
  const last = runs.toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1)).at(-1);
  if (last === undefined) return null;
  const longest = Math.max(...runs.map(({ seconds }) => seconds), 1);
  const minute = (at: string): string => at.slice(0, 16).replace('T', ' ');
  const times = timeNames(runs.map(({ started_at }) => started_at));
  const chart = drawn({
    label: `${label}: the last of ${runs.length} began ${minute(last.started_at)}, ${last.status}: ${durationText(last.seconds)}`,
    options: {
      ...MARGINS,
      height: 160,
      marginBottom: TIME_HEIGHT + 8,
      x: timeAxis(
        runs.map(({ started_at }) => ({ at: started_at })),
        times,
      ),
      y: { domain: [0, longest], grid: true, label: null, ...secondsAxis(longest) },
      marks: [Plot.ruleY([0], { strokeOpacity: 0.4 })],
    },
    marks: ({ x, y }) =>
      runs.map(({ started_at, seconds, status, href }): Mark => {
        const middle = x(new Date(started_at));
        // Keeps a very short run visible.
        const top = Math.min(y(seconds), y(0) - 3);
        return {
          shape: html`<rect x="${round(middle - 3)}" y="${round(top)}" width="6" height="${round(y(0) - top)}" fill="${runColour(status)}"/>`,
          x: middle,
          value: `${minute(started_at)}, ${status}: ${durationText(seconds)}`,
          href,
        };
      }),
  });
  return html`${chartKey(RUN_STATUSES)}${chart}`;
}

/** Whole seconds, minutes or hours. */
function secondsAxis(longest: number) {
  const unit = [3600, 60].find((one) => longest >= 2 * one) ?? 1;
  return {
    ticks: numberAxis(0, longest / unit, longest >= 3).ticks.map((tick) => tick * unit),
    tickFormat: (seconds: number) => (seconds === 0 ? '0' : durationText(seconds)),
  };
}
