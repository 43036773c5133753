import { z } from 'zod';

export const ALERT_EVENTS = ['failure', 'recovery', 'stale', 'volume', 'schema', 'change'] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];

const KEYS = {
  webhook: z
    .url({ protocol: /^https?$/, error: 'an address is expected' })
    .describe('The URL that receives each alert as a POST request.'),
  format: z.enum(['json', 'slack']).describe("The format of the body: JSON of crawlhouse, or Slack's."),
  command: z
    .array(z.string().min(1))
    .min(1)
    .describe('A program and its arguments; it receives the alert as JSON on standard input.'),
  timeout: z
    .number()
    .positive()
    .max(600)
    .describe('Time limit of the webhook or command in seconds; crawlhouse then kills the command.'),
  events: z.array(z.enum(ALERT_EVENTS)).describe('The events that raise alerts; an empty list: none.'),
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

/** Alerts of one schedule. Each key overrides that of the project. */
export const ScheduleAlerts = z.strictObject(KEYS).partial();
export type ScheduleAlerts = z.output<typeof ScheduleAlerts>;

export function alertsOf(setting: AlertSettings, schedule: ScheduleAlerts | undefined): AlertSettings {
  return AlertSettings.parse({ ...setting, ...schedule });
}
