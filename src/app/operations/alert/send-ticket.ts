import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { Ticket, TicketSettings } from '../../../etl/project/settings/tickets/tickets.ts';
import type { LedgerSettings } from '../../../etl/state/ledger/open-ledger.ts';
import { openAlertStore } from './open-alert-store.ts';
import { ticketAlert, ticketTargets } from './ticket-target.ts';
import { deliverAlerts } from './with-alerts.ts';

export type TicketSender = LedgerSettings & { readonly tickets: TicketSettings };

/**
 * Sends a new or changed ticket to the webhook of the setting `tickets`. Returns once the ticket is in the outbox. An
 * unavailable receiver gets it with the next ticket or run. Errors are only logged, because the ticket itself is
 * already written.
 */
export async function sendTicket(
  settings: TicketSender,
  { ticket, isNew }: { readonly ticket: Ticket; readonly isNew: boolean },
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  // Jira and Linear would create a second issue.
  if (!isNew && settings.tickets.template !== 'plain') return;
  const targets = ticketTargets(settings.tickets);
  if (targets.length === 0) return;
  const alert = ticketAlert(ticket, isNew);
  try {
    const store = await openAlertStore(settings);
    try {
      await store.change(() => ({
        opened: [],
        closed: [],
        alerts: targets.map(({ id }) => ({ target: id, alert })),
      }));
    } catch (thrown) {
      await store[Symbol.asyncDispose]();
      throw thrown;
    }
    void deliverAlerts(store, { targets, now: Date.parse(alert.at) }, logger, signal).finally(() =>
      store[Symbol.asyncDispose](),
    );
  } catch (thrown) {
    logger.error('ticket not sent', { ticket: ticket.id, error: toCrawlhouseError(thrown).message });
  }
}
