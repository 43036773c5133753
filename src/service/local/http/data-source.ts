import {
  CRAWL_DATA_TYPES,
  type CrawlDataType,
  GRANULARITIES,
  type Granularity,
} from '../../api/resources/fields.ts';
import {
  datasetOf,
  find,
  refuseUnlessReported,
  requireFeature,
  requireLogMonitoring,
} from '../resources/find.ts';
import { Refusal } from '../resources/refusal.ts';
import type { Dataset, Resources } from '../resources/resources.ts';

/** Rows that may be read now, and what a file of them is called. */
export interface ReadableRows {
  readonly dataset: Dataset;
  readonly name: string;
}

/**
 * The rows of a crawl: once it is done and has a report.
 *
 * @throws Refusal `resource_not_found` or `invalid_state_for_request`; so do the others
 */
export function crawlSource(
  resources: Resources,
  { crawl_id, data_type }: { readonly crawl_id: string; readonly data_type: string },
): ReadableRows {
  const crawl = find(resources, 'crawls', crawl_id);
  const dataType = oneOf<CrawlDataType>(CRAWL_DATA_TYPES, data_type);
  refuseUnlessReported(crawl, dataType);
  return { dataset: datasetOf(resources, crawl.id, dataType), name: `${dataType}-${crawl.id}` };
}

/**
 * The compared pages of a crawl over crawl: once it is done, and not of one that found conflicting URLs.
 *
 * @throws Refusal `forbidden` too, where the project lacks the feature; so do those of log monitoring
 */
export function crawlOverCrawlSource(
  resources: Resources,
  { coc_id }: { readonly coc_id: string },
): ReadableRows {
  const comparison = find(resources, 'crawl_over_crawls', coc_id);
  const { id, status, end_reason: reason } = comparison;
  requireFeature(resources, find(resources, 'projects', String(comparison.project_id)), 'crawl_over_crawl');
  if (status !== 'done') {
    throw new Refusal('invalid_state_for_request', `the crawl over crawl ${id} is ${status}, not done`);
  }
  if (reason === 'conflicting_urls') {
    throw new Refusal('invalid_state_for_request', `the crawl over crawl ${id} ended with ${reason}`);
  }
  return {
    dataset: datasetOf(resources, id, 'crawl_over_crawl_pages'),
    name: `crawl-over-crawl-pages-${id}`,
  };
}

/** The log lines of a project with log monitoring. */
export function logEventsSource(
  resources: Resources,
  { project_id }: { readonly project_id: string },
): ReadableRows {
  const project = find(resources, 'projects', project_id);
  requireLogMonitoring(resources, project);
  return { dataset: datasetOf(resources, project.id, 'events'), name: `events-${project.id}` };
}

/** The pages of log monitoring, by day, week or month. */
export function logPagesSource(
  resources: Resources,
  { project_id, granularity }: { readonly project_id: string; readonly granularity: string },
): ReadableRows {
  const project = find(resources, 'projects', project_id);
  requireLogMonitoring(resources, project);
  const by = oneOf<Granularity>(GRANULARITIES, granularity);
  return {
    dataset: datasetOf(resources, project.id, `log_pages_${by}`),
    name: `log-pages-${by}-${project.id}`,
  };
}

/** A path value that the endpoint's definition has checked already. */
function oneOf<T extends string>(known: readonly T[], value: string): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new Error(`${value} is none of ${known.join(', ')}`);
  return found;
}
