import type { AlertEvent } from '../../project/settings/alert-settings.ts';
import type { Incident, OpenIncident } from './incident.ts';

export interface AlertPlan {
  /** Incidents to alert on now. */
  readonly raised: readonly Incident[];
  /** Incidents that are over. */
  readonly over: readonly OpenIncident[];
}

/**
 * Compares the incidents of a run with the open ones. `judges` says whether this run could have seen an incident; one
 * that it could not have seen stays open.
 */
export function planAlerts(
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
