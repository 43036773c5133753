import { forbidden, Refusal } from '../resources/refusal.ts';
import { publicView, type Resources, resourceId, type StoredResource } from '../resources/resources.ts';
import { newCrawl, ofProject, refreshProject, WORKSPACE_ID, workspaceOf } from '../resources/seed.ts';
import { quotaLeft, takeQuota } from './crawl-plan.ts';
import { type CrawlContext, type CrawlJob, followCrawl } from './crawl-source.ts';
import { configOf, isUnderWay } from './launched-crawl.ts';

export interface Launch {
  readonly project: StoredResource;
  readonly config: StoredResource;
  /** UTC milliseconds. */
  readonly at: number;
  /** A manual launch that is impossible is refused; a scheduled one leaves the record of a crawl that never started. */
  readonly isScheduled: boolean;
}

/**
 * Starts a crawl.
 *
 * @throws Refusal for a manual launch that is impossible: `forbidden`, `invalid_state_for_request` or `quota_error`;
 *   for a configuration that the source cannot apply: `invalid_request`
 */
export async function launchCrawl(context: CrawlContext, asked: Launch): Promise<StoredResource> {
  const { resources } = context;
  // Its counters may have changed since the caller read it.
  const project = resources.get('projects', asked.project.id) ?? asked.project;
  const launch = { ...asked, project };
  const reason = reasonNotToStart(resources, launch);
  if (reason !== undefined && !launch.isScheduled) throw refusalOf(reason, launch.config);
  const crawl = reason === undefined ? await startedCrawl(context, launch) : neverStarted(launch, reason);
  resources.transaction(() => {
    resources.put('projects', WORKSPACE_ID, {
      ...(resources.get('projects', project.id) ?? project),
      _launches: Number(project._launches ?? 0) + 1,
      _crawl_count: Number(project._crawl_count ?? 0) + (reason === undefined ? 1 : 0),
    });
    resources.put('crawls', workspaceOf(resources, project.id), crawl);
    refreshProject(resources, project.id);
  });
  if (reason === undefined) return followCrawl(context, crawl);
  context.notify(crawl);
  return crawl;
}

type Reason = 'no_active_subscription' | 'crawl_already_running' | 'quota_reached_before_start';

function reasonNotToStart(resources: Resources, { project, config }: Launch): Reason | undefined {
  if (resources.get('workspaces', WORKSPACE_ID)?.subscription_status === 'inactive')
    return 'no_active_subscription';
  const others = ofProject(resources.list('crawls'), project.id).filter(isUnderWay);
  if (others.some((crawl) => configOf(crawl) === config.id)) return 'crawl_already_running';
  return quotaLeft(resources) <= 0 ? 'quota_reached_before_start' : undefined;
}

function refusalOf(reason: Reason, config: StoredResource): Refusal {
  switch (reason) {
    case 'no_active_subscription':
      return forbidden('the workspace has no active subscription', reason);
    case 'crawl_already_running':
      return new Refusal(
        'invalid_state_for_request',
        `a crawl with the configuration ${config.id} is running already`,
        { code: reason },
      );
    case 'quota_reached_before_start':
      return new Refusal('quota_error', 'not enough quota: no URLs are left to crawl', { code: reason });
  }
}

async function startedCrawl(context: CrawlContext, { project, config, at }: Launch): Promise<StoredResource> {
  const { resources, sourceOf } = context;
  const number = Number(project._crawl_count ?? 0);
  const crawl = launchedCrawl(project, config, at);
  const job: CrawlJob = { crawlId: crawl.id, project, config, number, startedAt: at };
  const { work, urls } = await sourceOf(project).plan(job, quotaLeft(resources));
  const isLimited = takeQuota(resources, urls);
  return {
    ...crawl,
    status: 'running',
    ...work,
    _number: number,
    _work: { elapsed: 0, since: at },
    ...(isLimited ? { _reserved: urls } : {}),
    _notifications: { ...(config.notifications as object | null), secrets: config._webhook_secrets ?? {} },
  };
}

function neverStarted({ project, config, at }: Launch, reason: Reason): StoredResource {
  return {
    ...launchedCrawl(project, config, at),
    status: 'cancelled',
    ended_at: at,
    end_reason: reason,
    _notifications: { ...(config.notifications as object | null), secrets: config._webhook_secrets ?? {} },
  };
}

function launchedCrawl(project: StoredResource, config: StoredResource, at: number): StoredResource {
  const id = resourceId('launched', project.id, Number(project._launches ?? 0), at);
  return newCrawl(id, project, publicView(config) as StoredResource, at);
}
