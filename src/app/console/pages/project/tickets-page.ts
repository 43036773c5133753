import { z } from 'zod';
import { counted, countText } from '../../../../core/text/amounts.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { segmentName } from '../../../answers/explore/page-segments.ts';
import { pagesAddress } from '../../../answers/explore/pages/page-filter.ts';
import { table } from '../../../answers/presentation/html-table.ts';
import { timeText } from '../../../answers/presentation/marks.ts';
import { reasonWords } from '../../../answers/presentation/reason-words.ts';
import { crawlPath, projectPath, ticketsPath, urlLink } from '../../layout/addresses.ts';
import { filterForm } from '../../layout/filter-form.ts';
import { projectTabs } from '../../layout/project-tabs.ts';
import { calledProject } from '../../page-parts/called-project.ts';
import { type PageRequest, page } from '../../page-parts/console-page.ts';
import { ProjectTickets, readTickets, type ShownTicket } from '../../page-parts/tickets/project-tickets.ts';
import { STATE_NAMES, stateName, ticketForm } from '../../page-parts/tickets/ticket-form.ts';

const Tickets = z.strictObject({
  ...ProjectTickets.shape,
  project_id: z.string(),
  project_name: z.string().nullable(),
  /** The owners of all tickets, regardless of the filter. */
  owners: z.array(z.string()),
});
type Tickets = Typed<typeof Tickets>;

/** In the filter: tickets without an owner. */
const NOBODY = '(nobody)';

export const TICKETS = page<Tickets>({
  path: '/projects/:project_id/tickets',
  summary: 'The tickets of a project, with the states that the crawls show.',
  query: {
    state: 'Only tickets in this state, set by a person or shown by the crawls.',
    owner: `Only tickets of this owner; ${NOBODY}: without an owner.`,
  },
  schema: Tickets,
  async read({ path, query }, readers) {
    const { project_id, project_name } = await calledProject(readers, path.project_id ?? '');
    const { list, problem } = await readTickets(readers, { project_id, project_name });
    const [state, owner] = [query.get('state') || null, query.get('owner') || null];
    return {
      project_id,
      project_name,
      problem,
      owners: [...new Set(list.map((one) => one.owner ?? NOBODY))].sort(),
      list: list.filter(
        (one) =>
          (state === null || state === one.state || state === one.effective_state) &&
          (owner === null || owner === (one.owner ?? NOBODY)),
      ),
    };
  },
  draw: (document, request) => ({
    title: `Tickets of ${document.project_name ?? document.project_id}`,
    body: drawTickets(document, request),
  }),
});

function drawTickets(document: Tickets, request: PageRequest): Html {
  const { project_id, project_name, list, owners, problem } = document;
  const isFiltered = request.query.has('state') || request.query.has('owner');
  return html`<h1>${project_name ?? project_id}</h1>
${projectTabs(project_id, 'tickets')}
${problem && html`<p class="notice">The tickets could not be read. ${problem}</p>`}
<div class="stay">${filterForm(ticketsPath(project_id), request.query, [
    {
      name: 'state',
      label: 'state',
      any: 'any',
      options: Object.entries(STATE_NAMES).map(([value, text]) => ({ value, text })),
    },
    { name: 'owner', label: 'owner', any: 'anyone', options: owners },
  ])}<p>${counted(list.length, 'ticket')}</p></div>
${table(
  'Tickets',
  [
    { name: 'ticket', cell: (one) => html`${nameOf(project_id, one)}<br>${scopeOf(project_id, one)}` },
    { name: 'state', cell: stateOf },
    { name: 'owner', cell: ({ owner }) => owner },
    { name: 'due', cell: ({ due }) => due },
    { name: 'pages', isNumber: true, cell: (one) => pagesLink(one, one.crawl, 'pages') },
    {
      name: 'with the issue now',
      isNumber: true,
      cell: (one) => pagesLink(one, one.latest_crawl, 'pages_now'),
    },
    { name: 'read', isNumber: true, cell: (one) => pagesLink(one, one.latest_crawl, 'read_pages') },
    { name: 'changed (UTC)', cell: ({ changed_at }) => timeText(changed_at) },
    { name: 'note', cell: (one) => noteOf(one, project_id, request) },
  ],
  list,
  isFiltered
    ? 'No ticket matches the filter.'
    : html`There is no ticket yet. Analysts make tickets on the pages <a href="${projectPath(project_id)}/issues">Issues</a> and <a href="${projectPath(project_id)}/pages">Pages</a>.`,
)}
${list.length === 0 ? null : html`<p class="facts">The columns Pages, With the issue now and Read come from the last run. Now and Read are about the latest comparable crawl.</p>`}
`;
}

