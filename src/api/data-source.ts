import type { DataClient, ExportRequest } from './data-client.ts';
import type { CrawlDataType, FieldRecord, Granularity } from './fields.ts';
import type { ExportFileType, SearchBody, SearchResponse } from './search.ts';
import type { StreamedResponse } from './transport.ts';

/** One of the four places that rows are searched in and exported from (api-spec.md §4.1). */
export type DataSource =
  | { readonly kind: 'crawl'; readonly id: string; readonly dataType: CrawlDataType }
  | { readonly kind: 'crawl_over_crawl'; readonly id: string }
  | { readonly kind: 'log_events'; readonly projectId: string }
  | { readonly kind: 'log_pages'; readonly projectId: string; readonly granularity: Granularity };

/** In words, for messages: `pages of crawl 65a1…`. */
export function describeSource(source: DataSource): string {
  switch (source.kind) {
    case 'crawl':
      return `${source.dataType} of crawl ${source.id}`;
    case 'crawl_over_crawl':
      return `pages of crawl over crawl ${source.id}`;
    case 'log_events':
      return `log events of project ${source.projectId}`;
    case 'log_pages':
      return `log pages by ${source.granularity} of project ${source.projectId}`;
  }
}

/** `GET …/fields`, of which the specification has only that of crawls (spec-notes.md 11). */
export function fieldsOfSource(
  client: DataClient,
  source: DataSource,
  signal?: AbortSignal,
): Promise<FieldRecord[]> {
  switch (source.kind) {
    case 'crawl':
      return client.crawlFields(source.id, source.dataType, signal);
    case 'crawl_over_crawl':
      return client.crawlOverCrawlFields(source.id, signal);
    case 'log_events':
      return client.logEventFields(source.projectId, signal);
    case 'log_pages':
      return client.logPageFields(source.projectId, source.granularity, signal);
  }
}

/** @param asWritten keeps the numbers of the rows in the spelling they came in */
export function searchSource(
  client: DataClient,
  source: DataSource,
  body: SearchBody,
  signal?: AbortSignal,
  asWritten?: boolean,
): Promise<SearchResponse> {
  switch (source.kind) {
    case 'crawl':
      return client.searchCrawl(source.id, source.dataType, body, signal, asWritten);
    case 'crawl_over_crawl':
      return client.searchCrawlOverCrawl(source.id, body, signal, asWritten);
    case 'log_events':
      return client.searchLogEvents(source.projectId, body, signal, asWritten);
    case 'log_pages':
      return client.searchLogPages(source.projectId, source.granularity, body, signal, asWritten);
  }
}

export function exportSource(
  client: DataClient,
  source: DataSource,
  body: ExportRequest,
  fileType: ExportFileType,
  acceptGzip: boolean,
  signal?: AbortSignal,
): Promise<StreamedResponse> {
  switch (source.kind) {
    case 'crawl':
      return client.exportCrawl(source.id, source.dataType, body, fileType, acceptGzip, signal);
    case 'crawl_over_crawl':
      return client.exportCrawlOverCrawl(source.id, body, fileType, acceptGzip, signal);
    case 'log_events':
      return client.exportLogEvents(source.projectId, body, fileType, acceptGzip, signal);
    case 'log_pages':
      return client.exportLogPages(source.projectId, source.granularity, body, fileType, acceptGzip, signal);
  }
}
