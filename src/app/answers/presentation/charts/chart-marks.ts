import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { Html, html } from '../../../../core/text/html.ts';
import { visible } from '../../../../core/text/visible.ts';

/** Scaled to the width of the page: wide enough for a column on a desktop, and readable on a phone. */
export const WIDTH = 480;
/** Height of the line that shows the value of the mark under the pointer. */
const VALUE_LINE = 12;

/** A figure in a chart. It shows its value under the pointer and on keyboard focus. */
export interface Mark {
  readonly shape: Html;
  /** The position of the mark's center. */
  readonly x: number;
  /** `2026-11-22, 4xx: 120`. */
  readonly value: string;
  /** The pages that the figure counts. */
  readonly href?: string | null | undefined;
}

/** Positions of values along the axes, in pixels. */
export interface Places {
  readonly x: (value: unknown) => number;
  readonly y: (value: unknown) => number;
  /** The width of a band, if x has bands. */
  readonly band: number;
}

interface Drawing {
  /** The finding of the chart as a sentence. */
  readonly label: string;
  readonly options: Plot.PlotOptions;
  /** Content below the marks. */
  readonly under?: (places: Places) => Html;
  readonly marks?: (places: Places) => readonly Mark[];
}

/**
 * Draws a chart as SVG without `style` attributes and elements, because a page may forbid them. `CHART_STYLE` replaces
 * them.
 * Plot draws the axes. This function draws the marks; each mark has a value and may be a link.
 */
export function drawn({ label, options, under, marks }: Drawing): Html {
  const { document } = parseHTML('<html></html>');
  const svg = Plot.plot({ width: WIDTH, className: 'chart', ...options, document });
  for (const style of svg.querySelectorAll('style')) style.remove();
  for (const element of [svg, ...svg.querySelectorAll('[style]')]) element.removeAttribute('style');
  svg.setAttribute('font-size', '12');
  const place = (name: 'x' | 'y') => (value: unknown) => Number(svg.scale(name)?.apply(value));
  const places = { x: place('x'), y: place('y'), band: svg.scale('x')?.bandwidth ?? 0 };
  const all = marks?.(places) ?? [];
  const hasLinks = all.some(({ href }) => href != null);
  // Screen readers skip the drawing: the label and the table next to it have the content.
  for (const element of hasLinks ? svg.children : [svg]) element.setAttribute('aria-hidden', 'true');
  const below = html`<g aria-hidden="true">${under?.(places)}</g>`;
  const more = html`${below}${all.map(drawnMark)}</svg>`;
  const text = svg.outerHTML.replace(/<\/svg>\s*$/, () => more.text);
  return html`<div role="${hasLinks ? 'group' : 'img'}" aria-label="${label}">${new Html(visible(text))}</div>`;
}

function drawnMark({ shape, x, value, href }: Mark): Html {
  const anchor = x < WIDTH / 3 ? 'start' : x > (WIDTH * 2) / 3 ? 'end' : 'middle';
  const text = html`${shape}<text class="value" x="${Math.round(x)}" y="${VALUE_LINE}" text-anchor="${anchor}">${value}</text>`;
  return href == null
    ? html`<g class="mark" aria-hidden="true">${text}</g>`
    : html`<a class="mark" href="${href}" aria-label="${value}">${text}</a>`;
}

export interface KeyEntry {
  readonly name: string;
  readonly colour: string;
  readonly href?: string | null | undefined;
  /** `12,345 (+17)`. */
  readonly figure?: string;
}

/** Returns names of colors, shown above a chart. */
export function chartKey(entries: readonly KeyEntry[]): Html {
  return html`<ul class="legend">${entries.map(({ name, colour, href, figure }) => {
    const text = html`${name}${figure === undefined ? null : html` <b>${figure}</b>`}`;
    return html`<li><svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" fill="${colour}"/></svg> ${href == null ? text : html`<a href="${href}">${text}</a>`}</li>`;
  })}</ul>`;
}
