import { earliest, type Incident } from './incident.ts';

/** A unit with far fewer rows than its predecessors. */
export interface ThinUnit {
  readonly project_id: string;
  /** Its name and its rows beside the usual ones, in words. */
  readonly what: string;
  /** When it was loaded or kept out, ISO 8601, UTC; null where that is not known. */
  readonly began: string | null;
  readonly hint: string | null;
}

/** One trouble a project; over once its next crawl has the usual number of rows again. */
export function findThin(units: readonly ThinUnit[], nameOf: (projectId: string) => string): Incident[] {
  return [...Map.groupBy(units, ({ project_id }) => project_id)].map(([project_id, thin]) => ({
    key: `volume/${project_id}`,
    event: 'volume',
    title: `${nameOf(project_id)}: far fewer rows than usual`,
    details: thin.map(({ what }) => what).slice(0, 10),
    project_id,
    began: earliest(thin.map(({ began }) => began)),
    hint: thin[0]?.hint ?? null,
  }));
}
