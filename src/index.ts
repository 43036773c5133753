export type { AggregateBody, AggregateResponse } from './api/aggregates.ts';
export {
  type AnyFilters,
  and,
  type FieldTypes,
  type FiltersOf,
  or,
  type Where,
  where,
  whereOf,
} from './api/build-oql.ts';
export { ServiceClient } from './api/client.ts';
export { CrawlConfig, type CrawlConfigInput, type CrawlConfigUpdate } from './api/crawl-configs.ts';
export type { CrawlOverCrawl, CrawlOverCrawlInput } from './api/crawl-over-crawls.ts';
export type { CrawlProgress } from './api/crawl-progress.ts';
export { CRAWL_END_REASONS, CRAWL_STATUSES, Crawl } from './api/crawls.ts';
export type { DataExport, DataExportInput } from './api/data-exports.ts';
export { ENDPOINTS } from './api/endpoints.ts';
export { CRAWL_DATA_TYPES, FIELD_TYPES, FieldRecord } from './api/fields.ts';
export { fileForm, type IngestFile } from './api/ingest-files.ts';
export type { LogMetadata } from './api/log-monitoring.ts';
export {
  authorizationUrl,
  exchangeCode,
  type OAuthApplication,
  type OAuthTokens,
  refreshTokens,
} from './api/oauth.ts';
export { type OAuthSourceOptions, OAuthTokenSource } from './api/oauth-token-source.ts';
export { openApiDocument } from './api/openapi.ts';
export { FILTER_TYPES, Oql, type OqlLeaf, OqlOptions, type OqlValue } from './api/oql.ts';
export type { PageQuery } from './api/pagination.ts';
export { OqlError, type ParseOqlOptions, parseOql } from './api/parse-oql.ts';
export { printOql } from './api/print-oql.ts';
export { Project, type ProjectInput } from './api/projects.ts';
export type { RankingBody, RankingExportInput } from './api/ranking-performance.ts';
export type { WholeList } from './api/read-list.ts';
export { decodeRison, encodeRison } from './api/rison.ts';
export type { ScheduledCrawl, ScheduledCrawlInput } from './api/scheduled-crawls.ts';
export type { Scope } from './api/scopes.ts';
export { SEARCH_CEILING, SearchBody, SearchResponse } from './api/search.ts';
export type { Secret, SecretInput } from './api/secrets.ts';
export { SERVICE_ERROR_STATUS, ServiceErrorBody } from './api/service-error.ts';
export type { TokenSource } from './api/token-source.ts';
export type { StreamedResponse, TransportOptions } from './api/transport.ts';
export {
  signWebhook,
  verifyWebhookSignature,
  WEBHOOK_SIGNATURE_HEADER,
} from './api/webhook-signature.ts';
export { Workspace } from './api/workspaces.ts';
export { ERROR_CODES, EXIT_CODES } from './core/error-codes.ts';
export { CrawlhouseError } from './core/errors.ts';
export { Manifest } from './model/manifest.ts';
export { Pipeline } from './model/pipeline.ts';
export type { RunReport } from './model/report.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/start-sandbox.ts';
