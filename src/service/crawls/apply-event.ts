import { LOCAL_DATA_TYPES } from '../../client/resources/fields.ts';
import type { Recurrence } from '../../client/resources/scheduled-crawls.ts';
import type { Resources, StoredResource } from '../resources/resources.ts';
import { refreshProject, WORKSPACE_ID } from '../resources/seed.ts';
import { turning } from './crawl-commands.ts';
import { type CrawlPlan, returnQuota } from './crawl-plan.ts';
import { type CrawlContext, followCrawl } from './crawl-source.ts';
import { type Due, firing, firingFrom } from './due.ts';
import { finishComparison } from './finish-comparison.ts';
import { launchCrawl } from './launch-crawl.ts';
import {
  ARCHIVING,
  CROSS_ANALYSIS_END,
  formerCrawl,
  type LaunchedCrawl,
  reached,
  stepsAt,
  WORK_END,
} from './launched-crawl.ts';
import { startComparison } from './start-comparison.ts';

/** Applies a due event at its own time, regardless of the current time. */
export async function applyEvent(context: CrawlContext, { what, doc, at }: Due): Promise<void> {
  const { resources } = context;
  switch (what) {
    case 'finish':
      await finishCrawl(context, doc, at);
      break;
    case 'turn': {
      const { _turn, ...rest } = doc;
      const { to } = _turn as { to: Record<string, unknown> };
      resources.put('crawls', WORKSPACE_ID, { ...rest, ...to });
      break;
    }
    case 'compare':
      await finishComparison(context, doc, at);
      break;
    case 'archive': {
      const archived = { status: 'archived', link_status: 'archived' };
      resources.put('crawls', WORKSPACE_ID, turning(doc, 'archiving', at + ARCHIVING, archived));
      break;
    }
    case 'fire':
      await fire(context, doc, at);
  }
}

/** Ends an event that could not be applied and records the reason, so that it is not retried forever. */
export async function giveUp(context: CrawlContext, { what, doc, at }: Due, why: string): Promise<void> {
  const { resources, notify } = context;
  switch (what) {
    case 'finish': {
      const { _work, ...rest }: LaunchedCrawl = doc;
      const crawl: StoredResource = {
        ...rest,
        status: 'cancelled',
        end_reason: 'stopped_progressing',
        ended_at: at,
        ...(doc._plan === undefined ? {} : reached(doc._plan as CrawlPlan, stepsAt(doc, at))),
        _worked: CROSS_ANALYSIS_END,
        _failure: why,
      };
      resources.put('crawls', WORKSPACE_ID, crawl);
      returnQuota(resources, crawl);
      await followCrawl(context, crawl);
      notify(crawl);
      break;
    }
    case 'compare': {
      const { _end, ...rest } = doc;
      resources.put('crawl_over_crawls', WORKSPACE_ID, { ...rest, status: 'cancelled', end_date: at });
      break;
    }
    case 'fire':
      resources.put('scheduled_crawls', String(doc.project_id), afterFiring(context, doc));
      break;
    default:
      throw new Error(`${what} of ${doc.id} can't be given up`);
  }
}

async function fire(context: CrawlContext, scheduled: StoredResource, at: number): Promise<void> {
  const { resources, sourceOf, clock } = context;
  const project = resources.get('projects', String(scheduled.project_id));
  const config = resources.get('crawl_configs', String(scheduled.config_id));
  if (project !== undefined && config !== undefined) {
    const startsAt = sourceOf(project).isSynthetic ? at : clock.now();
    await launchCrawl(context, { project, config, at: startsAt, isScheduled: true });
  }
  resources.put('scheduled_crawls', String(scheduled.project_id), afterFiring(context, scheduled));
}

/** Returns the scheduled crawl with its next firing. After the last one it has none, and stays in the list. */
function afterFiring(
  { resources, sourceOf, clock }: CrawlContext,
  scheduled: StoredResource,
): StoredResource {
  const { _next, ...rest } = scheduled;
  const start = Number(rest.start_date);
  const recurrence = (rest.recurrence as Recurrence | null) ?? null;
  const project = resources.get('projects', String(rest.project_id));
  const isPassedOver = project !== undefined && !sourceOf(project).isSynthetic;
  const missed = isPassedOver ? (firingFrom(start, recurrence, clock.now()) ?? 0) : 0;
  const n = Math.max(missed, (_next as { n: number }).n + 1);
  const at = firing(start, recurrence, n);
  return at === undefined ? (rest as StoredResource) : { ...(rest as StoredResource), _next: { n, at } };
}

/** Creates the report of a crawl whose work is done, and applies the consequences of its end. */
async function finishCrawl(context: CrawlContext, crawl: LaunchedCrawl, at: number): Promise<void> {
  const { resources, sourceOf } = context;
  const project = resources.get('projects', String(crawl.project_id));
  if (project === undefined) throw new Error(`${crawl.id} has no project`);
  const report = await sourceOf(project).report(crawl, project, at);
  const { _work, ...rest } = crawl;
  const done: StoredResource = {
    ...rest,
    status: 'done',
    ended_at: at,
    end_reason: report.endReason,
    fetched_urls: report.fetchedUrls,
    last_depth: report.lastDepth,
    features: [
      ...((rest.features as string[] | null) ?? []),
      ...LOCAL_DATA_TYPES.filter((one) => report.datasets.has(one)),
    ],
    _worked: WORK_END,
  };
  resources.transaction(() => {
    resources.put('crawls', WORKSPACE_ID, done);
    for (const [dataType, dataset] of report.datasets) resources.putDataset(crawl.id, dataType, dataset);
    returnQuota(resources, done);
    refreshProject(resources, project.id);
    compareWithFormer(resources, project, done, at);
  });
  await followCrawl(context, done);
  context.notify(done);
}

/** `trigger_coc`: a comparison with the previous crawl of the same configuration, if that crawl has a report. */
function compareWithFormer(
  resources: Resources,
  project: StoredResource,
  crawl: StoredResource,
  at: number,
): void {
  const config = crawl.crawl_config as StoredResource;
  if (config.trigger_coc !== true) return;
  const former = formerCrawl(resources, crawl, at);
  if (former === undefined) return;
  startComparison(resources, { project, crawl1: former, crawl2: crawl, at, isAttached: true });
}
