export { ERROR_CODES, EXIT_CODES } from './core/errors/error-codes.ts';
export { CrawlhouseError } from './core/errors/errors.ts';
export { Manifest } from './project/model/manifest.ts';
export { Pipeline } from './project/model/pipeline.ts';
export type { RunReport } from './project/model/report.ts';
export type { AggregateBody, AggregateResponse } from './service/api/aggregates.ts';
export {
  type AnyFilters,
  and,
  type FieldTypes,
  type FiltersOf,
  or,
  type Where,
  where,
  whereOf,
} from './service/api/build-oql.ts';
export { ServiceClient } from './service/api/client.ts';
export { CrawlConfig, type CrawlConfigInput, type CrawlConfigUpdate } from './service/api/crawl-configs.ts';
export type { CrawlOverCrawl, CrawlOverCrawlInput } from './service/api/crawl-over-crawls.ts';
export type { CrawlProgress } from './service/api/crawl-progress.ts';
export { CRAWL_END_REASONS, CRAWL_STATUSES, Crawl } from './service/api/crawls.ts';
export type { DataExport, DataExportInput } from './service/api/data-exports.ts';
export { ENDPOINTS } from './service/api/endpoints.ts';
export { CRAWL_DATA_TYPES, FIELD_TYPES, FieldRecord } from './service/api/fields.ts';
export { fileForm, type IngestFile } from './service/api/ingest-files.ts';
export type { LogMetadata } from './service/api/log-monitoring.ts';
export {
  authorizationUrl,
  exchangeCode,
  type OAuthApplication,
  type OAuthTokens,
  refreshTokens,
} from './service/api/oauth.ts';
export { type OAuthSourceOptions, OAuthTokenSource } from './service/api/oauth-token-source.ts';
export { openApiDocument } from './service/api/openapi.ts';
export { FILTER_TYPES, Oql, type OqlLeaf, OqlOptions, type OqlValue } from './service/api/oql.ts';
export type { PageQuery } from './service/api/pagination.ts';
export { OqlError, type ParseOqlOptions, parseOql } from './service/api/parse-oql.ts';
export { printOql } from './service/api/print-oql.ts';
export { Project, type ProjectInput } from './service/api/projects.ts';
export type { RankingBody, RankingExportInput } from './service/api/ranking-performance.ts';
export type { WholeList } from './service/api/read-list.ts';
export { decodeRison, encodeRison } from './service/api/rison.ts';
export type { ScheduledCrawl, ScheduledCrawlInput } from './service/api/scheduled-crawls.ts';
export type { TokenScope } from './service/api/scopes.ts';
export { SEARCH_CEILING, SearchBody, SearchResponse } from './service/api/search.ts';
export type { Secret, SecretInput } from './service/api/secrets.ts';
export { SERVICE_ERROR_STATUS, ServiceErrorBody } from './service/api/service-error.ts';
export type { TokenSource } from './service/api/token-source.ts';
export type { StreamedResponse, TransportOptions } from './service/api/transport.ts';
export {
  signWebhook,
  verifyWebhookSignature,
  WEBHOOK_SIGNATURE_HEADER,
} from './service/api/webhook-signature.ts';
export { Workspace } from './service/api/workspaces.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './service/sandbox/start-sandbox.ts';
