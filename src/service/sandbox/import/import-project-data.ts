import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { DatasetName } from '../catalogue/catalogue-of.ts';
import { deriveLogPages } from '../logs/derive-log-pages.ts';
import { derivedGranularities, givenBy } from '../logs/given-pages.ts';
import { weekDefinitionOf } from '../logs/log-metadata.ts';
import type { Dataset, Resources } from '../resources/resources.ts';
import type { ServiceRows } from '../rows/row-store.ts';
import type { FolderPlan } from './folder-plan.ts';
import { importDataset } from './import-dataset.ts';

interface Importing {
  readonly resources: Resources;
  readonly rows: ServiceRows;
  readonly logger: Logger;
}

/**
 * Loads what a folder holds for its project itself: log monitoring and ranking performance. Pages of log monitoring that
 * no folder gives are derived from the events.
 *
 * @throws CrawlhouseError `usage` when another folder gives the same data of the same project
 */
export async function importProjectData(
  context: Importing,
  { dir, projectTypes }: FolderPlan,
  projectId: string,
): Promise<ReadonlyMap<DatasetName, Dataset>> {
  const { resources, rows, logger } = context;
  for (const name of projectTypes) {
    const other = givenBy(resources, projectId, name);
    if (other === undefined || other === dir) continue;
    throw new CrawlhouseError('usage', `${dir} and ${other} both hold ${name} of the same project`, {
      hint: 'put them into one file, or name the folders so that they are two projects',
    });
  }
  const data = new Map<DatasetName, Dataset>();
  for (const name of projectTypes) data.set(name, await importDataset(context, dir, projectId, name));
  const events = data.get('events');
  if (events === undefined) return data;

  const missing = derivedGranularities(resources, projectId).filter(
    (granularity) => !data.has(`log_pages_${granularity}`),
  );
  const project = { id: projectId, weeks: weekDefinitionOf(resources.get('projects', projectId)) };
  for (const [granularity, dataset] of await deriveLogPages(rows, events, project, missing)) {
    if (dataset.table === undefined)
      logger.warn('events without a URL or a date give no log pages', { dir, granularity });
    data.set(`log_pages_${granularity}`, dataset);
  }
  return data;
}
