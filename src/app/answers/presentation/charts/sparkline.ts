import { figureText } from '../../../../core/text/amounts.ts';
import { Html, html } from '../../../../core/text/html.ts';

const SIZE = { width: 72, height: 20, inset: 3 };
const MOST_POINTS = 12;

/**
 * Returns a line without axes for a cell of a table: the last twelve values, oldest first; null leaves a gap. Null
 * without any value. The minimum and the maximum are next to it, unless the cell has its own figure.
 */
export function sparkline(values: readonly (number | null)[], label: string, hasScale = false): Html | null {
  const shown = values.slice(-MOST_POINTS);
  const known = shown.filter((value) => value !== null);
  if (known.length === 0) return null;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const { width, height, inset } = SIZE;
  const x = (place: number): number =>
    shown.length === 1 ? width / 2 : inset + (place / (shown.length - 1)) * (width - 2 * inset);
  const y = (value: number): number =>
    most === least ? height / 2 : height - inset - ((value - least) / (most - least)) * (height - 2 * inset);
  const points = shown.map((value, place) => (value === null ? null : { x: x(place), y: y(value) }));
  const last = points.findLast((point) => point !== null);
  const said = `${label}: ${shown.map((value) => (value === null ? 'unknown' : figureText(value))).join(', ')}`;
  const scale = least === most ? figureText(most) : `${figureText(least)} to ${figureText(most)}`;
  return html`<svg class="sparkline" role="img" aria-label="${said}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><title>${said}</title><path d="${linePath(points)}"/><circle cx="${round(last?.x ?? 0)}" cy="${round(last?.y ?? 0)}" r="2.5"/></svg>${hasScale && html` <small>${scale}</small>`}`;
}

/** Returns a path through points, with a gap for each missing point. */
export function linePath(points: readonly ({ readonly x: number; readonly y: number } | null)[]): Html {
  const steps = points.map((point, place) =>
    point === null ? '' : `${points[place - 1] ? 'L' : 'M'}${round(point.x)},${round(point.y)}`,
  );
  return new Html(steps.join(''));
}

export function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
