import { text } from '../../../../core/duckdb/duckdb.ts';
import type { Ticket } from '../../settings/tickets/tickets.ts';
import { giveTables } from '../text/given-tables.ts';
import { rowsOf } from './issue-models.ts';
import type { Model } from './model.ts';

/**
 * Returns a model with the rows of tickets.yaml instead of the tables `ops.tickets` and `ops.ticket_urls`. No warehouse
 * contains these tables, so the rows are empty if there are no tickets.
 */
export function withTickets(model: Model, tickets: readonly Ticket[]): Model {
  if (tickets.length === 0) return model;
  const { sql, given } = giveTables(model.sql, 'ops', {
    tickets: () => ticketRows(tickets),
    ticket_urls: () => urlRows(tickets),
  });
  if (given.size === 0) return model;
  const reads = new Map([...model.reads].filter(([source]) => !given.has(source.replace('ops.', ''))));
  return { ...model, sql, reads };
}

function ticketRows(tickets: readonly Ticket[]): string {
  const columns = {
    ...Object.fromEntries(TEXTS.map((name) => [name, 'VARCHAR'])),
    ticket_id: 'VARCHAR',
    crawl_id: 'VARCHAR',
    has_urls: 'BOOLEAN',
    due_date: 'DATE',
    ignored_until_date: 'DATE',
    created_at: 'TIMESTAMP WITH TIME ZONE',
    changed_at: 'TIMESTAMP WITH TIME ZONE',
    done_at: 'TIMESTAMP WITH TIME ZONE',
  };
  return rowsOf(
    columns,
    tickets.map((ticket) => [
      ...TEXTS.map((name) => written(ticket[name], 'VARCHAR')),
      text(ticket.id),
      text(ticket.crawl),
      String(ticket.urls !== undefined),
      written(ticket.due, 'DATE'),
      written(ticket.until, 'DATE'),
      time(ticket.created_at),
      time(ticket.changed_at),
      time(ticket.state === 'done' ? (ticket.done_at ?? ticket.changed_at) : undefined),
    ]),
  );
}

const TEXTS = ['project', 'issue', 'segmentation', 'segment', 'owner', 'state', 'note'] as const;

function urlRows(tickets: readonly Ticket[]): string {
  return rowsOf(
    { ticket_id: 'VARCHAR', url: 'VARCHAR' },
    tickets.flatMap(({ id, urls = [] }) => [...new Set(urls)].map((url) => [text(id), text(url)])),
  );
}

const written = (value: string | undefined, type: string): string =>
  `CAST(${value === undefined ? 'NULL' : text(value)} AS ${type})`;

const time = (value: string | undefined): string =>
  value === undefined
    ? 'CAST(NULL AS TIMESTAMP WITH TIME ZONE)'
    : `to_timestamp(CAST(${Date.parse(value) / 1000} AS DOUBLE))`;
