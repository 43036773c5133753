import { redactTexts } from '../../core/secrets/redact.ts';
import type { AlertEvent } from '../../project/settings/alert-settings.ts';
import type { Incident, OpenIncident } from './incident.ts';

/** The body of an alert, as JSON (docs/operate.md). */
export interface Alert {
  /** `test` is the event of `crawlhouse alerts test`. */
  readonly event: AlertEvent | 'test';
  /** The key of the incident: the same in its alert and in its recovery. */
  readonly incident: string;
  readonly title: string;
  readonly details: readonly string[];
  readonly hint: string | null;
  readonly project_id: string | null;
  /** The schedule, or `run`. */
  readonly scope: string;
  readonly run_id: string | null;
  /** When the incident began, if known; else the time of the run. ISO 8601, UTC. */
  readonly since: string;
  /** The time of the run: ISO 8601, UTC. */
  readonly at: string;
}

export type AlertRun = Pick<Alert, 'scope' | 'run_id' | 'at'>;

export function alertOf({ key, began, wait: _, ...incident }: Incident, run: AlertRun): Alert {
  return { ...incident, incident: key, ...run, since: began ?? run.at };
}

export function recoveryOf({ key, title, project_id, since }: OpenIncident, run: AlertRun): Alert {
  return {
    event: 'recovery',
    incident: key,
    title: `over: ${title}`,
    details: [],
    hint: null,
    project_id,
    ...run,
    since,
  };
}

/** The body of a request, or what a command reads; secrets masked. */
export function alertText(alert: Alert, format: 'json' | 'slack'): string {
  const masked = redactTexts(alert) as Alert;
  if (format === 'json') return JSON.stringify(masked);
  const { event, title, details, hint } = masked;
  const lines = [`*crawlhouse ${event}*: ${escaped(title)}`, ...details.map((line) => `> ${escaped(line)}`)];
  if (hint) lines.push(`Try: ${escaped(hint)}`);
  return JSON.stringify({ text: lines.join('\n') });
}

/** Slack reads these three as its own. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
