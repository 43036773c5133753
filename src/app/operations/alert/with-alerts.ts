import { eachApart } from '../../../core/errors/each-apart.ts';
import { type CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { Pipeline } from '../../../etl/project/model/pipeline.ts';
import type { RunResult } from '../../../etl/project/model/runs/run-result.ts';
import type { RunReport } from '../../../etl/project/model/runs/unit-report.ts';
import type { Selection } from '../../../etl/project/model/task.ts';
import type { AlertEvent, AlertSettings } from '../../../etl/project/settings/alert-settings.ts';
import type { TicketSettings } from '../../../etl/project/settings/tickets/tickets.ts';
import { readLedger } from '../../../etl/state/ledger/open-ledger.ts';
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
import { ticketTargets } from './ticket-target.ts';

/** The stored state of a project, and where it sends tickets. */
type AlertPlace = MemoryPlace & { readonly tickets?: TicketSettings };

export interface Watch {
  /** The schedule's name, or `run`. */
  readonly scope: string;
  readonly alerts: AlertSettings;
  /** False if a failed run will be repeated: incidents that may end by themselves raise no alert yet. */
  readonly isLast: boolean;
  /** Failures outside the run, such as an invalid schedules.yaml. */
  readonly otherFailures?: readonly RunFailure[];
  /** UTC milliseconds. */
  readonly now: () => number;
}

interface WatchedRequest {
  readonly pipelines: readonly Pipeline[];
  readonly selection: Pick<Selection, 'projects'>;
}

/** A monitored run: `plan` makes its request, `run` executes it. */
export interface Watched<R extends WatchedRequest> {
  readonly plan: () => R | Promise<R>;
  readonly run: (request: R) => Promise<RunResult>;
}

/**
 * Runs the request of `plan`, then sends alerts of new incidents and recoveries of ended ones to the targets of the
 * settings. It returns or throws like `run` and `plan`: alerts never fail a run.
 */
export async function withAlerts<R extends WatchedRequest>(
  settings: AlertPlace,
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
  settings: AlertPlace,
  watch: Watch,
  outcome: Outcome,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const targets = targetsOf(watch.alerts);
  const receivers = [...targets, ...ticketTargets(settings.tickets)];
  if (receivers.length === 0 || signal.aborted) return;
  try {
    const now = watch.now();
    await using store = await openAlertStore(settings);
    if (targets.length > 0) await noteFindings(store, settings, { watch, outcome, targets, now }, logger);
    await deliverAlerts(store, { targets: receivers, now }, logger, signal);
  } catch (thrown) {
    logger.error('alerts not raised', { error: toCrawlhouseError(thrown).message });
  }
}

interface Noting {
  readonly watch: Watch;
  readonly outcome: Outcome;
  readonly targets: readonly Target[];
  readonly now: number;
}

/** Writes the alerts of a run to the outbox. */
async function noteFindings(
  store: AlertStore,
  settings: MemoryPlace,
  { watch, outcome, targets, now }: Noting,
  logger: Logger,
): Promise<void> {
  const { scope, alerts } = watch;
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
}

async function factsOfLedger(settings: MemoryPlace): Promise<AlertFacts> {
  await using ledger = await readLedger(settings);
  return alertFacts(await publishedFacts(settings), (await ledger?.units('unpublished')) ?? []);
}

/**
 * Returns the findings of a run. `errors` are errors of the run as a whole; if there are any, the run may not have read
 * everything.
 */
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

/**
 * The incidents of a run, and whether the run could have detected the incident with a given key. If it could not, that
 * incident stays open.
 */
interface Findings {
  readonly incidents: readonly Incident[];
  readonly judges: (key: string) => boolean;
  /** When incidents ended, by their keys, if known. */
  readonly ended?: ReadonlyMap<string, string>;
}

/** Undelivered alerts are dropped after this time. */
const MOST_DAYS = 7;
const DAY_MS = 86_400_000;

/**
 * Writes alerts of new incidents, and recoveries of ended ones that this run could have detected, to the outbox, in one
 * transaction.
 */
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
    // Every target that received the alert also receives its recovery, whatever its schedule.
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
        ...raised.flatMap((incident) => ids.map((target) => ({ target, alert: alertOf(incident, run) }))),
        ...ended.flatMap((incident) =>
          incident.targets.map((target) => ({
            target,
            alert: recoveryOf(incident, run, ends?.get(incident.key)),
          })),
        ),
      ],
    };
  });
}

/**
 * Delivers the outbox to these targets, in order. If a target rejects an alert, that alert and later alerts for the
 * same target wait for the next run. Errors are only logged, because an undeliverable alert must not fail a run.
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
      // The next run delivers the alerts that an interruption left.
      if (!signal.aborted) logger.error('alerts not delivered', { error: toCrawlhouseError(thrown).message });
    });
}
