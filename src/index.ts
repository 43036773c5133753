export { ENDPOINTS } from './client/endpoints.ts';
export {
  authorizationUrl,
  exchangeCode,
  type OAuthApplication,
  type OAuthTokens,
  refreshTokens,
} from './client/http/oauth.ts';
export { type OAuthSourceOptions, OAuthTokenSource } from './client/http/oauth-token-source.ts';
export type { PageQuery } from './client/http/pagination.ts';
export type { WholeList } from './client/http/read-list.ts';
export { decodeRison, encodeRison } from './client/http/rison.ts';
export { ServiceClient } from './client/http/service-client.ts';
export { SERVICE_ERROR_STATUS, ServiceErrorBody } from './client/http/service-error.ts';
export type { TokenSource } from './client/http/token-source.ts';
export type { StreamedResponse, TransportOptions } from './client/http/transport.ts';
export { openApiDocument } from './client/openapi/openapi.ts';
export {
  type AnyFilters,
  and,
  type FieldTypes,
  type FiltersOf,
  or,
  type Where,
  where,
  whereOf,
} from './client/oql/build-oql.ts';
export { FILTER_TYPES, Oql, type OqlLeaf, OqlOptions, type OqlValue } from './client/oql/oql.ts';
export { OqlError, type ParseOqlOptions, parseOql } from './client/oql/parse-oql.ts';
export { printOql } from './client/oql/print-oql.ts';
export type { AggregateBody, AggregateResponse } from './client/resources/aggregates.ts';
export {
  CrawlConfig,
  type CrawlConfigInput,
  type CrawlConfigUpdate,
} from './client/resources/crawl-configs.ts';
export type { CrawlOverCrawl, CrawlOverCrawlInput } from './client/resources/crawl-over-crawls.ts';
export type { CrawlProgress } from './client/resources/crawl-progress.ts';
export { CRAWL_END_REASONS, CRAWL_STATUSES, Crawl } from './client/resources/crawls.ts';
export type { DataExport, DataExportInput } from './client/resources/data-exports.ts';
export { CRAWL_DATA_TYPES, FIELD_TYPES, FieldRecord } from './client/resources/fields.ts';
export { fileForm, type IngestFile } from './client/resources/ingest-files.ts';
export type { LogMetadata } from './client/resources/log-monitoring.ts';
export { Project, type ProjectInput } from './client/resources/projects.ts';
export type { RankingBody, RankingExportInput } from './client/resources/ranking-performance.ts';
export type { ScheduledCrawl, ScheduledCrawlInput } from './client/resources/scheduled-crawls.ts';
export { SEARCH_CEILING, SearchBody, SearchResponse } from './client/resources/search.ts';
export type { Secret, SecretInput } from './client/resources/secrets.ts';
export { Workspace } from './client/resources/workspaces.ts';
export type { TokenScope } from './client/scopes.ts';
export {
  signWebhook,
  verifyWebhookSignature,
  WEBHOOK_SIGNATURE_HEADER,
} from './client/webhook-signature.ts';
export { ERROR_CODES, EXIT_CODES } from './core/errors/error-codes.ts';
export { CrawlhouseError } from './core/errors/errors.ts';
export { Manifest } from './etl/project/model/manifest.ts';
export { Pipeline } from './etl/project/model/pipeline.ts';
export type { RunReport } from './etl/project/model/runs/unit-report.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './service/sandbox/start-sandbox.ts';
