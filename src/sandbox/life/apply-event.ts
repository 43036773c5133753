import type { Recurrence } from '../../api/scheduled-crawls.ts';
import type { Document } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { ARCHIVING, CROSS_ANALYSIS_END, type LaunchedCrawl, reached, stepsAt } from './crawl-life.ts';
import type { CrawlPlan } from './crawl-plan.ts';
import type { Due } from './due.ts';
import { finishComparison } from './finish-comparison.ts';
import { finishCrawl } from './finish-crawl.ts';
import { launchCrawl } from './launch-crawl.ts';
import type { LifeContext } from './life-context.ts';
import { turning } from './pilot.ts';
import { firing } from './recurrence.ts';
import { returnQuota } from './url-quota.ts';

/** Applies a due event at its own time, whatever the present time. */
export async function applyEvent(context: LifeContext, { what, doc, at }: Due): Promise<void> {
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

/** Ends an event that could not be applied, so that it is not tried for ever. */
export function giveUp({ resources, notify }: LifeContext, { what, doc, at }: Due): void {
  switch (what) {
    case 'finish': {
      const { _work, ...rest }: LaunchedCrawl = doc;
      const crawl: Document = {
        ...rest,
        status: 'cancelled',
        end_reason: 'stopped_progressing',
        ended_at: at,
        ...(doc._plan === undefined ? {} : reached(doc._plan as CrawlPlan, stepsAt(doc, at))),
        _worked: CROSS_ANALYSIS_END,
      };
      resources.put('crawls', WORKSPACE_ID, crawl);
      returnQuota(resources, crawl);
      notify(crawl);
      break;
    }
    case 'compare': {
      const { _end, ...rest } = doc;
      resources.put('crawl_over_crawls', WORKSPACE_ID, { ...rest, status: 'cancelled', end_date: at });
      break;
    }
    case 'fire':
      resources.put('scheduled_crawls', String(doc.project_id), afterFiring(doc));
      break;
    default:
      throw new Error(`${what} of ${doc.id} can't be given up`);
  }
}

async function fire(context: LifeContext, scheduled: Document, at: number): Promise<void> {
  const { resources } = context;
  const project = resources.get('projects', String(scheduled.project_id));
  const config = resources.get('crawl_configs', String(scheduled.config_id));
  if (project !== undefined && config !== undefined)
    await launchCrawl(context, { project, config, at, isScheduled: true });
  resources.put('scheduled_crawls', String(scheduled.project_id), afterFiring(scheduled));
}

/** The scheduled crawl with its next firing; after the last it has none, and stays in the list. */
function afterFiring(scheduled: Document): Document {
  const { _next, ...rest } = scheduled;
  const n = (_next as { n: number }).n + 1;
  const at = firing(Number(rest.start_date), (rest.recurrence as Recurrence | null) ?? null, n);
  return at === undefined ? (rest as Document) : { ...(rest as Document), _next: { n, at } };
}
