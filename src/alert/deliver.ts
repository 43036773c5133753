import type { AlertEvent } from '../config/alert-settings.ts';
import { toCrawlhouseError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { lockState } from '../core/state-lock.ts';
import { type AlertRun, alertOf, recoveryOf } from './alert.ts';
import type { AlertStore } from './alert-store.ts';
import type { Incident } from './incident.ts';
import { planAlerts } from './plan-alerts.ts';
import type { Target } from './targets.ts';

/** What a run found wrong, and what it could have found. */
export interface Findings {
  readonly troubles: readonly Incident[];
  readonly judges: (key: string) => boolean;
}

/** Alerts that nobody could be reached for in so long are let go. */
const MOST_DAYS = 7;
const DAY_MS = 86_400_000;

/** Notes what is new and what is over, in one transaction: who is to be told of it is told, now or with a later run. */
export function noteAlerts(
  store: AlertStore,
  { troubles, judges }: Findings,
  { targets, events }: { readonly targets: readonly Target[]; readonly events: readonly AlertEvent[] },
  run: AlertRun,
): void {
  const told = targets.map(({ id }) => id);
  store.transaction(() => {
    const { raised, over } = planAlerts(store.troubles(), troubles, judges, events);
    for (const trouble of raised) {
      const { key, event, title, project_id, began } = trouble;
      store.open({ key, event, title, project_id, since: began ?? run.at, told });
      for (const target of told) store.put(target, alertOf(trouble, run));
    }
    for (const trouble of over) {
      store.close(trouble.key);
      // Whoever was told of the trouble, by whatever schedule, is told of its end.
      if (events.includes('recovery'))
        for (const target of trouble.told) store.put(target, recoveryOf(trouble, run));
    }
  });
}

/**
 * Delivers what is to be delivered to these targets, in order. What is not taken stays, and with it what comes behind it
 * for the same target. Never throws: an alert that can't be delivered must not fail a run.
 */
export async function deliverAlerts(
  store: AlertStore,
  folder: string,
  { targets, now }: { readonly targets: readonly Target[]; readonly now: number },
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  try {
    // Two that deliver at once would tell twice; who holds the lock delivers ours too, or the next run does.
    using _lock = lockState(folder, 'delivery of alerts');
    const away = new Set<string>();
    for (const { id, target, alert } of store.undelivered()) {
      const fields = { target, alert: alert.event, title: alert.title };
      if (now - Date.parse(alert.at) > MOST_DAYS * DAY_MS) {
        logger.error('alert given up', fields);
        store.delivered(id);
      }
      const to = targets.find((one) => one.id === target);
      if (to === undefined || away.has(target) || now - Date.parse(alert.at) > MOST_DAYS * DAY_MS) continue;
      try {
        await to.send(alert, signal);
        store.delivered(id);
        logger.info('alert delivered', fields);
      } catch (thrown) {
        if (signal.aborted) return;
        away.add(target);
        logger.error('alert not delivered, the next run tries again', {
          ...fields,
          error: toCrawlhouseError(thrown).message,
        });
      }
    }
  } catch (thrown) {
    const error = toCrawlhouseError(thrown);
    if (error.code !== 'locked') logger.error('alerts not delivered', { error: error.message });
  }
}
