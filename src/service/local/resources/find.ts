import { END_REASONS_WITHOUT_REPORT } from '../../api/resources/end-reasons.ts';
import type { CrawlDataType } from '../../api/resources/fields.ts';
import { columnsOf } from '../fields/column.ts';
import { type DatasetName, FIELD_RECORDS } from '../fields/field-records-of.ts';
import { forbidden, notFound, wrongState } from './refusal.ts';
import type { Dataset, ResourceKind, Resources, StoredResource } from './resources.ts';
import { WORKSPACE_ID } from './seed.ts';

/**
 * The resource of this id; with `owner` only where it is that one's.
 *
 * @throws Refusal `resource_not_found`
 */
export function find(resources: Resources, kind: ResourceKind, id: string, owner?: string): StoredResource {
  const found =
    owner === undefined ? resources.get(kind, id) : resources.list(kind, owner).find((one) => one.id === id);
  if (found !== undefined) return found;
  const name = kind
    .replace(/s$/, '')
    .replace(/config$/, 'configuration')
    .replaceAll('_', ' ');
  throw notFound(`the ${name} ${id}`);
}

/** A data type of a crawl, a comparison or a project; without its own data, the default fields and no rows. */
export function datasetOf(resources: Resources, owner: string, name: DatasetName): Dataset {
  const own = resources.dataset(owner, name);
  if (own !== undefined) return own;
  return { table: undefined, columns: columnsOf(FIELD_RECORDS[name]) };
}

/** Refuses what a crawl's state has no data for (wire-facts.md, "export gate"; spec-notes.md 23, 24). */
export function refuseUnlessReported(crawl: StoredResource, dataType: CrawlDataType): void {
  if (crawl.status !== 'done') throw wrongState(`the crawl ${crawl.id} is ${crawl.status}, not done`);
  if (END_REASONS_WITHOUT_REPORT.includes(String(crawl.end_reason)))
    throw wrongState(`the crawl ${crawl.id} ended without a report: ${crawl.end_reason}`);
  if (dataType === 'links' && crawl.link_status === 'archived')
    throw wrongState(`the links of the crawl ${crawl.id} are archived`);
}

/**
 * Refuses a request that needs a missing feature. Crawl, project and workspace have lists of features; the innermost
 * non-empty list decides (spec-notes.md 26).
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

/** Whether a feature is on by these lists, the innermost first. If all lists are empty, no feature is on. */
function hasFeature(lists: readonly unknown[], feature: string): boolean {
  const deciding = lists.find((list): list is unknown[] => Array.isArray(list) && list.length > 0);
  return deciding?.includes(feature) ?? false;
}

/**
 * The project of this id. Refuses to read log monitoring of one without it, or before its index can be searched.
 *
 * @throws Refusal `forbidden` or `invalid_state_for_request`
 */
export function requireLogMonitoring(resources: Resources, projectId: string): StoredResource {
  const project = find(resources, 'projects', projectId);
  requireFeature(resources, project, 'log_monitoring');
  if (project.log_monitoring_data_ready === true) return project;
  throw wrongState(`the log monitoring data of the project ${project.id} are not ready`);
}
