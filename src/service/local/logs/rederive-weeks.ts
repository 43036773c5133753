import type { Document, Resources } from '../resources/resources.ts';
import type { ServiceRows } from '../rows/row-store.ts';
import { deriveLogPages } from './derive-log-pages.ts';
import { derivedGranularities } from './given-pages.ts';
import { weekDefinitionOf } from './log-metadata.ts';

/** Rebuilds the weeks of a project after a change of their definition. Imported weeks stay. */
export async function rederiveWeeks(
  { resources, rows }: { readonly resources: Resources; readonly rows: ServiceRows },
  project: Document,
): Promise<void> {
  const events = resources.dataset(project.id, 'events');
  const weeks = derivedGranularities(resources, project.id).filter((granularity) => granularity === 'weeks');
  if (events === undefined || weeks.length === 0) return;
  const made = await deriveLogPages(
    rows,
    events,
    { id: project.id, weeks: weekDefinitionOf(project) },
    weeks,
  );
  for (const [granularity, dataset] of made)
    resources.putDataset(project.id, `log_pages_${granularity}`, dataset);
}
