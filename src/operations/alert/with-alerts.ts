import { eachApart } from '../../core/errors/each-apart.ts';
import { type CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Selection } from '../../project/model/planned-unit.ts';
import type { RunReport } from '../../project/model/runs/report.ts';
import type { RunResult } from '../../project/model/runs/run-result.ts';
import type { AlertEvent, AlertSettings } from '../../project/settings/alert-settings.ts';
import { readLedger } from '../../state/ledger/open-ledger.ts';
import { type AlertRun, alertOf, recoveryOf } from './alert.ts';
import { type AlertFacts, alertFacts, type MemoryPlace, publishedFacts } from './alert-facts.ts';
import { findHealed, findRunFailures, findUnitFailures, type RunFailure, runKey } from './find-failures.ts';
import { findSchemaChanges } from './find-schema-changes.ts';
import { endedChanges, findSiteChanges } from './find-site-changes.ts';
import { findStale, rhythmsIn, staleKey } from './find-stale.ts';
import { findRowCountAnomalies, type Incident } from './incident.ts';
import { openAlertStore } from './open-alert-store.ts';
import type { AlertStore } from './sql-alert-store.ts';
import { type Target, targetsOf } from './targets.ts';

export interface Watch {
  /** The schedule's name, or `run`. */
  readonly scope: string;
  readonly alerts: AlertSettings;
  /** False if a failed run will be repeated: incidents that may pass by themselves raise no alert yet. */
  readonly isLast: boolean;
  /** Failures outside the run, such as an invalid schedules.yaml. */
  readonly otherFailures?: readonly RunFailure[];
  /** UTC milliseconds. */
  readonly now: () => number;
}

interface WatchedRequest {
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
}

/** A run that is watched: `plan` makes its request, `run` executes it. */
export interface Watched<R extends WatchedRequest> {
  readonly plan: () => R | Promise<R>;
  readonly run: (request: R) => Promise<RunResult>;
}

/**
 * Runs the request of `plan`, then sends alerts of new incidents and recoveries of ended ones to the targets of the
 * settings. It returns or throws what `run` or `plan` do: alerts never fail a run.
 */
