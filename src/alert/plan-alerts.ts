import type { AlertEvent } from '../config/alert-settings.ts';
import type { Incident, OpenIncident } from './incident.ts';

export interface AlertPlan {
  /** Troubles that somebody is to be told of now. */
  readonly raised: readonly Incident[];
  /** Troubles that are over. */
  readonly over: readonly OpenIncident[];
}

/**
 * What to tell, once for one trouble: of what is new, and of what is over. `judges` says whether this run could have
 * seen a trouble; what it could not have seen stays open.
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
