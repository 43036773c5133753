import { type CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import type { AlertSettings } from '../../../etl/project/settings/alert-settings.ts';
import type { Schedule } from '../../../etl/project/settings/schedules.ts';
import type { Alert } from './alert.ts';
import { allTargets } from './targets.ts';

export interface TestedTarget {
  readonly target: string;
  readonly users: readonly string[];
  /** The answer of the receiver; null after an error. */
  readonly answer: string | null;
  readonly error: CrawlhouseError | null;
}

/**
 * Sends a test alert to every target in the `alerts` setting and in the schedules.
 *
 * @param machine the name of this machine
 */
export function testTargets(
  alerts: AlertSettings,
  schedules: readonly Schedule[],
  machine: string,
  signal: AbortSignal,
): Promise<readonly TestedTarget[]> {
  const alert = testAlert(machine, new Date(host().now()).toISOString());
  return Promise.all(
    allTargets(alerts, schedules).map(async ({ target: { name: target, send }, users }) => {
      try {
        return { target, users, answer: await send(alert, signal), error: null };
      } catch (thrown) {
        signal.throwIfAborted();
        return { target, users, answer: null, error: toCrawlhouseError(thrown) };
      }
    }),
  );
}

function testAlert(machine: string, at: string): Alert {
  return {
    event: 'test',
    incident: 'test',
    title: `a test alert from ${machine}`,
    details: ['Nothing is wrong: somebody ran crawlhouse alerts test.'],
    hint: null,
    project_id: null,
    scope: 'alerts test',
    run_id: null,
    since: at,
    at,
  };
}
