import { figureText } from '../../../../core/text/amounts.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import { SERIES_COLOURS } from './palette.ts';

export interface NamedValue {
  readonly name: string;
  readonly value: number | null;
  readonly colour?: string;
  /** The pages that the value counts. */
  readonly href?: string | null;
}

/**
 * Returns a chart with a bar per value, in the given order, or null if there is no value. The chart is a table, so that
 * text keeps its size.
 */
export function barChart(label: string, bars: readonly NamedValue[]): Html | null {
  const [first, ...others] = bars.filter(({ value }) => value !== null);
  if (first === undefined) return null;
  const most = others.reduce((one, other) => ((other.value ?? 0) > (one.value ?? 0) ? other : one), first);
  return barTable(
    `${label}: most at ${most.name}, ${figureText(most.value ?? 0)}`,
    bars.map((bar) => ({ bar, cells: [valueCell(bar)] })),
  );
}

/** The steps of `q04_indexability_funnel`. */
const STEPS = ['known', 'fetched', 'answered_200', 'indexable', 'canonical'] as const;

/**
 * Returns the funnel of one crawl.
 *
 * @param row from the answer of `q04_indexability_funnel`
 * @param hrefOf the pages of a step
 */
export function indexabilityFunnel(
  label: string,
  row: Readonly<Record<string, unknown>> | undefined,
  hrefOf: (step: (typeof STEPS)[number]) => string | null = () => null,
): Html | null {
  const steps = STEPS.map((step) => ({
    name: step.replaceAll('_', ' '),
    value: row?.[step] == null ? null : Number(row[step]),
    href: hrefOf(step),
  }));
  return funnelChart(label, steps);
}

/** Steps that each keep a part of the previous one, with its percentage. Null if there is no value. */
export function funnelChart(label: string, steps: readonly NamedValue[]): Html | null {
  const known = steps.filter(({ value }) => value !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return null;
  const kept = (value: number | null, of: number | null | undefined): string =>
    value === null || of == null || of === 0 ? '–' : percentText(value, of);
  const rows = steps.map((bar, place) => {
    const share = place === 0 ? null : kept(bar.value, steps[place - 1]?.value);
    return { bar, cells: [valueCell(bar), html`<td class="number">${share}</td>`] };
  });
  const whole = `${figureText(last.value ?? 0)} of ${figureText(first.value ?? 0)}`;
  return barTable(
    `${label}: ${whole} ${first.name} are ${last.name}, ${kept(last.value, first.value)}`,
    rows,
    html`<thead><tr><th scope="col">step</th><td></td><th scope="col" class="number">pages</th><th scope="col" class="number">kept</th></tr></thead>`,
  );
}

/** Formats a share. Rounding never turns it into 0 % or 100 %. */
function percentText(part: number, whole: number): string {
  const percent = (100 * part) / whole;
  const shown = part === whole || part === 0 ? percent : Math.min(99.9, Math.max(0.1, percent));
  return `${figureText(shown, 1)} %`;
}

function valueCell({ value, href }: NamedValue): Html {
  const text = value === null ? '–' : figureText(value);
  return html`<td class="number">${href == null || value === null ? text : html`<a href="${href}">${text}</a>`}</td>`;
}

interface BarRow {
  readonly bar: NamedValue;
  readonly cells: readonly Html[];
}

function barTable(label: string, rows: readonly BarRow[], head?: Html): Html {
  const values = rows.map(({ bar }) => bar.value ?? 0);
  // Bars of negative values start at zero and go left.
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const place = (value: number): number => (most === least ? 0 : (100 * (value - least)) / (most - least));
  const line = ({ bar, cells }: BarRow): Html => {
    const [from, to] = [place(0), place(bar.value ?? 0)].toSorted((a, b) => a - b);
    const width = (to ?? 0) - (from ?? 0);
    // Keeps a small value visible.
    const rect = html`<rect x="${(from ?? 0).toFixed(2)}" width="${(bar.value ? Math.max(0.4, width) : 0).toFixed(2)}" height="10" fill="${bar.colour ?? SERIES_COLOURS[0]}"/>`;
    return html`<tr><th scope="row" title="${bar.name}">${bar.name}</th><td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${rect}</svg></td>${cells}</tr>
`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="bars">${head}
<tbody>${rows.map(line)}</tbody></table></div>`;
}