export async function withAlerts<R extends WatchedRequest>(
  settings: MemoryPlace,
  watch: Watch,
  { plan, run }: Watched<R>,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunResult> {
  try {
    const request = await plan();
    const result = await run(request);
    await sendAlerts(settings, watch, { ...result, request }, logger, signal);
    return result;
  } catch (thrown) {
    const error = toCrawlhouseError(thrown);
    await sendAlerts(settings, watch, { request: null, report: null, errors: [error] }, logger, signal);
    throw thrown;
  }
}

/** The result of a run; request and report are null if there is none. */
interface Outcome {
  readonly request: WatchedRequest | null;
  readonly report: RunReport | null;
  readonly errors: readonly CrawlhouseError[];
}

async function sendAlerts(
  settings: MemoryPlace,
  watch: Watch,
  outcome: Outcome,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const targets = targetsOf(watch.alerts);
  if (targets.length === 0 || signal.aborted) return;
  try {
    const { scope, alerts } = watch;
    const now = watch.now();
    await using store = await openAlertStore(settings);
    const run = { scope, run_id: outcome.report?.run_id ?? null, at: new Date(now).toISOString() };
    const ofUnits = new Set(outcome.report?.units.map(({ error }) => error?.message));
    const errors = outcome.errors.filter(({ message }) => !ofUnits.has(message));
    const { incidents, ...seen } = await findings(
      settings,
      watch,
      { request: outcome.request, errors },
      logger,
    );
    const { healed, started_at = null } = outcome.report ?? {};
    const found = { ...seen, incidents: [...incidents, ...findHealed(scope, healed, started_at)] };
    await noteAlerts(store, found, { targets, events: alerts.events }, run);
    await deliverAlerts(store, { targets, now }, logger, signal);
  } catch (thrown) {
    logger.error('alerts not raised', { error: toCrawlhouseError(thrown).message });
  }
}

async function factsOfLedger(settings: MemoryPlace): Promise<AlertFacts> {
  await using ledger = await readLedger(settings);
  return alertFacts(await publishedFacts(settings), (await ledger?.units('unpublished')) ?? []);
}

/** `errors` are those of the run as a whole; if there are any, the run may not have read all it should. */
async function findings(
  settings: MemoryPlace,
  { scope, isLast, now, otherFailures = [] }: Watch,
  { request, errors }: { readonly request: WatchedRequest | null; readonly errors: readonly RunFailure[] },
  logger: Logger,
): Promise<Findings> {
  const facts = await factsOfLedger(settings).catch((thrown: unknown) => {
    logger.error('ledger and warehouse not readable, alerts are of the run only', {
      error: toCrawlhouseError(thrown).message,
    });
    return null;
  });
  if (facts === null) {
    const judgesRun = errors.length === 0;
    return {
      incidents: findRunFailures(scope, [...errors, ...otherFailures], isLast),
      judges: (key) => judgesRun && key.startsWith(runKey(scope, '')),
    };
  }
  const isWhole = errors.length === 0;
  const readsCrawls = request?.pipelines.some(
    ({ source }) => source.kind === 'resource' && source.data_type === 'crawls',
  );
  const rhythms = rhythmsIn(facts.rhythms, request?.selection.projects ?? 'all');
  const judged = new Set(rhythms.map(({ project_id }) => staleKey(project_id)));
  const judgesStale = isWhole && readsCrawls === true;
  return {
    incidents: [
      ...findRunFailures(scope, [...errors, ...otherFailures], isLast),
      ...findUnitFailures(facts.failed, facts.nameOf, isLast),
      ...findRowCountAnomalies(facts.anomalies, facts.nameOf),
      ...findSchemaChanges(facts.fields, facts.nameOf),
      ...findSiteChanges(facts.changes, facts.nameOf),
      ...(judgesStale ? findStale(rhythms, now()) : []),
    ],
    judges: (key) => {
      if (key.startsWith('run/')) return isWhole && key.startsWith(runKey(scope, ''));
      return key.startsWith('stale/') ? judgesStale && judged.has(key) : true;
    },
    ended: endedChanges(facts.changes),
  };
}

/** The incidents of a run, and whether it could have seen one of a key; one that it could not have seen stays open. */
interface Findings {
  readonly incidents: readonly Incident[];
  readonly judges: (key: string) => boolean;
  /** When incidents ended, by their keys, as far as it is known. */
  readonly ended?: ReadonlyMap<string, string>;
}

/** Alerts that could not be delivered for so long are dropped. */
const MOST_DAYS = 7;
const DAY_MS = 86_400_000;

/** Puts alerts of new incidents, and recoveries of ended ones that this run could have seen, into the outbox, in one transaction. */
export async function noteAlerts(
  store: AlertStore,
  { incidents, judges, ended: ends }: Findings,
  { targets, events }: { readonly targets: readonly Target[]; readonly events: readonly AlertEvent[] },
  run: AlertRun,
): Promise<void> {
  const ids = targets.map(({ id }) => id);
  await store.change((open) => {
    const known = new Set(open.map(({ key }) => key));
    const present = new Set(incidents.map(({ key }) => key));
    const raised = incidents.filter(
      ({ key, event, wait }) => !known.has(key) && !wait && events.includes(event),
    );
    const over = open.filter(({ key }) => !present.has(key) && judges(key));
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
        ...ended.flatMap((one) =>
          one.targets.map((target) => ({ target, alert: recoveryOf(one, run, ends?.get(one.key)) })),
        ),
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
      await eachApart(
        await store.undelivered(),
        async ({ id, target, alert }) => {
          const fields = { target, alert: alert.event, title: alert.title };
          if (now - Date.parse(alert.at) > MOST_DAYS * DAY_MS) {
            logger.error('alert given up', fields);
            await store.delivered(id);
            return;
          }
          const to = targets.find((one) => one.id === target);
          if (to === undefined || away.has(target)) return;
          await to.send(alert, signal);
          await store.delivered(id);
          logger.info('alert delivered', fields);
        },
        ({ message }, { target, alert }) => {
          away.add(target);
          const fields = { target, alert: alert.event, title: alert.title, error: message };
          logger.error('alert not delivered, the next run tries again', fields);
        },
        signal,
      );
    })
    .catch((thrown: unknown) => {
      // The next run delivers what an interruption left.
      if (!signal.aborted) logger.error('alerts not delivered', { error: toCrawlhouseError(thrown).message });
    });
}
