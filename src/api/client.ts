import { FormData } from 'undici';
import type { z } from 'zod';
import { eachItem } from './base-client.ts';
import * as configs from './crawl-configs.ts';
import * as comparisons from './crawl-over-crawls.ts';
import { type CrawlProgress, GET_CRAWL_PROGRESS } from './crawl-progress.ts';
import * as crawls from './crawls.ts';
import { DataClient } from './data-client.ts';
import * as exports from './data-exports.ts';
import * as files from './ingest-files.ts';
import type { PageQuery } from './pagination.ts';
import * as projects from './projects.ts';
import { type WholeList, wholeList } from './read-list.ts';
import * as scheduled from './scheduled-crawls.ts';
import * as secrets from './secrets.ts';
import * as workspaces from './workspaces.ts';

type Signal = AbortSignal | undefined;

/**
 * A typed client of the whole service, a method an operation (`endpoints.ts`); every method takes an `AbortSignal` last.
 * Lists come as async iterators over their items. What may not be sent twice is sent once, whatever happens.
 *
 * @throws CrawlhouseError of the service's error, or of the connection (api-spec.md §7)
 */
export class ServiceClient extends DataClient {
  /** `GET /workspaces`. */
  workspaces(query: PageQuery = {}, signal?: Signal): AsyncGenerator<workspaces.Workspace> {
    return eachItem(this.pages(workspaces.LIST_WORKSPACES, (page) => page.workspaces, {}, query, signal));
  }

  /** `GET /workspaces/<id>`. */
  async workspace(id: string, signal?: Signal): Promise<workspaces.Workspace> {
    return (await this.call(workspaces.GET_WORKSPACE, { parameters: { workspace_id: id } }, signal))
      .workspace;
  }

