import { hash } from 'node:crypto';
import { type AlertSettings, alertsOf } from '../../../etl/project/settings/alert-settings.ts';
import type { Schedule } from '../../../etl/project/settings/schedules.ts';
import { type Alert, alertText } from './alert.ts';
import { findCommand, runCommand } from './run-command.ts';
import { reachWebhook, sendWebhook } from './send-webhook.ts';

export interface Target {
  /** A hash of the address or command. */
  readonly id: string;
  /** The name for people: the host of the address, or the program, without possible secrets. */
  readonly name: string;
  /** Sends an alert; returns the receiver's response. */
  readonly send: (alert: Alert, signal: AbortSignal) => Promise<string>;
  /** Throws if the receiver is unreachable; sends nothing. */
  readonly reach: (signal: AbortSignal) => Promise<void>;
}

export function targetsOf({ webhook, format, command, timeout }: AlertSettings): Target[] {
  const timeoutMs = timeout * 1000;
  const targets: Target[] = [];
  if (webhook !== undefined)
    targets.push({
      id: idOf('webhook', webhook),
      name: `webhook at ${new URL(webhook).host}`,
      send: (alert, signal) => sendWebhook(webhook, alertText(alert, format), { timeoutMs }, signal),
      reach: (signal) => reachWebhook(webhook, signal),
    });
  if (command !== undefined)
    targets.push({
      id: idOf('command', ...command),
      name: `command ${command[0]}`,
      async send(alert, signal) {
        await runCommand(command, `${alertText(alert, 'json')}\n`, timeoutMs, signal);
        return 'ended with 0';
      },
      reach: async () => findCommand(String(command[0])),
    });
  return targets;
}

/** Returns every target of the setting and of the schedules, once, with its users. */
export function allTargets(
  alerts: AlertSettings,
  schedules: readonly Schedule[],
): readonly { readonly target: Target; readonly users: readonly string[] }[] {
  const found = new Map<string, { target: Target; users: string[] }>();
  const users = [
    { name: 'alerts', alerts },
    ...schedules.flatMap((schedule) =>
      schedule.alerts === undefined
        ? []
        : [{ name: `schedule ${schedule.name}`, alerts: alertsOf(alerts, schedule.alerts) }],
    ),
  ];
  for (const { name, alerts: of } of users)
    for (const target of targetsOf(of)) {
      const known = found.get(target.id);
      if (known) known.users.push(name);
      else found.set(target.id, { target, users: [name] });
    }
  return [...found.values()];
}

export function idOf(kind: string, ...what: readonly string[]): string {
  return `${kind}-${hash('sha256', what.join('\0')).slice(0, 12)}`;
}