const pagesWhere = (only: string): string => `SELECT url, state, reason, moved_to FROM mart.ticket_pages
WHERE ticket_id = $ticket AND crawl_id = $crawl ${only}
ORDER BY url`;

/** The pages of a ticket that each of its numbers counts. */
export const TICKET_PAGES_SQL = {
  pages: pagesWhere(''),
  pages_now: pagesWhere("AND state = 'has_issue'"),
  read_pages: pagesWhere("AND state IN ('has_issue', 'clean')"),
} as const;

/** Returns a number of pages of a ticket, with a link to exactly these pages. */
function pagesLink(
  ticket: ShownTicket,
  crawl: string | null,
  count: keyof typeof TICKET_PAGES_SQL,
): Html | string | null {
  const { id, [count]: number } = ticket;
  if (number === null || number === 0 || crawl === null) return number === null ? null : countText(number);
  const sql = TICKET_PAGES_SQL[count];
  const query = new URLSearchParams({ sql, 'param.ticket': id, 'param.crawl': crawl, run: '1' });
  return html`<a href="/ask?${String(query)}">${countText(number)}</a>`;
}

/** Draws the name of the ticket's pages, without a link if it is a list of URLs, which the page list cannot show. */
function nameOf(project: string, { title, issue, crawl, segmentation, segment, urls }: ShownTicket): Html {
  const name = html`${title ?? issue.replaceAll('_', ' ')}`;
  if (urls !== null) return name;
  const own = segmentation === null || segment === null ? null : segmentName({ segmentation, segment });
  return html`<a href="${pagesAddress(project, { crawl, issue, segment: own })}">${name}</a>`;
}

function scopeOf(project: string, { segmentation, segment, urls, pages }: ShownTicket): Html | string {
  if (urls !== null) {
    const listed = counted(urls.length, 'listed page');
    // The number of pages links to them once a run has read the ticket.
    if (pages !== null) return listed;
    return html`<details><summary>${listed}</summary><ul>${urls.map((url) => html`<li>${urlLink(project, url)}</li>`)}</ul></details>`;
  }
  if (segment === null || segmentation === null) return 'all pages with the issue';
  return segmentName({ segmentation, segment });
}

const TONES: Readonly<Record<string, string>> = { verified: 'good', reopened: 'bad', overdue: 'bad' };

function stateOf({ state, effective_state, reason, decided_by, until, pages }: ShownTicket): Html {
  const shown = effective_state ?? state;
  const more = [
    ...(effective_state === null ? ['the next run checks it'] : []),
    ...(shown === 'ignored' ? [`until ${until}`] : []),
    // Tickets of any state may have unread pages.
    ...(reason === null
      ? []
      : [`${effective_state !== 'unknown' && pages ? 'unread: ' : ''}${reasonWords(reason)}`]),
  ];
  return html`<span class="${lookUp(TONES, shown) ?? 'warn'}">${stateName(shown)}</span>${effective_state === 'unknown' && html` (${stateName(state)})`}${more.map((line) => html`<br>${line}`)}${decided_by && html`<br><a href="${crawlPath(decided_by)}">crawl</a>`}`;
}

function noteOf(one: ShownTicket, project: string, { may, session }: PageRequest): Html {
  const { id, changed_at: seen, note } = one;
  const fields = ['owner', 'state', 'note', 'due', 'until'] as const;
  const typed = new URLSearchParams(Object.fromEntries(fields.map((name) => [name, one[name] ?? ''])));
  const form = may('POST /projects/:project_id/tickets')
    ? html`<details><summary>Change</summary>
${ticketForm({ project, csrf: session.csrf, hidden: { id, seen }, typed, button: 'Change the ticket' })}</details>`
    : null;
  return html`${note}${form}`;
}