  /** `GET /workspaces/<id>/projects`. */
  projects(workspaceId: string, query: PageQuery = {}, signal?: Signal): AsyncGenerator<projects.Project> {
    return eachItem(this.#projectPages(workspaceId, query, signal));
  }

  /** Every project of a workspace, each once. */
  allProjects(workspaceId: string, signal?: Signal): Promise<WholeList<projects.Project>> {
    return wholeList('projects', () => this.#projectPages(workspaceId, {}, signal));
  }

  /** `GET /projects/<id>`. */
  project(id: string, signal?: Signal): Promise<z.output<typeof projects.ProjectResponse>> {
    return this.call(projects.GET_PROJECT, { parameters: { project_id: id } }, signal);
  }

  /** `POST /projects`, once. */
  async createProject(project: projects.ProjectInput, signal?: Signal): Promise<projects.Project> {
    return (await this.call(projects.CREATE_PROJECT, { parameters: {}, body: { project } }, signal)).project;
  }

  /** `DELETE /projects/<id>`. */
  deleteProject(id: string, signal?: Signal): Promise<void> {
    return this.tell(projects.DELETE_PROJECT, { parameters: { project_id: id } }, signal);
  }

  /** `GET /projects/<id>/scheduled_crawls`; it knows neither sort nor filters. */
  scheduledCrawls(
    projectId: string,
    query: Pick<PageQuery, 'offset' | 'limit'> = {},
    signal?: Signal,
  ): AsyncGenerator<scheduled.ScheduledCrawl> {
    const parameters = { project_id: projectId };
    const itemsOf = (page: { scheduled_crawls: scheduled.ScheduledCrawl[] }) => page.scheduled_crawls;
    return eachItem(this.pages(scheduled.LIST_SCHEDULED_CRAWLS, itemsOf, parameters, query, signal));
  }

  /** `POST /projects/<id>/scheduled_crawls`, once. */
  async createScheduledCrawl(
    projectId: string,
    scheduled_crawl: scheduled.ScheduledCrawlInput,
    signal?: Signal,
  ): Promise<scheduled.ScheduledCrawl> {
    const options = { parameters: { project_id: projectId }, body: { scheduled_crawl } };
    return (await this.call(scheduled.CREATE_SCHEDULED_CRAWL, options, signal)).scheduled_crawl;
  }

  /** `DELETE /projects/<id>/scheduled_crawls/<id>`. */
  deleteScheduledCrawl(projectId: string, id: string, signal?: Signal): Promise<void> {
    const parameters = { project_id: projectId, scheduled_crawl_id: id };
    return this.tell(scheduled.DELETE_SCHEDULED_CRAWL, { parameters }, signal);
  }

  /** `POST /projects/<id>/launch-crawl?configId=<id>`, once. */
  async launchCrawl(projectId: string, configId: string, signal?: Signal): Promise<crawls.Crawl> {
    const options = { parameters: { project_id: projectId }, query: { configId } };
    return (await this.call(crawls.LAUNCH_CRAWL, options, signal)).crawl;
  }

  /** `GET /workspaces/<id>/crawls`. */
  crawls(workspaceId: string, query: PageQuery = {}, signal?: Signal): AsyncGenerator<crawls.Crawl> {
    return eachItem(this.#crawlPages(workspaceId, query, signal));
  }

  /** Every crawl of a workspace, each once. */
  allCrawls(workspaceId: string, signal?: Signal): Promise<WholeList<crawls.Crawl>> {
    return wholeList('crawls', () => this.#crawlPages(workspaceId, {}, signal));
  }

  /** `GET /crawls/<id>`. */
  async crawl(id: string, signal?: Signal): Promise<crawls.Crawl> {
    return (await this.call(crawls.GET_CRAWL, { parameters: { crawl_id: id } }, signal)).crawl;
  }

  /** `GET /crawls/<id>/progress`. */
  crawlProgress(id: string, signal?: Signal): Promise<CrawlProgress> {
    return this.call(GET_CRAWL_PROGRESS, { parameters: { crawl_id: id } }, signal);
  }

  /** `POST /crawls/<id>/pilot`, once; the crawl as it is then. */
  async pilotCrawl(id: string, command: crawls.PilotCommand, signal?: Signal): Promise<crawls.Crawl> {
    const options = { parameters: { crawl_id: id }, body: { command } };
    return (await this.call(crawls.PILOT_CRAWL, options, signal)).crawl;
  }

  /** `DELETE /crawls/<id>`. */
  deleteCrawl(id: string, signal?: Signal): Promise<void> {
    return this.tell(crawls.DELETE_CRAWL, { parameters: { crawl_id: id } }, signal);
  }

  /** `POST /projects/<id>/launch-coc?crawl1=<base>&crawl2=<compared>`, once. */
  async launchCrawlOverCrawl(
    projectId: string,
    pair: { readonly crawl1: string; readonly crawl2: string },
    input: comparisons.CrawlOverCrawlInput | undefined = undefined,
    signal?: Signal,
  ): Promise<comparisons.CrawlOverCrawl> {
    const query = { crawl1: pair.crawl1, crawl2: pair.crawl2 };
    const options = { parameters: { project_id: projectId }, query, body: input };
    return (await this.call(comparisons.LAUNCH_CRAWL_OVER_CRAWL, options, signal)).crawl_over_crawl;
  }

  /** `GET /workspaces/<id>/crawl_over_crawls`. */
  crawlOverCrawls(
    workspaceId: string,
    query: PageQuery = {},
    signal?: Signal,
  ): AsyncGenerator<comparisons.CrawlOverCrawl> {
    return eachItem(this.#comparisonPages(workspaceId, query, signal));
  }

  /** Every crawl over crawl of a workspace, each once. */
  allCrawlOverCrawls(workspaceId: string, signal?: Signal): Promise<WholeList<comparisons.CrawlOverCrawl>> {
    return wholeList('crawl over crawls', () => this.#comparisonPages(workspaceId, {}, signal));
  }

  /** `GET /crawl_over_crawls/<id>`. */
  async crawlOverCrawl(id: string, signal?: Signal): Promise<comparisons.CrawlOverCrawl> {
    const parameters = { crawl_over_crawl_id: id };
    return (await this.call(comparisons.GET_CRAWL_OVER_CRAWL, { parameters }, signal)).crawl_over_crawl;
  }

  /** `DELETE /crawl_over_crawls/<id>`. */
  deleteCrawlOverCrawl(id: string, signal?: Signal): Promise<void> {
    return this.tell(
      comparisons.DELETE_CRAWL_OVER_CRAWL,
      { parameters: { crawl_over_crawl_id: id } },
      signal,
    );
  }

  /** `GET /projects/<id>/crawl_configs`: the whole list, unpaged. */
  async crawlConfigs(projectId: string, signal?: Signal): Promise<configs.CrawlConfig[]> {
    const parameters = { project_id: projectId };
    return (await this.call(configs.LIST_CRAWL_CONFIGS, { parameters }, signal)).crawl_configs;
  }

  /** `GET /projects/<id>/crawl_configs/<id>`. */
  async crawlConfig(projectId: string, id: string, signal?: Signal): Promise<configs.CrawlConfig> {
    const parameters = { project_id: projectId, crawl_config_id: id };
    return (await this.call(configs.GET_CRAWL_CONFIG, { parameters }, signal)).crawl_config;
  }

  /** `POST /projects/<id>/crawl_configs`, once. */
  async createCrawlConfig(
    projectId: string,
    crawl_config: configs.CrawlConfigInput,
    signal?: Signal,
  ): Promise<configs.CrawlConfig> {
    const options = { parameters: { project_id: projectId }, body: { crawl_config } };
    return (await this.call(configs.CREATE_CRAWL_CONFIG, options, signal)).crawl_config;
  }

  /** `PUT /projects/<id>/crawl_configs`; `id`, or else `name`, names the configuration. */
  async updateCrawlConfig(
    projectId: string,
    crawl_config: configs.CrawlConfigUpdate,
    signal?: Signal,
  ): Promise<configs.CrawlConfig> {
    const options = { parameters: { project_id: projectId }, body: { crawl_config } };
    return (await this.call(configs.UPDATE_CRAWL_CONFIG, options, signal)).crawl_config;
  }

  /** `DELETE /projects/<id>/crawl_configs/<id>`. */
  deleteCrawlConfig(projectId: string, id: string, signal?: Signal): Promise<void> {
    const parameters = { project_id: projectId, crawl_config_id: id };
    return this.tell(configs.DELETE_CRAWL_CONFIG, { parameters }, signal);
  }

  /** `POST /projects/<id>/crawl_configs/validate_custom_webhook`; what the service answers is not specified. */
  validateCustomWebhook(
    projectId: string,
    body: configs.WebhookTrial,
    signal?: Signal,
  ): Promise<z.output<NonNullable<typeof configs.VALIDATE_CUSTOM_WEBHOOK.response>>> {
    return this.call(
      configs.VALIDATE_CUSTOM_WEBHOOK,
      { parameters: { project_id: projectId }, body },
      signal,
    );
  }

  /** `GET /projects/<id>/ingest_files`. */
  ingestFiles(projectId: string, query: PageQuery = {}, signal?: Signal): AsyncGenerator<files.IngestFile> {
    const parameters = { project_id: projectId };
    return eachItem(
      this.pages(files.LIST_INGEST_FILES, (page) => page.user_files, parameters, query, signal),
    );
  }

  /** `GET /projects/<id>/ingest_files/<id>`. */
  async ingestFile(projectId: string, id: string, signal?: Signal): Promise<files.IngestFile> {
    const parameters = { project_id: projectId, ingest_file_id: id };
    return (await this.call(files.GET_INGEST_FILE, { parameters }, signal)).user_file;
  }

  /** `POST /projects/<id>/ingest_files`, once; the answer names no id, the list does. */
  uploadIngestFile(
    projectId: string,
    file: { readonly name: string; readonly content: Blob },
    signal?: Signal,
  ): Promise<void> {
    const body = new FormData();
    body.set('file', file.content, file.name);
    return this.tell(files.UPLOAD_INGEST_FILE, { parameters: { project_id: projectId }, body }, signal);
  }

  /** `DELETE /projects/<id>/ingest_files/<id>`. */
  deleteIngestFile(projectId: string, id: string, signal?: Signal): Promise<void> {
    const parameters = { project_id: projectId, ingest_file_id: id };
    return this.tell(files.DELETE_INGEST_FILE, { parameters }, signal);
  }

  /** `GET /workspaces/<id>/secrets`. */
  secrets(workspaceId: string, query: PageQuery = {}, signal?: Signal): AsyncGenerator<secrets.Secret> {
    const parameters = { workspace_id: workspaceId };
    return eachItem(this.pages(secrets.LIST_SECRETS, (page) => page.secrets, parameters, query, signal));
  }

  /** `POST /workspaces/<id>/secrets`, once; its value never comes back. */
  async createSecret(
    workspaceId: string,
    secret: secrets.SecretInput,
    signal?: Signal,
  ): Promise<secrets.Secret> {
    const options = { parameters: { workspace_id: workspaceId }, body: { secret } };
    return (await this.call(secrets.CREATE_SECRET, options, signal)).secret;
  }

  /** `DELETE /workspaces/<id>/secrets/<id>`. */
  deleteSecret(workspaceId: string, id: string, signal?: Signal): Promise<void> {
    const parameters = { workspace_id: workspaceId, secret_id: id };
    return this.tell(secrets.DELETE_SECRET, { parameters }, signal);
  }

  /** `GET /workspaces/<id>/data_exports`. */
  dataExports(
    workspaceId: string,
    query: PageQuery = {},
    signal?: Signal,
  ): AsyncGenerator<exports.DataExport> {
    const parameters = { workspace_id: workspaceId };
    return eachItem(this.pages(exports.LIST_DATA_EXPORTS, (page) => page.account, parameters, query, signal));
  }

  /** `GET /workspaces/<id>/data_exports/<id>`. */
  async dataExport(workspaceId: string, id: string, signal?: Signal): Promise<exports.DataExport> {
    const parameters = { workspace_id: workspaceId, data_export_id: id };
    return (await this.call(exports.GET_DATA_EXPORT, { parameters }, signal)).data_export;
  }

  /** `POST /workspaces/<id>/data_exports`, once. */
  async createDataExport(
    workspaceId: string,
    data_export: exports.DataExportInput,
    signal?: Signal,
  ): Promise<exports.DataExport> {
    const options = { parameters: { workspace_id: workspaceId }, body: { data_export } };
    return (await this.call(exports.CREATE_DATA_EXPORT, options, signal)).data_export;
  }

  #projectPages(workspaceId: string, query: PageQuery, signal: Signal) {
    const parameters = { workspace_id: workspaceId };
    return this.pages(projects.LIST_PROJECTS, (page) => page.projects, parameters, query, signal);
  }

  #crawlPages(workspaceId: string, query: PageQuery, signal: Signal) {
    const parameters = { workspace_id: workspaceId };
    return this.pages(crawls.LIST_CRAWLS, (page) => page.crawls, parameters, query, signal);
  }

  #comparisonPages(workspaceId: string, query: PageQuery, signal: Signal) {
    const parameters = { workspace_id: workspaceId };
    const itemsOf = (page: { crawl_over_crawls: comparisons.CrawlOverCrawl[] }) => page.crawl_over_crawls;
    return this.pages(comparisons.LIST_CRAWL_OVER_CRAWLS, itemsOf, parameters, query, signal);
  }
}
