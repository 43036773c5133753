import type { z } from 'zod';
import { CrawlhouseError } from '../core/errors.ts';
import { type CrawlConfig, CrawlConfigList, CrawlConfigResponse } from './crawl-configs.ts';
import { type Crawl, CrawlPage, CrawlResponse } from './crawls.ts';
import { type CrawlDataType, type FieldRecord, FieldsResponse } from './fields.ts';
import type { PageMeta, PageQuery } from './pagination.ts';
import { type Project, ProjectPage, ProjectResponse } from './projects.ts';
import { encodeRison } from './rison.ts';
import { type ExportFileType, type SearchBody, SearchResponse } from './search.ts';
import { type StreamedResponse, Transport, type TransportOptions } from './transport.ts';
import { type Workspace, WorkspacePage, WorkspaceResponse } from './workspaces.ts';

/** A whole list: its items in the service's order, and the service's own total. */
export interface WholeList<T> {
  readonly items: readonly T[];
  readonly total: number;
}

interface ListPage<T> {
  readonly total: number;
  readonly items: readonly T[];
}

/** Items a page: few requests, small answers. The service states no greatest value (api-spec.md §8). */
const PAGE_SIZE = 100;
/** How often a list that changes while it is read is read again. */
const LIST_READS = 5;

/** A typed client of the service; every method takes an `AbortSignal` last. */
export class ServiceClient implements AsyncDisposable {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /** `GET /workspaces` (api-spec.md §4.9). */
  workspaces(query: PageQuery = {}, signal?: AbortSignal): AsyncGenerator<Workspace> {
    return eachItem(this.#pages('/workspaces', WorkspacePage, (page) => page.workspaces, query, signal));
  }

  /** `GET /workspaces/<id>` (api-spec.md §4.9). */
  async workspace(id: string, signal?: AbortSignal): Promise<Workspace> {
    return (await this.#get(`/workspaces/${encodeURIComponent(id)}`, WorkspaceResponse, signal)).workspace;
  }

  /** `GET /workspaces/<id>/projects` (api-spec.md §4.3). */
  projects(workspaceId: string, query: PageQuery = {}, signal?: AbortSignal): AsyncGenerator<Project> {
    return eachItem(this.#projectPages(workspaceId, query, signal));
  }

  /** Every project of a workspace, each once. */
  allProjects(workspaceId: string, signal?: AbortSignal): Promise<WholeList<Project>> {
    return wholeList('projects', () => this.#projectPages(workspaceId, {}, signal));
  }

  /** `GET /projects/<id>` (api-spec.md §4.3). */
  project(id: string, signal?: AbortSignal): Promise<z.output<typeof ProjectResponse>> {
    return this.#get(`/projects/${encodeURIComponent(id)}`, ProjectResponse, signal);
  }

  /** `GET /workspaces/<id>/crawls` (api-spec.md §4.5). */
  crawls(workspaceId: string, query: PageQuery = {}, signal?: AbortSignal): AsyncGenerator<Crawl> {
    return eachItem(this.#crawlPages(workspaceId, query, signal));
  }

  /** Every crawl of a workspace, each once. */
  allCrawls(workspaceId: string, signal?: AbortSignal): Promise<WholeList<Crawl>> {
    return wholeList('crawls', () => this.#crawlPages(workspaceId, {}, signal));
  }

  /** `GET /crawls/<id>` (api-spec.md §4.5). */
  async crawl(id: string, signal?: AbortSignal): Promise<Crawl> {
    return (await this.#get(`/crawls/${encodeURIComponent(id)}`, CrawlResponse, signal)).crawl;
  }

  /** `GET /projects/<id>/crawl_configs`: the whole list, unpaged (api-spec.md §4.7). */
  async crawlConfigs(projectId: string, signal?: AbortSignal): Promise<CrawlConfig[]> {
    const path = `/projects/${encodeURIComponent(projectId)}/crawl_configs`;
    return (await this.#get(path, CrawlConfigList, signal)).crawl_configs;
  }

  /** `GET /projects/<id>/crawl_configs/<id>` (api-spec.md §4.7). */
  async crawlConfig(projectId: string, id: string, signal?: AbortSignal): Promise<CrawlConfig> {
    const path = `/projects/${encodeURIComponent(projectId)}/crawl_configs/${encodeURIComponent(id)}`;
    return (await this.#get(path, CrawlConfigResponse, signal)).crawl_config;
  }

  /** `GET /data/crawl/<id>/<data type>/fields` (api-spec.md §4.1). */
  async crawlFields(crawlId: string, dataType: CrawlDataType, signal?: AbortSignal): Promise<FieldRecord[]> {
    return (await this.#get(`${crawlDataPath(crawlId, dataType)}/fields`, FieldsResponse, signal)).fields;
  }

  /** `POST /data/crawl/<id>/<data type>` (api-spec.md §4.1). */
  searchCrawl(
    crawlId: string,
    dataType: CrawlDataType,
    body: SearchBody,
    signal?: AbortSignal,
  ): Promise<SearchResponse> {
    const path = crawlDataPath(crawlId, dataType);
    return this.#transport.json({ method: 'POST', path, body, repeatable: true }, SearchResponse, signal);
  }

  /**
   * `POST /data/crawl/<id>/<data type>?export=true`: the rows as one streamed file, tried once: a stream that breaks
   * can't be taken up again. `file_type` goes in the query and in the body (wire-facts.md).
   */
  exportCrawl(
    crawlId: string,
    dataType: CrawlDataType,
    body: Omit<SearchBody, 'file_type' | 'limit' | 'offset'>,
    fileType: ExportFileType,
    acceptGzip: boolean,
    signal?: AbortSignal,
  ): Promise<StreamedResponse> {
    return this.#transport.stream(
      {
        method: 'POST',
        path: `${crawlDataPath(crawlId, dataType)}?export=true&file_type=${fileType}`,
        body: { ...body, file_type: fileType },
        headers: { accept: '*/*', 'accept-encoding': acceptGzip ? 'gzip' : 'identity' },
        repeatable: true,
      },
      signal,
    );
  }

  #projectPages(workspaceId: string, query: PageQuery, signal: AbortSignal | undefined) {
    const path = `/workspaces/${encodeURIComponent(workspaceId)}/projects`;
    return this.#pages(path, ProjectPage, (page) => page.projects, query, signal);
  }

  #crawlPages(workspaceId: string, query: PageQuery, signal: AbortSignal | undefined) {
    const path = `/workspaces/${encodeURIComponent(workspaceId)}/crawls`;
    return this.#pages(path, CrawlPage, (page) => page.crawls, query, signal);
  }

  #get<T extends z.ZodType>(path: string, schema: T, signal: AbortSignal | undefined): Promise<z.output<T>> {
    return this.#transport.json({ method: 'GET', path, repeatable: true }, schema, signal);
  }

  /** The pages of a list from `query.offset` on, until one reaches the total or is empty. */
  async *#pages<P extends { readonly meta: PageMeta }, T>(
    path: string,
    schema: z.ZodType<P>,
    itemsOf: (page: P) => readonly T[],
    query: PageQuery,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ListPage<T>> {
    const limit = query.limit ?? PAGE_SIZE;
    for (let offset = query.offset ?? 0; ; ) {
      const page = await this.#get(`${path}?${listQuery({ ...query, offset, limit })}`, schema, signal);
      const items = itemsOf(page);
      yield { total: page.meta.total, items };
      offset += items.length;
      if (items.length === 0 || offset >= page.meta.total) return;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }
}

async function* eachItem<T>(pages: AsyncIterable<ListPage<T>>): AsyncGenerator<T> {
  for await (const page of pages) yield* page.items;
}

/**
 * Reads a list until what came is what the service counts: offsets shift when items are added meanwhile, so items are
 * known by id and a list that does not add up is read again.
 */
async function wholeList<T extends { readonly id: string }>(
  name: string,
  read: () => AsyncIterable<ListPage<T>>,
): Promise<WholeList<T>> {
  let total = 0;
  let found = new Map<string, T>();
  for (let reads = 0; reads < LIST_READS; reads++) {
    found = new Map();
    for await (const page of read()) {
      total = page.total;
      for (const item of page.items) found.set(item.id, item);
    }
    if (found.size === total) return { items: [...found.values()], total };
  }
  throw new CrawlhouseError(
    'cut_short',
    `the list of ${name} does not add up: the service counts ${total}, its pages hold ${found.size}`,
    { hint: 'it may be changing too fast; the next run tries again' },
  );
}

function crawlDataPath(crawlId: string, dataType: CrawlDataType): string {
  return `/data/crawl/${encodeURIComponent(crawlId)}/${dataType}`;
}

function listQuery(query: PageQuery): string {
  const parts = [`offset=${query.offset ?? 0}`, `limit=${query.limit ?? PAGE_SIZE}`];
  if (query.sort) parts.push(`sort=${encodeURIComponent(`${query.sort.name}:${query.sort.order}`)}`);
  if (query.filters) parts.push(`filters=${encodeRison(query.filters)}`);
  return parts.join('&');
}
