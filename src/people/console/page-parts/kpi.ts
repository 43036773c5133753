import { sparkline } from '../../../answers/report/sparkline.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { askAddress } from '../layout/ask-address.ts';
import { shownValue, signedValue } from './answer-figure.ts';

export interface Kpi {
  readonly name: string;
  /** Null where it is not known. */
  readonly value: unknown;
  readonly change: unknown;
  /** Stands for a change that is not known: why. */
  readonly reason: string | null;
  /** What would be better; null where neither is. */
  readonly better: 'more' | 'less' | null;
  readonly href?: string | null;
  /** What the link leads to, where that is not as many pages as the value says. */
  readonly leads?: string;
  readonly days?: string | null;
  /** Where the figure is limited to pages of a crawl: that of all URLs, and the address of the rest. */
  readonly all?: { readonly value: unknown; readonly href: string } | null;
  /** Of the crawls up to this one, the oldest first. */
  readonly trend?: readonly unknown[];
}

/** What stands next to new findings: how many are fixed, and how many nobody knows of. */
export function fixedText({ fixed_issues, missing_issues }: Readonly<Record<string, unknown>>): string {
  const missing = Number(missing_issues) > 0 ? `, ${shownValue(missing_issues)} missing` : '';
  return `${shownValue(fixed_issues) ?? '–'} fixed${missing}`;
}

/** Figures beside each other, each with its change; as a strip they stand at the head of a page. */
export function drawKpis(kpis: readonly Kpi[], isStrip = false): Html {
  return html`<dl class="kpis${isStrip ? ' strip' : ''}">${kpis.map(
    (kpi) =>
      html`<div><dt>${kpi.name}</dt><dd>${drawValue(kpi)} ${drawAll(kpi)}${drawChange(kpi)}${kpi.days && html` <small>${kpi.days}</small>`}${drawTrend(kpi)}</dd></div>\n`,
  )}</dl>
`;
}

function drawValue({ value, href, leads }: Kpi): Html {
  const text = html`<strong>${shownValue(value) ?? '–'}</strong>`;
  if (href == null || value === null) return text;
  return html`<a href="${href}"${leads && html` aria-label="${shownValue(value)}, ${leads}"`}>${text}</a>`;
}

function drawAll({ value, all }: Kpi): Html | null {
  if (all == null || all.value == null || value === null) return null;
  const text = shownValue(all.value);
  if (Number(all.value) === Number(value)) return html`<small>of ${text}</small> `;
  return html`<small>of <a href="${all.href}" aria-label="${text}, URLs that are no page of the crawl">${text}</a></small> `;
}

/** URLs that are no page of a crawl, and that log files or search results know. */
export function restAddress(crawl: string): string {
  return askAddress(new URLSearchParams({ 'param.crawl': crawl }), { question: 'q03_orphan_pages', run: 1 });
}

/** Figures of log files and search results that count the pages of a crawl alone. */
export const ON_PAGES = {
  clicks: 'Clicks on crawled pages',
  impressions: 'Impressions of crawled pages',
  search_bot_hits: 'Search bot hits on crawled pages',
} as const;

function drawChange({ change, reason, better }: Kpi): Html | null {
  const text = signedValue(change);
  if (text === null) return reason === null ? null : html`<small>${reason}</small>`;
  const isMore = Number(change) > 0;
  const kind =
    better === null || Number(change) === 0 ? 'plain' : isMore === (better === 'more') ? 'good' : 'bad';
  return html`<span class="${kind}">${text}</span>`;
}

function drawTrend({ name, trend = [] }: Kpi): Html | null {
  const values = trend.map((value) => (value === null ? null : Number(value)));
  if (values.filter((value) => value !== null).length < 2) return null;
  return html`<div>${sparkline(values, `${name} over the last crawls`, true)}</div>`;
}
