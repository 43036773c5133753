import type { z } from 'zod';
import type { AggregateBody, AggregateResponse } from './aggregates.ts';
import { BaseClient, type CallOptions } from './base-client.ts';
import * as data from './data-endpoints.ts';
import type { DataExport } from './data-exports.ts';
import type { Endpoint } from './endpoint.ts';
import type { CrawlDataType, FieldRecord, Granularity } from './fields.ts';
import type { LogMetadata } from './log-monitoring.ts';
import * as ranking from './ranking-performance.ts';
import type { ExportFileType, SearchBody, SearchResponse } from './search.ts';
import type { StreamedResponse } from './transport.ts';

/** What a streamed export is asked for: the whole, or what `oql` leaves. */
export type ExportRequest = Omit<SearchBody, 'limit' | 'offset'>;

/** The data queries of the service: search, aggregates, streamed exports, ranking performance (api-spec.md §4.1, §4.2). */
export class DataClient extends BaseClient {
  /** `GET /data/crawl/<id>/<data type>/fields`. */
  async crawlFields(crawlId: string, dataType: CrawlDataType, signal?: AbortSignal): Promise<FieldRecord[]> {
    return (await this.call(data.GET_CRAWL_FIELDS, { parameters: ofCrawl(crawlId, dataType) }, signal))
      .fields;
  }

  /** `GET …/fields` of a comparison, which the specification does not have: most services answer 404. */
  async crawlOverCrawlFields(crawlOverCrawlId: string, signal?: AbortSignal): Promise<FieldRecord[]> {
    const parameters = { coc_id: crawlOverCrawlId, data_type: 'pages' };
    return (await this.call(data.GET_CRAWL_OVER_CRAWL_FIELDS, { parameters }, signal)).fields;
  }

  /** The same of log lines. */
  async logEventFields(projectId: string, signal?: AbortSignal): Promise<FieldRecord[]> {
    const parameters = { project_id: projectId, data_type: 'events' };
    return (await this.call(data.GET_LOG_EVENT_FIELDS, { parameters }, signal)).fields;
  }

  /** The same of log pages. */
  async logPageFields(
    projectId: string,
    granularity: Granularity,
    signal?: AbortSignal,
  ): Promise<FieldRecord[]> {
    const parameters = { project_id: projectId, data_type: 'pages', granularity };
    return (await this.call(data.GET_LOG_PAGE_FIELDS, { parameters }, signal)).fields;
  }

  /** `GET /data/project/<id>/log_monitoring/<data type>/metadata`. */
  logMetadata(projectId: string, dataType: 'pages' | 'events', signal?: AbortSignal): Promise<LogMetadata> {
    const parameters = { project_id: projectId, data_type: dataType };
    return this.call(data.GET_LOG_METADATA, { parameters }, signal);
  }

  /** `POST /data/crawl/<id>/<data type>`. */
  searchCrawl(
    crawlId: string,
    dataType: CrawlDataType,
    body: SearchBody,
    signal?: AbortSignal,
    asWritten?: boolean,
  ): Promise<SearchResponse> {
    return this.call(data.SEARCH_CRAWL, { parameters: ofCrawl(crawlId, dataType), body, asWritten }, signal);
  }

  /** `POST /data/crawl_over_crawl/<id>/pages`. */
  searchCrawlOverCrawl(
    cocId: string,
    body: SearchBody,
    signal?: AbortSignal,
    asWritten?: boolean,
  ): Promise<SearchResponse> {
    return this.call(
      data.SEARCH_CRAWL_OVER_CRAWL,
      { parameters: ofComparison(cocId), body, asWritten },
      signal,
    );
  }

  /** `POST /data/project/<id>/log_monitoring/events`. */
  searchLogEvents(
    projectId: string,
    body: SearchBody,
    signal?: AbortSignal,
    asWritten?: boolean,
  ): Promise<SearchResponse> {
    return this.call(data.SEARCH_LOG_EVENTS, { parameters: ofEvents(projectId), body, asWritten }, signal);
  }

  /** `POST /data/project/<id>/log_monitoring/pages/<granularity>`. */
  searchLogPages(
    projectId: string,
    granularity: Granularity,
    body: SearchBody,
    signal?: AbortSignal,
    asWritten?: boolean,
  ): Promise<SearchResponse> {
    return this.call(
      data.SEARCH_LOG_PAGES,
      { parameters: ofLogPages(projectId, granularity), body, asWritten },
      signal,
    );
  }

  /** `POST /data/crawl/<id>/<data type>/aggs`. */
  aggregateCrawl(
    crawlId: string,
    dataType: CrawlDataType,
    body: AggregateBody,
    signal?: AbortSignal,
  ): Promise<AggregateResponse> {
    return this.call(data.AGGREGATE_CRAWL, { parameters: ofCrawl(crawlId, dataType), body }, signal);
  }

  /** `POST /data/crawl_over_crawl/<id>/pages/aggs`. */
  aggregateCrawlOverCrawl(
    cocId: string,
    body: AggregateBody,
    signal?: AbortSignal,
  ): Promise<AggregateResponse> {
    return this.call(data.AGGREGATE_CRAWL_OVER_CRAWL, { parameters: ofComparison(cocId), body }, signal);
  }

