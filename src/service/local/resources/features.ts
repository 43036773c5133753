import { Refusal } from './refusal.ts';
import type { Document, Resources } from './resources.ts';
import { WORKSPACE_ID } from './seed.ts';

/**
 * Refuses a request that needs a missing feature. Crawl, project and workspace have lists of features; the innermost
 * non-empty list decides (spec-notes.md 26).
 *
 * @throws Refusal `forbidden`, with the code `missing_feature`
 */
export function requireFeature(
  resources: Resources,
  project: Document,
  feature: string,
  crawl?: Document,
): void {
  const workspace = resources.get('workspaces', WORKSPACE_ID);
  if (hasFeature([crawl?.features, project.features, workspace?.subscription_features], feature)) return;
  throw new Refusal('forbidden', `the project ${project.id} lacks the feature ${feature}`, {
    code: 'missing_feature',
  });
}

/** Whether a feature is on by these lists, the innermost first. If all lists are empty, no feature is on. */
function hasFeature(lists: readonly unknown[], feature: string): boolean {
  const deciding = lists.find((list): list is unknown[] => Array.isArray(list) && list.length > 0);
  return deciding?.includes(feature) ?? false;
}

/**
 * Refuses to read log monitoring of a project without it, or before its index can be searched.
 *
 * @throws Refusal `forbidden` or `invalid_state_for_request`
 */
export function requireLogMonitoring(resources: Resources, project: Document): void {
  requireFeature(resources, project, 'log_monitoring');
  if (project.log_monitoring_data_ready === true) return;
  throw new Refusal(
    'invalid_state_for_request',
    `the log monitoring data of the project ${project.id} are not ready`,
  );
}
