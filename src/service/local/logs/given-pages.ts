import { GRANULARITIES, type Granularity } from '../../api/resources/fields.ts';
import type { DatasetName } from '../fields/catalogue-of.ts';
import type { Resources } from '../resources/resources.ts';

/** The name under which it is remembered which folder gave a data type of a project. */
export function projectDataSource(projectId: string, name: DatasetName): string {
  return `project ${projectId} ${name}`;
}

/** The folder that gave a data type of a project; nothing once the data are gone, as those of a deleted project are. */
export function givenBy(resources: Resources, projectId: string, name: DatasetName): string | undefined {
  if (resources.dataset(projectId, name) === undefined) return undefined;
  return resources.fingerprint(projectDataSource(projectId, name));
}

/** The granularities of log pages that no folder gave: they follow from the events. */
export function derivedGranularities(resources: Resources, projectId: string): readonly Granularity[] {
  return GRANULARITIES.filter(
    (granularity) => givenBy(resources, projectId, `log_pages_${granularity}`) === undefined,
  );
}
