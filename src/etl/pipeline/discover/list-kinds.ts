import { hash } from 'node:crypto';
import type { PageQuery } from '../../../client/http/pagination.ts';
import type { ListPage } from '../../../client/http/read-list.ts';
import type { ServiceClient } from '../../../client/http/service-client.ts';
import type { CrawlOverCrawl } from '../../../client/resources/crawl-over-crawls.ts';
import type { Crawl } from '../../../client/resources/crawls.ts';
import { type DataExport, dataExportStage } from '../../../client/resources/data-exports.ts';
import { END_REASONS_WITHOUT_REPORT } from '../../../client/resources/end-reasons.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { contentOf } from '../../project/model/included-keys.ts';
import type { Listed, ListName } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';

/** How to read one kind of list of a workspace. */
export interface ListKind<T extends { readonly id: string }> {
  readonly name: ListName;
  pages(
    client: ServiceClient,
    workspaceId: string,
    query: PageQuery,
    signal: AbortSignal,
  ): AsyncIterable<ListPage<T>>;
  one(client: ServiceClient, workspaceId: string, id: string, signal: AbortSignal): Promise<T>;
  describe(record: T): Omit<Listed, 'content'>;
  /** Returns whether a record in this state is final and needs no refresh. */
  isFinal(item: Listed): boolean;
}

export const CRAWLS: ListKind<Crawl> = {
  name: 'crawls',
  pages: (client, workspace_id, query, signal) => client.pages('crawls', { workspace_id, query }, signal),
  one: (client, _workspaceId, id, signal) => client.call('crawl', { crawl_id: id }, signal),
  describe: (crawl) => ({
    id: crawl.id,
    project_id: crawl.project_id,
    status: crawl.status,
    end_reason: crawl.end_reason ?? null,
    link_status: crawl.link_status ?? null,
    has_requests: crawl.features?.includes('requests') ? true : null,
    created_at: crawl.created_at ?? null,
    ended_at: crawl.ended_at ?? null,
  }),
  // The state of a crawl that is being archived or restored will still change.
  isFinal: (crawl) => leftNoReport(crawl) || ['done', 'archived', 'cancelled'].includes(crawl.status),
};

export const CRAWL_OVER_CRAWLS: ListKind<CrawlOverCrawl> = {
  name: 'crawl_over_crawls',
  pages: (client, workspace_id, query, signal) =>
    client.pages('crawlOverCrawls', { workspace_id, query }, signal),
  one: (client, _workspaceId, id, signal) =>
    client.call('crawlOverCrawl', { crawl_over_crawl_id: id }, signal),
  describe: (comparison) => ({
    id: comparison.id,
    project_id: comparison.project_id,
    status: comparison.status,
    end_reason: comparison.end_reason ?? null,
    link_status: null,
    has_requests: null,
    created_at: comparison.creation_date ?? null,
    ended_at: comparison.end_date ?? null,
  }),
  isFinal: (comparison) => ['done', 'cancelled'].includes(comparison.status),
};

export const DATA_EXPORTS: ListKind<DataExport> = {
  name: 'data_exports',
  pages: (client, workspace_id, query, signal) =>
    client.pages('dataExports', { workspace_id, query }, signal),
  one: (client, workspaceId, id, signal) =>
    client.call('dataExport', { workspace_id: workspaceId, data_export_id: id }, signal),
  describe: (dataExport) => ({
    id: dataExport.id,
    project_id: null,
    status: dataExport.status,
    end_reason: dataExport.export_failure_reason ?? null,
    link_status: null,
    has_requests: null,
    created_at: dataExport.requested_at ?? null,
    ended_at: null,
  }),
  isFinal: (dataExport) => dataExportStage(dataExport.status) !== 'open',
};

/** Returns the stored facts about a record. If a pipeline loads the list, they include a hash of its `raw` form. */
export function listed<T extends { readonly id: string }>(
  kind: ListKind<T>,
  record: T,
  pipeline: Pipeline | undefined,
): Listed {
  const content = pipeline && stringifyJson(ordered(contentOf({ ...record }, pipeline)));
  return { ...kind.describe(record), content: content === undefined ? null : hash('md5', content) };
}

/** Sorts the keys of every object, because the service guarantees no order. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, ordered(item)]));
}

/** Returns whether a crawl of this state ended without anything to load (spec-notes.md 24). */
export function leftNoReport({ status, end_reason }: Pick<Listed, 'status' | 'end_reason'>): boolean {
  return status === 'cancelled' || END_REASONS_WITHOUT_REPORT.includes(end_reason ?? '');
}
