import { countText } from '../../core/text/amounts.ts';
import { type Html, html } from '../../core/text/html.ts';
import { daysWords } from '../../project/model/shown/days-words.ts';
import { columnName } from '../../project/model/shown/value-text.ts';
import type { FirstThing } from './first-things.ts';
import { coloursOf } from './palette.ts';

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
<td data-name="Severity"><svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="2" fill="${colour}"/></svg> ${one.severity}</td>
<td data-name="Mended by">${one.mended_by}</td>
${number('pages', linked(pagesOf(one.issue), countText(one.pages)))}
${number(
  'new',
  known(one.new_pages, (count) =>
    count === 0 ? html`0` : linked(pagesOf(one.issue, 'new'), countText(count)),
  ),
)}
${number('clicks', known(one.clicks))}
${number('bot_hits', known(one.search_bot_hits))}
<td data-name="Priority"><svg class="weight" width="60" height="8" aria-hidden="true"><rect class="all" width="60" height="8" rx="4"/><rect width="${one.priority * 0.6}" height="8" rx="4" fill="${colour}"/></svg> ${one.priority}</td></tr>
`;
  };
  const heads = ['pages', 'new', 'clicks', 'bot_hits'].map(
    (head) => html`<th scope="col" class="number">${columnName(head)}</th>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="What to do first of ${name}"><table class="rows first">
<thead><tr><th scope="col">Issue</th><th scope="col">Severity</th><th scope="col">Mended by</th>${heads}<th scope="col">Priority</th></tr></thead>
<tbody>${rows.map(line)}</tbody></table></div>
<p class="facts">${formula(rows)}</p>`;
}

/** How a priority comes about, of which days it is, and what it lacks. */
function formula(rows: readonly FirstThing[]): string {
  const [first] = rows;
  const days = first === undefined ? '' : ` ${daysWords(first, rows)}`;
  const fresh = rows.every(({ new_pages }) => new_pages === null)
    ? ' New pages are not known: there is no crawl to compare with.'
    : rows.some(({ new_pages }) => new_pages === null)
      ? ' New pages are not known of issues that differ by days or by a sample.'
      : '';
  return `Priority, 0 to 100: weight of the severity (high 1, medium 0.6, low 0.3) × (35 clicks + 20 pages + 20 new pages + 15 bot hits + 10 inrank); clicks, pages and hits by the logarithm of the share of all, new pages by their share of the pages. What is not known is left out, and the other parts count for more.${days}${fresh}`;
}

function known(
  value: number | null,
  draw: (count: number) => Html = (count) => html`${countText(count)}`,
): Html {
  return value === null ? NOT_KNOWN : draw(value);
}

function number(name: string, cell: Html): Html {
  return html`<td class="number" data-name="${columnName(name)}">${cell}</td>`;
}

function linked(address: string | null, text: string): Html {
  return address === null ? html`${text}` : html`<a href="${address}">${text}</a>`;
}
