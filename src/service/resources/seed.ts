import { CONFIG_DEFAULTS } from '../../client/resources/config-defaults.ts';
import { type Resources, resourceId, type StoredResource } from './resources.ts';

export const WORKSPACE_ID = resourceId('workspace');
export const USER_ID = resourceId('user');
const FEATURES =
  'crawl crawl_over_crawl data_export scheduled_crawls crawl_js data_scraping data_ingestion analytics_a analytics_b search_console backlinks'.split(
    ' ',
  );
const LOG_FEATURES = ['log_monitoring'];
const RANKING_FEATURES = ['ranking_performance'];

export function workspaceId(number: number): string {
  return number === 0 ? WORKSPACE_ID : resourceId('workspace', number);
}

/** Returns the workspace of a project, with everything that belongs to it. */
export function workspaceOf(resources: Resources, projectId: string): string {
  return resources.owner('projects', projectId) ?? WORKSPACE_ID;
}

/** Creates the workspace of a number, once. */
export function ensureWorkspace(resources: Resources, name: string, number = 0): void {
  const id = workspaceId(number);
  if (resources.get('workspaces', id) !== undefined) return;
  resources.put('workspaces', '', {
    id,
    name,
    role: 'owner',
    subscription_features: [...FEATURES, ...LOG_FEATURES, ...RANKING_FEATURES],
    subscription_status: 'active',
  });
}

export interface ProjectOptions {
  readonly name: string;
  readonly startUrl: string;
  readonly hasLogs?: boolean;
  readonly hasRanking?: boolean;
  /** The workspace of a new project; default: the first one. */
  readonly workspaceId?: string;
  /** Fields that replace generated ones. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Returns the project of this name; created with one configuration if it is new. */
export function ensureProject(resources: Resources, options: ProjectOptions): StoredResource {
  const id = resourceId('project', options.name);
  const known = resources.get('projects', id);
  const config = known ? undefined : defaultConfig(id, options.startUrl);
  const base: StoredResource = known ?? newProject(id, options.name, options.startUrl);
  const project: StoredResource = { ...base, ...features(base, options), ...options.extra, id };
  resources.put('projects', options.workspaceId ?? WORKSPACE_ID, project);
  if (config) resources.put('crawl_configs', id, config);
  refreshProject(resources, id);
  return project;
}

export function switchOnLogs(resources: Resources, projectId: string): void {
  const known = resources.get('projects', projectId);
  if (known === undefined) throw new Error(`there is no project ${projectId}`);
  const project = { ...known, ...features(known, { name: '', startUrl: '', hasLogs: true }) };
  resources.put('projects', workspaceOf(resources, projectId), project);
}

/** Returns an empty project. */
export function newProject(id: string, name: string, startUrl: string): StoredResource {
  return {
    id,
    name,
    start_url: startUrl,
    user_id: USER_ID,
    is_verified_by: null,
    domain: hostOf(startUrl),
    features: FEATURES,
    last_crawl_id: null,
    last_crawl_created_at: null,
    limits: {
      max_custom_dashboard_count: null,
      max_group_count: null,
      max_segmentation_count: null,
      max_speed: null,
    },
    log_monitoring_data_ready: false,
    log_monitoring_processing_enabled: false,
    log_monitoring_ready: false,
    crawl_ids: [],
    crawl_config_ids: [],
    crawl_over_crawl_ids: [],
  };
}

function features(base: StoredResource, { hasLogs, hasRanking }: ProjectOptions): Record<string, unknown> {
  const more = [...(hasLogs ? LOG_FEATURES : []), ...(hasRanking ? RANKING_FEATURES : [])];
  const logs = {
    log_monitoring_data_ready: true,
    log_monitoring_processing_enabled: true,
    log_monitoring_ready: true,
  };
  const known = (base.features as readonly string[] | null) ?? [];
  return { features: [...new Set([...known, ...more])], ...(hasLogs ? logs : {}) };
}

export interface SeededCrawl {
  readonly project: StoredResource;
  readonly id: string;
  readonly createdAt: number;
  readonly endedAt: number;
  readonly fetchedUrls: number;
  readonly lastDepth: number;
  /** Fields that replace generated ones. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Stores a finished crawl and adds it to its project. */
export function putCrawl(resources: Resources, options: SeededCrawl): StoredResource {
  const { project, id } = options;
  const configs = resources.list('crawl_configs', project.id);
  const crawl: StoredResource = {
    ...newCrawl(id, project, configs.at(-1) ?? null, options.createdAt),
    status: 'done',
    ended_at: options.endedAt,
    fetched_urls: options.fetchedUrls,
    last_depth: options.lastDepth,
    end_reason: 'ok',
    ...options.extra,
    id,
  };
  resources.put('crawls', workspaceOf(resources, project.id), crawl);
  refreshProject(resources, project.id);
  return crawl;
}

/** Returns the record of a crawl that begins. */
export function newCrawl(
  id: string,
  project: StoredResource,
  config: StoredResource | null,
  at: number,
): StoredResource {
  return {
    id,
    project_id: project.id,
    user_id: USER_ID,
    link_status: 'live',
    status: 'running',
    created_at: at,
    ended_at: null,
    fetched_urls: 0,
    last_depth: 0,
    features: [],
    crawl_config: config,
    cross_analysis_access_logs: null,
    cross_analysis_analytics_a: null,
    cross_analysis_analytics_b: null,
    cross_analysis_backlinks: null,
  };
}

function defaultConfig(projectId: string, startUrl: string): StoredResource {
  return {
    id: resourceId('crawl_config', projectId),
    name: 'default',
    start_url: startUrl,
    user_agent: 'SandboxBot',
    max_speed: 1,
    ...CONFIG_DEFAULTS,
    notifications: { email_recipients: [], custom_webhooks: [] },
  };
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** Updates the lists of ids in a project, and its fields about the last crawl. */
export function refreshProject(resources: Resources, projectId: string): void {
  const project = resources.get('projects', projectId);
  if (project === undefined) return;
  const crawls = ofProject(resources.list('crawls'), projectId).sort(
    (a, b) => Number(a.created_at ?? 0) - Number(b.created_at ?? 0),
  );
  const comparisons = ofProject(resources.list('crawl_over_crawls'), projectId);
  const last = crawls.at(-1);
  // It exists already, so its owner stays.
  const idsOf = (all: readonly StoredResource[]): string[] => all.map(({ id }) => id);
  resources.put('projects', '', {
    ...project,
    crawl_ids: idsOf(crawls),
    last_crawl_id: last?.id ?? null,
    last_crawl_created_at: last?.created_at ?? null,
    crawl_config_ids: idsOf(resources.list('crawl_configs', projectId)).reverse(),
    crawl_over_crawl_ids: idsOf(comparisons).reverse(),
  });
}

/** Returns the resources that belong to a project, in their order. */
export function ofProject(resources: readonly StoredResource[], projectId: string): StoredResource[] {
  return resources.filter((doc) => doc.project_id === projectId);
}