  /** `POST /data/project/<id>/log_monitoring/events/aggs`. */
  aggregateLogEvents(
    projectId: string,
    body: AggregateBody,
    signal?: AbortSignal,
  ): Promise<AggregateResponse> {
    return this.call(data.AGGREGATE_LOG_EVENTS, { parameters: ofEvents(projectId), body }, signal);
  }

  /** `POST /data/project/<id>/log_monitoring/pages/<granularity>/aggs`. */
  aggregateLogPages(
    projectId: string,
    granularity: Granularity,
    body: AggregateBody,
    signal?: AbortSignal,
  ): Promise<AggregateResponse> {
    return this.call(
      data.AGGREGATE_LOG_PAGES,
      { parameters: ofLogPages(projectId, granularity), body },
      signal,
    );
  }

  /** `POST /data/crawl/<id>/<data type>?export=true`: the rows as one streamed file, tried once. */
  exportCrawl(
    crawlId: string,
    dataType: CrawlDataType,
    body: ExportRequest,
    fileType: ExportFileType,
    acceptGzip: boolean,
    signal?: AbortSignal,
  ): Promise<StreamedResponse> {
    const parameters = ofCrawl(crawlId, dataType);
    return this.#export(data.EXPORT_CRAWL, parameters, body, fileType, acceptGzip, signal);
  }

  /** `POST /data/crawl_over_crawl/<id>/pages?export=true`. */
  exportCrawlOverCrawl(
    cocId: string,
    body: ExportRequest,
    fileType: ExportFileType,
    acceptGzip: boolean,
    signal?: AbortSignal,
  ): Promise<StreamedResponse> {
    const parameters = ofComparison(cocId);
    return this.#export(data.EXPORT_CRAWL_OVER_CRAWL, parameters, body, fileType, acceptGzip, signal);
  }

  /** `POST /data/project/<id>/log_monitoring/events?export=true`. */
  exportLogEvents(
    projectId: string,
    body: ExportRequest,
    fileType: ExportFileType,
    acceptGzip: boolean,
    signal?: AbortSignal,
  ): Promise<StreamedResponse> {
    const parameters = ofEvents(projectId);
    return this.#export(data.EXPORT_LOG_EVENTS, parameters, body, fileType, acceptGzip, signal);
  }

  /** `POST /data/project/<id>/log_monitoring/pages/<granularity>?export=true`. */
  exportLogPages(
    projectId: string,
    granularity: Granularity,
    body: ExportRequest,
    fileType: ExportFileType,
    acceptGzip: boolean,
    signal?: AbortSignal,
  ): Promise<StreamedResponse> {
    const parameters = ofLogPages(projectId, granularity);
    return this.#export(data.EXPORT_LOG_PAGES, parameters, body, fileType, acceptGzip, signal);
  }

  /** `GET /data/project/<id>/ranking_performance/fields`. */
  async rankingFields(projectId: string, signal?: AbortSignal): Promise<FieldRecord[]> {
    const parameters = { project_id: projectId };
    return (await this.call(ranking.GET_RANKING_FIELDS, { parameters }, signal)).fields;
  }

  /** `POST /data/project/<id>/ranking_performance/aggs`. */
  aggregateRanking(
    projectId: string,
    body: ranking.RankingBody,
    signal?: AbortSignal,
  ): Promise<AggregateResponse> {
    return this.call(ranking.AGGREGATE_RANKING, { parameters: { project_id: projectId }, body }, signal);
  }

  /** `POST /data/project/<id>/ranking_performance/async-export`, once. */
  async exportRanking(
    projectId: string,
    body: ranking.RankingExportInput,
    signal?: AbortSignal,
  ): Promise<DataExport> {
    const parameters = { project_id: projectId };
    return (await this.call(ranking.EXPORT_RANKING, { parameters, body }, signal)).data_export;
  }

  /** `file_type` goes in the query and in the body (wire-facts.md). */
  #export<Path extends string>(
    endpoint: Endpoint<Path, z.ZodType, z.ZodType, z.ZodType>,
    parameters: CallOptions<Path>['parameters'],
    body: ExportRequest,
    fileType: ExportFileType,
    acceptGzip: boolean,
    signal: AbortSignal | undefined,
  ): Promise<StreamedResponse> {
    const query = { export: 'true', file_type: fileType };
    const headers = { accept: '*/*', 'accept-encoding': acceptGzip ? 'gzip' : 'identity' };
    return this.stream(
      endpoint,
      { parameters, query, body: { ...body, file_type: fileType }, headers },
      signal,
    );
  }
}

const ofCrawl = (crawl_id: string, data_type: CrawlDataType) => ({ crawl_id, data_type });
const ofComparison = (coc_id: string) => ({ coc_id, data_type: 'pages' });
const ofEvents = (project_id: string) => ({ project_id, data_type: 'events' });
const ofLogPages = (project_id: string, granularity: Granularity) => ({
  project_id,
  data_type: 'pages',
  granularity,
});
