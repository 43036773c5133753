import * as data from './data-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import * as configs from './resources/crawl-configs.ts';
import * as comparisons from './resources/crawl-over-crawls.ts';
import { GET_CRAWL_PROGRESS } from './resources/crawl-progress.ts';
import * as crawls from './resources/crawls.ts';
import * as exports from './resources/data-exports.ts';
import * as files from './resources/ingest-files.ts';
import * as projects from './resources/projects.ts';
import * as ranking from './resources/ranking-performance.ts';
import * as scheduled from './resources/scheduled-crawls.ts';
import * as secrets from './resources/secrets.ts';
import * as workspaces from './resources/workspaces.ts';

/**
 * All 52 operations of the service (api-spec.md §4), counting `/aggs` and the export for each of the four data paths.
 * Each key is the name of the operation in the client and in the OpenAPI document.
 */
export const ENDPOINTS = {
  crawlFields: data.CRAWL.fields,
  logMetadata: data.GET_LOG_METADATA,
  searchCrawl: data.CRAWL.search,
  searchCrawlOverCrawl: data.CRAWL_OVER_CRAWL.search,
  searchLogEvents: data.LOG_EVENTS.search,
  searchLogPages: data.LOG_PAGES.search,
  aggregateCrawl: data.CRAWL.aggregate,
  aggregateCrawlOverCrawl: data.CRAWL_OVER_CRAWL.aggregate,
  aggregateLogEvents: data.LOG_EVENTS.aggregate,
  aggregateLogPages: data.LOG_PAGES.aggregate,
  exportCrawl: data.CRAWL.export,
  exportCrawlOverCrawl: data.CRAWL_OVER_CRAWL.export,
  exportLogEvents: data.LOG_EVENTS.export,
  exportLogPages: data.LOG_PAGES.export,

  rankingFields: ranking.GET_RANKING_FIELDS,
  aggregateRanking: ranking.AGGREGATE_RANKING,
  exportRanking: ranking.EXPORT_RANKING,

  projects: projects.LIST_PROJECTS,
  project: projects.GET_PROJECT,
  createProject: projects.CREATE_PROJECT,
  deleteProject: projects.DELETE_PROJECT,

  scheduledCrawls: scheduled.LIST_SCHEDULED_CRAWLS,
  createScheduledCrawl: scheduled.CREATE_SCHEDULED_CRAWL,
  deleteScheduledCrawl: scheduled.DELETE_SCHEDULED_CRAWL,

  launchCrawl: crawls.LAUNCH_CRAWL,
  crawls: crawls.LIST_CRAWLS,
  crawl: crawls.GET_CRAWL,
  crawlProgress: GET_CRAWL_PROGRESS,
  pilotCrawl: crawls.PILOT_CRAWL,
  deleteCrawl: crawls.DELETE_CRAWL,

  launchCrawlOverCrawl: comparisons.LAUNCH_CRAWL_OVER_CRAWL,
  crawlOverCrawls: comparisons.LIST_CRAWL_OVER_CRAWLS,
  crawlOverCrawl: comparisons.GET_CRAWL_OVER_CRAWL,
  deleteCrawlOverCrawl: comparisons.DELETE_CRAWL_OVER_CRAWL,

  crawlConfigs: configs.LIST_CRAWL_CONFIGS,
  crawlConfig: configs.GET_CRAWL_CONFIG,
  createCrawlConfig: configs.CREATE_CRAWL_CONFIG,
  updateCrawlConfig: configs.UPDATE_CRAWL_CONFIG,
  deleteCrawlConfig: configs.DELETE_CRAWL_CONFIG,
  validateCustomWebhook: configs.VALIDATE_CUSTOM_WEBHOOK,

  ingestFiles: files.LIST_INGEST_FILES,
  ingestFile: files.GET_INGEST_FILE,
  uploadIngestFile: files.UPLOAD_INGEST_FILE,
  deleteIngestFile: files.DELETE_INGEST_FILE,

  workspaces: workspaces.LIST_WORKSPACES,
  workspace: workspaces.GET_WORKSPACE,
  secrets: secrets.LIST_SECRETS,
  createSecret: secrets.CREATE_SECRET,
  deleteSecret: secrets.DELETE_SECRET,
  dataExports: exports.LIST_DATA_EXPORTS,
  dataExport: exports.GET_DATA_EXPORT,
  createDataExport: exports.CREATE_DATA_EXPORT,
} as const satisfies Readonly<Record<string, Endpoint>>;

export type OperationId = keyof typeof ENDPOINTS;
