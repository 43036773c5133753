import { type Html, html } from '../../../../core/text/html.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { TICKET_STATES } from '../../../../etl/project/settings/tickets/ticket-states.ts';
import { ticketsPath } from '../../layout/addresses.ts';
import { option } from '../../layout/filter-form.ts';
import { csrfField } from '../../layout/shell.ts';

/** The readable names of all states, including the states that crawls show (mart.tickets). */
export const STATE_NAMES: Readonly<Record<string, string>> = {
  open: 'open',
  in_progress: 'in progress',
  done: 'done',
  wont_fix: 'will not be fixed',
  ignored: 'ignored',
  overdue: 'overdue',
  verified: 'verified',
  reopened: 'reopened',
  unknown: 'unknown',
};

export function stateName(state: string): string {
  return lookUp(STATE_NAMES, state) ?? state;
}

export interface TicketForm {
  readonly project: string;
  readonly csrf: string;
  /** Sent unchanged: `filter` of a new ticket, perhaps `issue`; or `id` and `seen` of a changed one. */
  readonly hidden: Readonly<Record<string, string>>;
  /** The values of the fields. */
  readonly typed: URLSearchParams;
  /** Fields before the others. */
  readonly first?: Html | undefined;
  readonly button: string;
}

export function ticketForm({ project, csrf, hidden, typed, first, button }: TicketForm): Html {
  const value = (name: string): string => typed.get(name) ?? '';
  const states = TICKET_STATES.map((state) => option(state, value('state'), stateName(state)));
  return html`<form class="choose" method="post" action="${ticketsPath(project)}">${csrfField(csrf)}${Object.entries(
    hidden,
  ).map(([name, text]) => html`<input type="hidden" name="${name}" value="${text}">`)}
${first}
<label>owner <input name="owner" maxlength="200" value="${value('owner')}"></label>
<label>state <select name="state">${states}</select></label>
<label>due <input type="date" name="due" value="${value('due')}"></label>
<label>ignored until <input type="date" name="until" value="${value('until')}"></label>
<label>note <textarea name="note" rows="2" cols="40" maxlength="2000">${value('note')}</textarea></label>
<button type="submit">${button}</button></form>
`;
}

/** Returns the form of a new ticket, behind its summary. */
export function newTicketForm(form: Omit<TicketForm, 'button' | 'typed'>): Html {
  return html`<details><summary>Make a ticket</summary>
${ticketForm({ ...form, typed: new URLSearchParams(), button: 'Make the ticket' })}</details>
`;
}
