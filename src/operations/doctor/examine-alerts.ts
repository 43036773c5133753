import { type Check, type Finding, look } from '../../core/duckdb/check.ts';
import { toCrawlhouseError } from '../../core/errors/errors.ts';
import type { AlertSettings } from '../../project/settings/alert-settings.ts';
import type { Schedule } from '../../project/settings/schedules.ts';
import type { LedgerSettings } from '../../state/ledger/open-ledger.ts';
import { readAlertStore } from '../alert/open-alert-store.ts';
import { allTargets } from '../alert/targets.ts';

const TEST = 'crawlhouse alerts test sends a test alert and says what each target answers';

/** The targets of alerts, and the alerts that have not reached theirs. Alerts never fail a run, so these only warn. */
export async function examineAlerts(
  settings: LedgerSettings & { readonly alerts: AlertSettings },
  schedules: readonly Schedule[],
  signal: AbortSignal,
): Promise<Check[]> {
  return [
    await look('alerts', signal, () => targets(settings.alerts, schedules, signal)),
    await look('outbox', signal, () => outbox(settings)),
  ];
}

async function targets(
  alerts: AlertSettings,
  schedules: readonly Schedule[],
  signal: AbortSignal,
): Promise<Finding> {
  const all = allTargets(alerts, schedules);
  if (all.length === 0) return { message: 'no target is set: nobody hears of a failed run' };
  const found = await Promise.all(
    all.map(async ({ target }) => {
      try {
        await target.reach(signal);
        return { name: target.name, problem: null };
      } catch (thrown) {
        signal.throwIfAborted();
        return { name: target.name, problem: toCrawlhouseError(thrown).message };
      }
    }),
  );
  const message = found
    .map(({ name, problem }) => (problem === null ? name : `${name}: ${problem}`))
    .join('; ');
  if (found.every(({ problem }) => problem === null)) return { message };
  return { message, hint: `correct alerts in crawlhouse.yaml or schedules.yaml; ${TEST}` };
}

async function outbox(settings: LedgerSettings): Promise<Finding> {
  await using store = await readAlertStore(settings);
  const waiting = (await store?.undelivered()) ?? [];
  const [first] = waiting;
  if (first === undefined) return { message: 'no alert waits' };
  return {
    message: `${waiting.length === 1 ? '1 alert' : `${waiting.length} alerts`} not delivered, the oldest of ${first.alert.at}: ${first.alert.title}`,
    hint: `the next run tries again; ${TEST}`,
  };
}
