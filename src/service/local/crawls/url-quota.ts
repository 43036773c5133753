import type { Document, Resources } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';

/** URLs that the workspace's crawls may still fetch: no end of them unless `crawl_url_quota` is set. */
export function quotaLeft(resources: Resources): number {
  const quota = resources.get('workspaces', WORKSPACE_ID)?._crawl_url_quota;
  return typeof quota === 'number' ? quota : Number.POSITIVE_INFINITY;
}

/** Takes URLs out of the quota, where there is one; a negative number gives back. */
export function takeQuota(resources: Resources, urls: number): boolean {
  const workspace = resources.get('workspaces', WORKSPACE_ID);
  if (workspace === undefined || typeof workspace._crawl_url_quota !== 'number') return false;
  resources.put('workspaces', '', { ...workspace, _crawl_url_quota: workspace._crawl_url_quota - urls });
  return true;
}

/** Releases the quota that an ended crawl had reserved but not used. */
export function returnQuota(resources: Resources, crawl: Document): void {
  if (typeof crawl._reserved === 'number')
    takeQuota(resources, Number(crawl.fetched_urls ?? 0) - crawl._reserved);
}
