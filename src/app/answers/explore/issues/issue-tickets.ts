import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { loadTickets, type Ticket, ticketsOf } from '../../../../etl/project/settings/tickets/tickets.ts';
import type { AskCrawls, ChosenCrawl } from '../chosen-crawls.ts';
import type { IssueTicket } from './found-issue.ts';

/** A row of mart.tickets. */
const CheckedTicket = z.strictObject({
  ticket_id: z.string(),
  title: z.string().nullable(),
  effective_state: z.string(),
  reason: z.string().nullable(),
  changed_at: z.string(),
  pages: z.number().nullable(),
  latest_crawl_id: z.string().nullable(),
  pages_now: z.number().nullable(),
  read_pages: z.number().nullable(),
  decided_by_crawl_id: z.string().nullable(),
});
export type CheckedTicket = Typed<typeof CheckedTicket>;

const CHECKED = `
  SELECT tickets.ticket_id, issues.title, tickets.effective_state, tickets.reason, tickets.changed_at, tickets.pages,
    tickets.latest_crawl_id, tickets.pages_now, tickets.read_pages, tickets.decided_by_crawl_id
  FROM mart.tickets AS tickets
  LEFT JOIN mart.issues AS issues ON issues.issue = tickets.issue
  ORDER BY tickets.ticket_id`;

/** Reads what the last run has found about tickets; nothing before the first run of this version. */
export async function readChecked(ask: AskCrawls): Promise<readonly CheckedTicket[]> {
  try {
    return await ask(CheckedTicket, CHECKED);
  } catch (thrown) {
    // The warehouse has no such table yet.
    if (thrown instanceof CrawlhouseError && ['bad_query', 'nothing_published'].includes(thrown.code))
      return [];
    throw thrown;
  }
}

/** Returns whether the last run has read the last change of a ticket. */
export const isCurrent = (ticket: Ticket, { changed_at }: CheckedTicket): boolean =>
  Date.parse(changed_at) === Date.parse(ticket.changed_at);

/** Returns the tickets of a project by issue, as tickets.yaml has them now. */
export async function ticketsByIssue(
  { project_id, project: project_name }: Pick<ChosenCrawl, 'project_id' | 'project'>,
  projectDir: string,
  ask: AskCrawls,
): Promise<ReadonlyMap<string, readonly IssueTicket[]>> {
  const tickets = ticketsOf(await loadTickets(projectDir), { project_id, project_name });
  const checked = tickets.length === 0 ? [] : await readChecked(ask);
  const shown = tickets.map((ticket) => [ticket.issue, issueTicket(ticket, checked)] as const);
  const groups = Map.groupBy(shown, ([issue]) => issue);
  return new Map([...groups].map(([issue, own]) => [issue, own.map(([, ticket]) => ticket)]));
}

function issueTicket(ticket: Ticket, checked: readonly CheckedTicket[]): IssueTicket {
  const found = checked.find(({ ticket_id }) => ticket_id === ticket.id);
  return {
    id: ticket.id,
    owner: ticket.owner ?? null,
    state: ticket.state,
    effective_state: found !== undefined && isCurrent(ticket, found) ? found.effective_state : null,
  };
}
