import { END_REASONS_WITHOUT_REPORT } from '../../client/resources/end-reasons.ts';
import type { CrawlDataType } from '../../client/resources/fields.ts';
import { columnsOf } from '../fields/column.ts';
import { type DatasetName, FIELD_RECORDS } from '../fields/field-records-of.ts';
import { forbidden, notFound, wrongState } from './refusal.ts';
import type { ResourceKind, Resources, StoredDataset, StoredResource } from './resources.ts';
import { WORKSPACE_ID } from './seed.ts';

/**
 * Returns the resource with this id. With `owner`, returns it only if it belongs to that owner.
 *
 * @throws Refusal `resource_not_found`
 */
export function find(resources: Resources, kind: ResourceKind, id: string, owner?: string): StoredResource {
  const found =
    owner === undefined
      ? resources.get(kind, id)
      : resources.list(kind, owner).find((resource) => resource.id === id);
  if (found !== undefined) return found;
  const name = kind
    .replace(/s$/, '')
    .replace(/config$/, 'configuration')
    .replaceAll('_', ' ');
  throw notFound(`the ${name} ${id}`);
}

/** Returns a data type of a crawl, a comparison or a project; without its own data, the default fields and no rows. */
export function datasetOf(resources: Resources, owner: string, name: DatasetName): StoredDataset {
  const own = resources.dataset(owner, name);
  if (own !== undefined) return own;
  return { table: undefined, columns: columnsOf(FIELD_RECORDS[name]) };
}

/**
 * Refuses a request for data that a crawl does not have in its state (wire-facts.md, "export gate"; spec-notes.md 23,
 * 24).
 */
export function refuseUnlessReported(crawl: StoredResource, dataType: CrawlDataType): void {
  if (crawl.status !== 'done') throw wrongState(`the crawl ${crawl.id} is ${crawl.status}, not done`);
  if (END_REASONS_WITHOUT_REPORT.includes(String(crawl.end_reason)))
    throw wrongState(`the crawl ${crawl.id} ended without a report: ${crawl.end_reason}`);
  if (dataType === 'links' && crawl.link_status === 'archived')
    throw wrongState(`the links of the crawl ${crawl.id} are archived`);
}

/**
 * Refuses a request that needs a missing feature. Crawl, project and workspace each have a list of features. The
 * innermost non-empty list determines the features (spec-notes.md 26).
 *
 * @throws Refusal `forbidden`, with the code `missing_feature`
 */
export function requireFeature(
  resources: Resources,
  project: StoredResource,
  feature: string,
  crawl?: StoredResource,
): void {
  const workspace = resources.get('workspaces', WORKSPACE_ID);
  if (hasFeature([crawl?.features, project.features, workspace?.subscription_features], feature)) return;
  throw forbidden(`the project ${project.id} lacks the feature ${feature}`, 'missing_feature');
}

/** Returns whether a feature is on by these lists, the innermost first. If all lists are empty, no feature is on. */
function hasFeature(lists: readonly unknown[], feature: string): boolean {
  const deciding = lists.find((list): list is unknown[] => Array.isArray(list) && list.length > 0);
  return deciding?.includes(feature) ?? false;
}

/**
 * Returns the project with this id. Refuses if it has no log monitoring, or if its index cannot be searched yet.
 *
 * @throws Refusal `forbidden` or `invalid_state_for_request`
 */
export function requireLogMonitoring(resources: Resources, projectId: string): StoredResource {
  const project = find(resources, 'projects', projectId);
  requireFeature(resources, project, 'log_monitoring');
  if (project.log_monitoring_data_ready === true) return project;
  throw wrongState(`the log monitoring data of the project ${project.id} are not ready`);
}
