import type { Incident } from '../alert/incident.ts';
import { openIncidents } from '../alert/incidents.ts';
import type { StatusSettings } from './read-status.ts';
import { readKnownUnits, readLastRuns } from './remembered.ts';

/** The incidents that are open now, the oldest first; without the rest of the status. */
export async function readIncidents(settings: StatusSettings, now: number): Promise<readonly Incident[]> {
  const [units, runs] = [await readKnownUnits(settings), await readLastRuns(settings)];
  return openIncidents(settings, { units, runs }, now);
}
