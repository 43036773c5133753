import { redactTexts } from '../../../core/secrets/redact.ts';
import type { AlertEvent } from '../../../etl/project/settings/alert-settings.ts';
import type { Ticket } from '../../../etl/project/settings/tickets/tickets.ts';
import type { ChangeFacts, Incident, OpenIncident } from './incident.ts';

/** The body of an alert, as JSON (docs/operate.md). */
export interface Alert extends Partial<ChangeFacts> {
  /** `test` is the event of `crawlhouse alerts test`, `ticket` that of a new or changed ticket. */
  readonly event: AlertEvent | 'test' | 'ticket';
  /** The key of the incident, identical in its alert and its recovery. */
  readonly incident: string;
  readonly title: string;
  readonly details: readonly string[];
  readonly hint: string | null;
  readonly project_id: string | null;
  /** The schedule, or `run`. */
  readonly scope: string;
  readonly run_id: string | null;
  /** When the incident began, if known; otherwise the time of the run. ISO 8601, UTC. */
  readonly since: string;
  /** The time of the run: ISO 8601, UTC. */
  readonly at: string;
  /** For a ticket. */
  readonly ticket?: Ticket;
  /** For a recovery: when the incident ended, if known; otherwise the time of the run. */
  readonly until?: string;
}

export type AlertRun = Pick<Alert, 'scope' | 'run_id' | 'at'>;

export function alertOf({ key, began, wait: _, list: __, ...incident }: Incident, run: AlertRun): Alert {
  return { ...incident, incident: key, ...run, since: began ?? run.at };
}

/** @param ended when it ended, if known */
export function recoveryOf(
  { key, title, project_id, since }: OpenIncident,
  run: AlertRun,
  ended: string | undefined,
): Alert {
  return {
    event: 'recovery',
    incident: key,
    title: `over: ${title}`,
    details: ended === undefined ? [] : [`the crawl of ${ended.slice(0, 16).replace('T', ' ')} UTC ended it`],
    hint: null,
    project_id,
    ...run,
    since,
    until: ended ?? run.at,
  };
}

/** Returns the body of a request, or the input of a command, with masked secrets. */
export function alertText(alert: Alert, format: 'json' | 'slack'): string {
  const masked = redactTexts(alert) as Alert;
  if (format === 'json') return JSON.stringify(masked);
  const { event, title, details, hint } = masked;
  const lines = [`*crawlhouse ${event}*: ${escaped(title)}`, ...details.map((line) => `> ${escaped(line)}`)];
  if (hint) lines.push(`Try: ${escaped(hint)}`);
  return JSON.stringify({ text: lines.join('\n') });
}

/** Escapes the three special characters of Slack. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
