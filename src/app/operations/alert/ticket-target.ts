import { redactTexts } from '../../../core/secrets/redact.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import type { Ticket, TicketSettings } from '../../../etl/project/settings/tickets/tickets.ts';
import { type Alert, alertText } from './alert.ts';
import { reachWebhook, sendWebhook } from './send-webhook.ts';
import { idOf, type Target } from './targets.ts';

/** Returns the receiver of tickets; none without `tickets.webhook`. */
export function ticketTargets(settings: TicketSettings | undefined): Target[] {
  if (settings?.webhook === undefined) return [];
  const { webhook, headers, timeout } = settings;
  return [
    {
      id: idOf('tickets', webhook),
      name: `tickets at ${new URL(webhook).host}`,
      send: (alert, signal) =>
        sendWebhook(webhook, ticketBody(alert, settings), { timeoutMs: timeout * 1000, headers }, signal),
      reach: (signal) => reachWebhook(webhook, signal),
    },
  ];
}

/** @param isNew whether the ticket was made, not changed */
export function ticketAlert(ticket: Ticket, isNew: boolean): Alert {
  const { id, project, issue, state, owner, created_at, changed_at } = ticket;
  const by = owner === undefined ? '' : `, owner ${owner}`;
  return {
    event: 'ticket',
    incident: `ticket/${id}`,
    title: `ticket ${id} ${isNew ? 'made' : 'changed'}: ${issue}, ${state}${by}`,
    details: [],
    hint: null,
    project_id: project,
    scope: 'console',
    run_id: null,
    since: created_at,
    at: changed_at,
    ticket,
  };
}

/** The call of Linear's GraphQL API that creates an issue. */
const LINEAR_CREATE =
  'mutation IssueCreate($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id } } }';

/** Returns the body of a request, with masked secrets. */
function ticketBody(alert: Alert, { template, place, issue_type }: TicketSettings): string {
  const { ticket } = alert;
  if (template === 'plain' || ticket === undefined) return alertText(alert, 'json');
  const title = `${ticket.issue.replaceAll('_', ' ')}: ${scopeOf(ticket)}`.slice(0, 250);
  const lines = linesOf(ticket);
  const body =
    template === 'linear'
      ? {
          query: LINEAR_CREATE,
          variables: {
            input: {
              teamId: place,
              title,
              description: lines.map(markdown).join('\n\n'),
              dueDate: ticket.due,
            },
          },
        }
      : {
          fields: {
            project: { key: place },
            issuetype: { name: issue_type },
            summary: title,
            description: { type: 'doc', version: 1, content: lines.map(paragraph) },
            duedate: ticket.due,
          },
        };
  return JSON.stringify(redactTexts(body));
}

function scopeOf({ project, segment, urls }: Ticket): string {
  if (urls !== undefined) return `${urls.length} pages of ${project}`;
  return segment === undefined ? project : `${segment} of ${project}`;
}

function linesOf({ id, project, issue, crawl, owner, note, urls = [] }: Ticket): string[] {
  return [
    ...(note === undefined ? [] : note.split(/[\r\n]+/)),
    ...(owner === undefined ? [] : [`Owner: ${owner}`]),
    `Pages: crawlhouse pages --project ${shellWord(project)} --crawl ${shellWord(crawl)} --issue ${issue}`,
    ...urls.slice(0, 20),
    ...(urls.length > 20 ? [`and ${urls.length - 20} more pages`] : []),
    `Ticket ${id} of crawlhouse`,
  ].filter((line) => line.trim() !== '');
}

/** Returns a paragraph of Atlassian's document format. */
const paragraph = (text: string) => ({ type: 'paragraph', content: [{ type: 'text', text }] });

/** Escapes the characters that Markdown would read. */
const markdown = (text: string): string => text.replaceAll(/[\\`*_[\]<>#!|]/g, '\\$&');
