import { earliest, type Incident } from './incident.ts';

/** A unit with far fewer rows than its predecessors. */
export interface RowCountAnomaly {
  readonly project_id: string;
  /** Its name and its rows beside the usual ones, in words. */
  readonly what: string;
  /** When it was loaded or kept out, ISO 8601, UTC; null where that is not known. */
  readonly began: string | null;
  readonly hint: string | null;
}

/** One incident for each project. It ends once the next crawl has the usual number of rows. */
export function findRowCountAnomalies(
  anomalies: readonly RowCountAnomaly[],
  nameOf: (projectId: string) => string,
): Incident[] {
  return [...Map.groupBy(anomalies, ({ project_id }) => project_id)].map(([project_id, own]) => ({
    key: `volume/${project_id}`,
    event: 'volume',
    title: `${nameOf(project_id)}: far fewer rows than usual`,
    details: own.map(({ what }) => what).slice(0, 10),
    project_id,
    began: earliest(own.map(({ began }) => began)),
    hint: own[0]?.hint ?? null,
  }));
}
