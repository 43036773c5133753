export { ERROR_CODES, EXIT_CODES } from './core/errors/error-codes.ts';
export { CrawlhouseError } from './core/errors/errors.ts';
export { Manifest } from './project/model/manifest.ts';
export { Pipeline } from './project/model/pipeline.ts';
export type { RunReport } from './project/model/runs/report.ts';
export { ServiceClient } from './service/api/client/client.ts';
export {
  authorizationUrl,
  exchangeCode,
  type OAuthApplication,
  type OAuthTokens,
  refreshTokens,
} from './service/api/client/oauth.ts';
export { type OAuthSourceOptions, OAuthTokenSource } from './service/api/client/oauth-token-source.ts';
export type { PageQuery } from './service/api/client/pagination.ts';
export type { WholeList } from './service/api/client/read-list.ts';
export { decodeRison, encodeRison } from './service/api/client/rison.ts';
export { SERVICE_ERROR_STATUS, ServiceErrorBody } from './service/api/client/service-error.ts';
export type { TokenSource } from './service/api/client/token-source.ts';
export type { StreamedResponse, TransportOptions } from './service/api/client/transport.ts';
export { ENDPOINTS } from './service/api/endpoints.ts';
export { openApiDocument } from './service/api/openapi/openapi.ts';
export {
  type AnyFilters,
  and,
  type FieldTypes,
  type FiltersOf,
  or,
  type Where,
  where,
  whereOf,
} from './service/api/oql/build-oql.ts';
export { FILTER_TYPES, Oql, type OqlLeaf, OqlOptions, type OqlValue } from './service/api/oql/oql.ts';
export { OqlError, type ParseOqlOptions, parseOql } from './service/api/oql/parse-oql.ts';
export { printOql } from './service/api/oql/print-oql.ts';
export type { AggregateBody, AggregateResponse } from './service/api/resources/aggregates.ts';
export {
  CrawlConfig,
  type CrawlConfigInput,
  type CrawlConfigUpdate,
} from './service/api/resources/crawl-configs.ts';
export type { CrawlOverCrawl, CrawlOverCrawlInput } from './service/api/resources/crawl-over-crawls.ts';
export type { CrawlProgress } from './service/api/resources/crawl-progress.ts';
export { CRAWL_END_REASONS, CRAWL_STATUSES, Crawl } from './service/api/resources/crawls.ts';
export type { DataExport, DataExportInput } from './service/api/resources/data-exports.ts';
export { CRAWL_DATA_TYPES, FIELD_TYPES, FieldRecord } from './service/api/resources/fields.ts';
export { fileForm, type IngestFile } from './service/api/resources/ingest-files.ts';
export type { LogMetadata } from './service/api/resources/log-monitoring.ts';
export { Project, type ProjectInput } from './service/api/resources/projects.ts';
export type { RankingBody, RankingExportInput } from './service/api/resources/ranking-performance.ts';
export type { ScheduledCrawl, ScheduledCrawlInput } from './service/api/resources/scheduled-crawls.ts';
export { SEARCH_CEILING, SearchBody, SearchResponse } from './service/api/resources/search.ts';
export type { Secret, SecretInput } from './service/api/resources/secrets.ts';
export { Workspace } from './service/api/resources/workspaces.ts';
export type { TokenScope } from './service/api/scopes.ts';
export {
  signWebhook,
  verifyWebhookSignature,
  WEBHOOK_SIGNATURE_HEADER,
} from './service/api/webhook-signature.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './service/local/sandbox/start-sandbox.ts';
