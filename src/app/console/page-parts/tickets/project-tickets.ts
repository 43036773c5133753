import { z } from 'zod';
import { toCrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { TICKET_STATES } from '../../../../etl/project/settings/tickets/ticket-states.ts';
import { loadTickets, type Ticket, ticketsOf } from '../../../../etl/project/settings/tickets/tickets.ts';
import { type CheckedTicket, isCurrent, readChecked } from '../../../answers/explore/issues/issue-tickets.ts';
import type { Readers } from '../../readers/readers.ts';

export const ShownTicket = z.strictObject({
  id: z.string(),
  issue: z.string(),
  /** Null if no run has read the ticket yet. */
  title: z.string().nullable(),
  crawl: z.string(),
  segmentation: z.string().nullable(),
  segment: z.string().nullable(),
  urls: z.array(z.string()).nullable(),
  filter: z.string().nullable(),
  owner: z.string().nullable(),
  state: z.enum(TICKET_STATES),
  /** The state that the crawls show (mart.tickets); null until a run has read the last change. */
  effective_state: z.string().nullable(),
  reason: z.string().nullable(),
  note: z.string().nullable(),
  due: z.string().nullable(),
  until: z.string().nullable(),
  created_at: z.string(),
  changed_at: z.string(),
  pages: z.number().nullable(),
  /** The crawl of `pages_now` and `read_pages`. */
  latest_crawl: z.string().nullable(),
  pages_now: z.number().nullable(),
  read_pages: z.number().nullable(),
  decided_by: z.string().nullable(),
});
export type ShownTicket = Typed<typeof ShownTicket>;

export const ProjectTickets = z.strictObject({
  list: z.array(ShownTicket),
  /** Why tickets.yaml cannot be read. */
  problem: z.string().nullable(),
});
export type ProjectTickets = Typed<typeof ProjectTickets>;

/** Returns the tickets of a project as tickets.yaml has them now, with the results of the last run. */
export async function readTickets(
  readers: Readers,
  project: { readonly project_id: string; readonly project_name: string | null },
): Promise<ProjectTickets> {
  let tickets: readonly Ticket[];
  try {
    tickets = ticketsOf(await loadTickets(readers.settings.projectDir), project);
  } catch (thrown) {
    return { list: [], problem: toCrawlhouseError(thrown).message };
  }
  const checked =
    tickets.length === 0 ? [] : await readChecked((schema, sql) => readers.rowsOnce(schema, sql));
  return { list: tickets.map((ticket) => shown(ticket, checked)), problem: null };
}

function shown(ticket: Ticket, checked: readonly CheckedTicket[]): ShownTicket {
  const found = checked.find(({ ticket_id }) => ticket_id === ticket.id);
  const current = found !== undefined && isCurrent(ticket, found) ? found : null;
  return {
    id: ticket.id,
    issue: ticket.issue,
    title: found?.title ?? null,
    crawl: ticket.crawl,
    segmentation: ticket.segmentation ?? null,
    segment: ticket.segment ?? null,
    urls: ticket.urls ?? null,
    filter: ticket.filter ?? null,
    owner: ticket.owner ?? null,
    state: ticket.state,
    effective_state: current?.effective_state ?? null,
    reason: current?.reason ?? null,
    note: ticket.note ?? null,
    due: ticket.due ?? null,
    until: ticket.until ?? null,
    created_at: ticket.created_at,
    changed_at: ticket.changed_at,
    pages: found?.pages ?? null,
    latest_crawl: found?.latest_crawl_id ?? null,
    pages_now: found?.pages_now ?? null,
    read_pages: found?.read_pages ?? null,
    decided_by: current?.decided_by_crawl_id ?? null,
  };
}
