import { toCrawlhouseError } from '../../core/errors/errors.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { AlertEvent } from '../../project/settings/alert-settings.ts';
import { type AlertRun, alertOf, recoveryOf } from './alert.ts';
import type { Incident, OpenIncident } from './incident.ts';
import type { AlertStore } from './sql-alert-store.ts';
import type { Target } from './targets.ts';

interface AlertPlan {
  readonly raised: readonly Incident[];
  readonly over: readonly OpenIncident[];
}

/** The incidents of a run, and those that it could have found. */
export interface Findings {
  readonly incidents: readonly Incident[];
  readonly judges: (key: string) => boolean;
}

/** Alerts that could not be delivered for so long are dropped. */
const MOST_DAYS = 7;
const DAY_MS = 86_400_000;

/** Puts alerts of new incidents and recoveries of ended ones into the outbox, in one transaction. */
export async function noteAlerts(
  store: AlertStore,
  { incidents, judges }: Findings,
  { targets, events }: { readonly targets: readonly Target[]; readonly events: readonly AlertEvent[] },
  run: AlertRun,
): Promise<void> {
  const ids = targets.map(({ id }) => id);
  await store.change((open) => {
    const { raised, over } = planAlerts(open, incidents, judges, events);
    // Every target that got the alert also gets its recovery, whatever schedule it belongs to.
    const ended = events.includes('recovery') ? over : [];
    return {
      opened: raised.map(({ key, event, title, project_id, began }) => ({
        key,
        event,
        title,
        project_id,
        since: began ?? run.at,
        targets: ids,
      })),
      closed: over.map(({ key }) => key),
      alerts: [
        ...raised.flatMap((one) => ids.map((target) => ({ target, alert: alertOf(one, run) }))),
        ...ended.flatMap((one) => one.targets.map((target) => ({ target, alert: recoveryOf(one, run) }))),
      ],
    };
  });
}

/**
 * Delivers the outbox to these targets, in order. If a target rejects an alert, that alert and the later ones of the same
 * target stay for the next run. Errors are logged: an alert that can't be delivered must not fail a run.
 */
export async function deliverAlerts(
  store: AlertStore,
  { targets, now }: { readonly targets: readonly Target[]; readonly now: number },
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  await store
    .deliverAlone(async () => {
      const away = new Set<string>();
      for (const { id, target, alert } of await store.undelivered()) {
        const fields = { target, alert: alert.event, title: alert.title };
        if (now - Date.parse(alert.at) > MOST_DAYS * DAY_MS) {
          logger.error('alert given up', fields);
          await store.delivered(id);
          continue;
        }
        const to = targets.find((one) => one.id === target);
        if (to === undefined || away.has(target)) continue;
        try {
          await to.send(alert, signal);
          await store.delivered(id);
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
    })
    .catch((thrown: unknown) =>
      logger.error('alerts not delivered', { error: toCrawlhouseError(thrown).message }),
    );
}

/**
 * Compares the incidents of a run with the open ones. `judges` says whether this run could have seen an incident; one
 * that it could not have seen stays open.
 */
function planAlerts(
  open: readonly OpenIncident[],
  found: readonly Incident[],
  judges: (key: string) => boolean,
  events: readonly AlertEvent[],
): AlertPlan {
  const known = new Set(open.map(({ key }) => key));
  const present = new Set(found.map(({ key }) => key));
  return {
    raised: found.filter(({ key, event, wait }) => !known.has(key) && !wait && events.includes(event)),
    over: open.filter(({ key }) => !present.has(key) && judges(key)),
  };
}
