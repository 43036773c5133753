import { countText } from '../../core/text/amounts.ts';
import { type Html, html } from '../../core/text/html.ts';
import type { AnswerRows } from './crawl-answers.ts';
import { coloursOf } from './palette.ts';

/** An issue of some pages, by how much it matters (mart.issue_priorities); counts of a warehouse may be bigint. */
export interface FirstThing {
  readonly issue: string;
  readonly title: string;
  readonly severity: string;
  readonly mended_by: string;
  readonly fix: string;
  readonly priority: number;
  readonly pages: number;
  /** Null where it is not known, as in the next. */
  readonly new_pages: number | null;
  readonly clicks: number | null;
  readonly new_clicks: number | null;
  readonly search_bot_hits: number | null;
  readonly example: string;
  /** The days of the clicks and of the hits (mart.crawl_days); null where there are none. */
  readonly ranking_from_date: string | null;
  readonly ranking_to_date: string | null;
  readonly log_from_date: string | null;
  readonly log_to_date: string | null;
}

/** What to do first, of the rows of mart.issue_priorities that a condition lets through. */
export function firstThings(condition: string): string {
  return `SELECT found.crawl_id, found.priority, found.issue, found.title, found.severity, found.mended_by, found.pages,
  found.new_pages, found.clicks, found.new_clicks, found.search_bot_hits, found.example, found.fix,
  whole.ranking_from_date, whole.ranking_to_date, whole.log_from_date, whole.log_to_date
FROM mart.issue_priorities AS found
JOIN mart.crawl_segments AS whole
  ON whole.crawl_id = found.crawl_id AND whole.segmentation = found.segmentation AND whole.segment = found.segment
WHERE ${condition}
ORDER BY found.crawl_id, found.priority DESC, CASE found.severity WHEN 'high' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END,
  found.pages DESC, found.issue`;
}

/** Where the pages of an issue are shown; null where nowhere. `change` leaves those that are new. */
type PagesOf = (issue: string, change?: 'new') => string | null;

const NOT_KNOWN = html`<span class="unknown">not known</span>`;

/** The first things to do, one a row, each with what is behind its place. */
export function drawFirstThings(
  rows: readonly FirstThing[],
  { name, pagesOf }: { readonly name: string; readonly pagesOf: PagesOf },
): Html {
  const [first] = rows;
  if (first === undefined) return html`<p class="empty">No issue was found.</p>`;
  const line = (one: FirstThing): Html => {
    const [colour = ''] = coloursOf([one.severity]);
    return html`<tr><th scope="row">${linked(pagesOf(one.issue), one.title)}
<p>${one.fix}.</p><p class="example">${linked(pagesOf(one.issue) && one.example, one.example)}</p></th>
<td data-name="severity"><svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="2" fill="${colour}"/></svg> ${one.severity}</td>
<td data-name="mended by">${one.mended_by}</td>
${number('pages', linked(pagesOf(one.issue), countText(one.pages)))}
${number(
  'new',
  known(one.new_pages, (count) =>
    count === 0 ? html`0` : linked(pagesOf(one.issue, 'new'), countText(count)),
  ),
)}
${number('clicks', known(one.clicks))}
${number('bot hits', known(one.search_bot_hits))}
<td data-name="priority"><svg class="weight" width="60" height="8" aria-hidden="true"><rect class="all" width="60" height="8" rx="4"/><rect width="${one.priority * 0.6}" height="8" rx="4" fill="${colour}"/></svg> ${one.priority}</td></tr>
`;
  };
  const heads = ['pages', 'new', 'clicks', 'bot hits'].map(
    (head) => html`<th scope="col" class="number">${head}</th>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="What to do first of ${name}"><table class="rows first">
<thead><tr><th scope="col">issue</th><th scope="col">severity</th><th scope="col">mended by</th>${heads}<th scope="col">priority</th></tr></thead>
<tbody>${rows.map(line)}</tbody></table></div>
<p class="facts">${formula(rows)}</p>`;
}

/** How a priority comes about, of which days it is, and what it lacks. */
function formula(rows: readonly FirstThing[]): string {
  const { ranking_from_date, ranking_to_date, log_from_date, log_to_date } = rows[0] ?? {};
  const isUnknown = (part: 'clicks' | 'search_bot_hits' | 'new_pages'): boolean =>
    rows.every((one) => one[part] === null);
  const clicks = isUnknown('clicks')
    ? 'Clicks are not known: no search results of the days of this crawl say them by page.'
    : `Clicks are of ${ranking_from_date} to ${ranking_to_date}.`;
  const hits = !isUnknown('search_bot_hits')
    ? `Bot hits are requests of search engines of ${log_from_date} to ${log_to_date}.`
    : log_from_date === null
      ? 'Bot hits are not known: there are no log files of the days of this crawl.'
      : 'Bot hits are not known: the log files do not tell the bots.';
  const fresh = isUnknown('new_pages') ? ' New pages are not known: there is no crawl to compare with.' : '';
  return `Priority, 0 to 100: weight of the severity (high 1, medium 0.6, low 0.3) × (35 clicks + 20 pages + 20 new pages + 15 bot hits + 10 inrank); clicks, pages and hits by the logarithm of the share of all, new pages by their share of the pages. What is not known is left out, and the other parts count for more. ${clicks} ${hits}${fresh}`;
}

function known(
  value: number | null,
  draw: (count: number) => Html = (count) => html`${countText(count)}`,
): Html {
  return value === null ? NOT_KNOWN : draw(value);
}

function number(name: string, cell: Html): Html {
  return html`<td class="number" data-name="${name}">${cell}</td>`;
}

function linked(address: string | null, text: string): Html {
  return address === null ? html`${text}` : html`<a href="${address}">${text}</a>`;
}

/** Rows of `firstThings` as they come from a warehouse. */
export function firstThingsOf(rows: AnswerRows): FirstThing[] {
  const count = (value: unknown): number | null => (value === null ? null : Number(value));
  return rows.map((row) => ({
    ...(row as unknown as FirstThing),
    priority: Number(row.priority),
    pages: Number(row.pages),
    new_pages: count(row.new_pages),
    clicks: count(row.clicks),
    new_clicks: count(row.new_clicks),
    search_bot_hits: count(row.search_bot_hits),
  }));
}
