import { ofProject, refreshProject } from '../resources/project-lists.ts';
import type { Document, Resources } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { type LaunchedCrawl, WORK_END } from './crawl-life.ts';
import { followCrawl } from './follow-crawl.ts';
import type { LifeContext } from './life-context.ts';
import { startComparison } from './start-comparison.ts';
import { returnQuota } from './url-quota.ts';

/** Makes the report of a crawl whose work is done, and all that follows from its end. */
export async function finishCrawl(context: LifeContext, crawl: LaunchedCrawl, at: number): Promise<void> {
  const { resources, sourceOf } = context;
  const project = resources.get('projects', String(crawl.project_id));
  if (project === undefined) throw new Error(`${crawl.id} has no project`);
  const report = await sourceOf(project).report(crawl, project, at);
  const { _work, ...rest } = crawl;
  const done: Document = {
    ...rest,
    status: 'done',
    ended_at: at,
    end_reason: report.endReason,
    fetched_urls: report.fetchedUrls,
    last_depth: report.lastDepth,
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

/** `trigger_coc`: a comparison with the crawl before it of the same configuration, where that one has a report. */
function compareWithFormer(resources: Resources, project: Document, crawl: Document, at: number): void {
  const config = crawl.crawl_config as Document;
  if (config.trigger_coc !== true) return;
  const former = ofProject(resources.list('crawls'), project.id)
    .filter((other) => other.id !== crawl.id && (other.crawl_config as Document | null)?.id === config.id)
    .filter((other) => other.status === 'done' && Number(other.ended_at) <= at)
    .sort((a, b) => Number(b.ended_at) - Number(a.ended_at))
    .at(0);
  if (former === undefined) return;
  startComparison(resources, { project, crawl1: former, crawl2: crawl, at, isAttached: true });
}
