import { type Html, html } from '../../../core/text/html.ts';
import { sparkline } from '../../answers/presentation/charts/sparkline.ts';
import { askAddress } from '../layout/ask-address.ts';
import { shownValue, signedValue } from './answer-figure.ts';

export interface Kpi {
  readonly name: string;
  /** Null if unknown. */
  readonly value: unknown;
  readonly change: unknown;
  /** Why the change is unknown. */
  readonly reason: string | null;
  /** The better direction; null if neither is better. */
  readonly better: 'more' | 'less' | null;
  readonly href?: string | null;
  /** The target of the link, if it is not the list of as many pages as the value. */
  readonly leads?: string;
  readonly days?: string | null;
  /** The period that the change is compared with, if the days do not show it. */
  readonly compared?: string | null;
  /** If the figure is limited to pages of a crawl: the figure of all URLs, and the address of the other URLs. */
  readonly all?: { readonly value: unknown; readonly href: string } | null;
  /** The values of the crawls up to this one, oldest first. */
  readonly trend?: readonly unknown[];
}

/** Returns the text next to new findings: how many are fixed, and how many are missing. */
export function fixedText({ fixed_issues, missing_issues }: Readonly<Record<string, unknown>>): string {
  const missing = Number(missing_issues) > 0 ? `, ${shownValue(missing_issues)} missing` : '';
  return `${shownValue(fixed_issues) ?? '–'} fixed${missing}`;
}

/** A longer reason opens from its card. */
const LONGEST_REASON = 32;

/** Returns figures side by side, each with one number, one change and one period; a strip is at the head of a page. */
export function drawKpis(kpis: readonly Kpi[], isStrip = false): Html {
  return html`<dl class="kpis${isStrip ? ' strip' : ''}">${kpis.map(
    (kpi) =>
      html`<div><dt>${kpi.name}</dt><dd>${drawValue(kpi)} ${drawChange(kpi)}${drawPeriod(kpi)}${drawTrend(kpi)}</dd></div>\n`,
  )}</dl>
`;
}

function drawValue({ value, href, leads }: Kpi): Html {
  const text = html`<strong>${shownValue(value) ?? '–'}</strong>`;
  if (href == null || value === null) return text;
  return html`<a href="${href}"${leads && html` aria-label="${shownValue(value)}, ${leads}"`}>${text}</a>`;
}

/** Returns the days, and behind them what the card has no place for. */
function drawPeriod(kpi: Kpi): Html | null {
  const { value, change, reason, days = null, compared = null } = kpi;
  const isFolded = signedValue(change) === null && reason !== null && reason.length > LONGEST_REASON;
  const lines = [isFolded ? reason : null, compared, allText(kpi)].filter((line) => line !== null);
  const shown = days === null ? null : html` <small>${unbroken(days)}</small>`;
  if (lines.length === 0) return shown;
  const unknown = value === null ? 'unknown' : 'change unknown';
  const summary = isFolded ? unknown : (days ?? 'more');
  return html`${isFolded ? shown : null}<details><summary>${summary}</summary>${lines.map((line) => html`<p>${line}</p>`)}</details>`;
}

/** Formats a day so that it does not break at its hyphens. */
function unbroken(text: string): Html {
  const parts = text.split(/(\d{4}-\d\d-\d\d)/);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<span class="day">${part}</span>`))}`;
}

function allText({ value, all }: Kpi): Html | null {
  if (all == null || all.value == null || value === null) return null;
  const text = shownValue(all.value);
  if (Number(all.value) === Number(value)) return html`of ${text} on all URLs`;
  return html`of <a href="${all.href}" aria-label="${text}, URLs that are not pages of the crawl">${text}</a> on all URLs`;
}

/** Returns URLs outside the crawl that log files or search results contain. */
export function restAddress(crawl: string): string {
  return askAddress(new URLSearchParams({ 'param.crawl': crawl }), { question: 'q03_orphan_pages', run: 1 });
}

/** Figures of log files and search results that count only the pages of a crawl. */
export const ON_PAGES = {
  clicks: 'Clicks on crawled pages',
  impressions: 'Impressions of crawled pages',
  search_bot_hits: 'Search bot hits on crawled pages',
} as const;

function drawChange({ change, reason, better }: Kpi): Html | null {
  const text = signedValue(change);
  if (text === null)
    return reason === null || reason.length > LONGEST_REASON ? null : html`<small>${reason}</small>`;
  const isMore = Number(change) > 0;
  const kind =
    better === null || Number(change) === 0 ? 'plain' : isMore === (better === 'more') ? 'good' : 'bad';
  return html`<span class="${kind}">${Number(change) === 0 ? '±0' : text}</span>`;
}

function drawTrend({ name, trend = [] }: Kpi): Html | null {
  const values = trend.map((value) => (value === null ? null : Number(value)));
  if (values.filter((value) => value !== null).length < 2) return null;
  return html`<div>${sparkline(values, `${name} over the last crawls`)}</div>`;
}
