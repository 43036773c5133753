import { z } from 'zod';

export const ALERT_EVENTS = ['failure', 'recovery', 'stale', 'volume', 'schema', 'change'] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];

const KEYS = {
  webhook: z
    .url({ protocol: /^https?$/, error: 'an address is expected' })
    .describe('An address that each alert is posted to.'),
  format: z.enum(['json', 'slack']).describe("The form of the body: our JSON, or Slack's."),
  command: z
    .array(z.string().min(1))
    .min(1)
    .describe('A program and its arguments; it gets the alert as JSON on its standard input.'),
  timeout: z
    .number()
    .positive()
    .max(600)
    .describe('Seconds that the webhook or the command may take; the command is killed after that.'),
  events: z.array(z.enum(ALERT_EVENTS)).describe('The events that are alerted; an empty list: none.'),
};

/** The targets of alerts, and the events that raise them (docs/operate.md). */
export const AlertSettings = z.strictObject({
  webhook: KEYS.webhook.optional(),
  format: KEYS.format.default('json'),
  command: KEYS.command.optional(),
  timeout: KEYS.timeout.default(30),
  events: KEYS.events.default([...ALERT_EVENTS]),
});
export type AlertSettings = z.output<typeof AlertSettings>;

/** Alerts of one schedule. Each key overrides the project's. */
export const ScheduleAlerts = z.strictObject(KEYS).partial();
export type ScheduleAlerts = z.output<typeof ScheduleAlerts>;

export function alertsOf(setting: AlertSettings, schedule: ScheduleAlerts | undefined): AlertSettings {
  return AlertSettings.parse({ ...setting, ...schedule });
}
