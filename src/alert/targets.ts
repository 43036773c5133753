import { createHash } from 'node:crypto';
import type { AlertSettings } from '../config/alert-settings.ts';
import { type Alert, alertText } from './alert.ts';
import { runCommand } from './run-command.ts';
import { sendWebhook } from './send-webhook.ts';

/** A receiver of alerts. */
export interface Target {
  /** A hash of the address or command. */
  readonly id: string;
  readonly send: (alert: Alert, signal: AbortSignal) => Promise<void>;
}

export function targetsOf({ webhook, format, command, timeout }: AlertSettings): Target[] {
  const timeoutMs = timeout * 1000;
  return [
    ...(webhook === undefined
      ? []
      : [
          {
            id: idOf('webhook', webhook),
            send: (alert: Alert, signal: AbortSignal) =>
              sendWebhook(webhook, alertText(alert, format), { timeoutMs }, signal),
          },
        ]),
    ...(command === undefined
      ? []
      : [
          {
            id: idOf('command', ...command),
            send: (alert: Alert, signal: AbortSignal) =>
              runCommand(command, `${alertText(alert, 'json')}\n`, timeoutMs, signal),
          },
        ]),
  ];
}

function idOf(kind: string, ...what: readonly string[]): string {
  return `${kind}-${createHash('sha256').update(what.join('\0')).digest('hex').slice(0, 12)}`;
}
