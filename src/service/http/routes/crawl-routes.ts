import type { FastifyInstance } from 'fastify';
import { GET_CRAWL_PROGRESS } from '../../../client/resources/crawl-progress.ts';
import {
  CRAWL_LIST_FIELDS,
  DELETE_CRAWL,
  GET_CRAWL,
  LAUNCH_CRAWL,
  LIST_CRAWLS,
  PILOT_CRAWL,
} from '../../../client/resources/crawls.ts';
import {
  CREATE_SCHEDULED_CRAWL,
  DELETE_SCHEDULED_CRAWL,
  LIST_SCHEDULED_CRAWLS,
} from '../../../client/resources/scheduled-crawls.ts';
import { pilot } from '../../crawls/crawl-commands.ts';
import { reportedPlan, returnQuota } from '../../crawls/crawl-plan.ts';
import { followCrawl } from '../../crawls/crawl-source.ts';
import { firing, firingFrom } from '../../crawls/due.ts';
import { launchCrawl } from '../../crawls/launch-crawl.ts';
import { crawlAt, type LaunchedCrawl } from '../../crawls/launched-crawl.ts';
import { progressAt } from '../../crawls/progress-at.ts';
import { deleteCrawl } from '../../crawls/remove.ts';
import { find } from '../../resources/find.ts';
import { invalidParameter, Refusal } from '../../resources/refusal.ts';
import { publicView, resourceId, type StoredResource } from '../../resources/resources.ts';
import { WORKSPACE_ID } from '../../resources/seed.ts';
import { newestFirst, serveList } from '../list-page.ts';
import { type Context, serve } from '../serve.ts';

/** The latest time: the end of the year 9999. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59Z');

/** Crawls (api-spec.md §4.5). */
export function crawlRoutes(api: FastifyInstance, context: Context): void {
  const { resources, rows, clock, crawlClock } = context;
  const viewNow = (crawl: StoredResource): StoredResource => publicView(crawlAt(crawl, clock.now()));

  serveList(api, LIST_CRAWLS, { rows, names: CRAWL_LIST_FIELDS }, ({ workspace_id }) => {
    const crawls = resources.list('crawls', find(resources, 'workspaces', workspace_id).id);
    const now = clock.now();
    return crawls.map((crawl) => crawlAt(crawl, now)).sort(newestFirst('created_at'));
  });
  serve(api, GET_CRAWL, ({ parameters }) => ({
    crawl: viewNow(find(resources, 'crawls', parameters.crawl_id)),
  }));
  serve(api, GET_CRAWL_PROGRESS, async ({ parameters }) => {
    const crawl: LaunchedCrawl = find(resources, 'crawls', parameters.crawl_id);
    const plan =
      crawl._plan ??
      (crawl._crawler ? undefined : await reportedPlan(rows, crawl, resources.dataset(crawl.id, 'pages')));
    return progressAt({ ...crawl, ...(plan === undefined ? {} : { _plan: plan }) }, clock.now());
  });
  serve(api, LAUNCH_CRAWL, ({ parameters, query }) =>
    crawlClock.alone(async (now, crawlContext) => {
      const project = find(resources, 'projects', parameters.project_id);
      const config = find(resources, 'crawl_configs', query.configId, project.id);
      const crawl = await launchCrawl(crawlContext, { project, config, at: now, isScheduled: false });
      return { crawl: publicView(crawl) };
    }),
  );
  serve(api, PILOT_CRAWL, ({ parameters, body }) =>
    crawlClock.alone(async (now, crawlContext) => {
      const piloted = pilot(find(resources, 'crawls', parameters.crawl_id), body.command, now);
      resources.put('crawls', WORKSPACE_ID, piloted);
      const crawl = await followCrawl(crawlContext, piloted);
      if (crawl.status === 'cancelled') {
        returnQuota(resources, crawl);
        crawlContext.notify(crawl);
      }
      return { crawl: publicView(crawlAt(crawl, now)) };
    }),
  );
  serve(api, DELETE_CRAWL, ({ parameters }) =>
    crawlClock.alone(() => deleteCrawl({ resources, rows }, find(resources, 'crawls', parameters.crawl_id))),
  );
}

/** Scheduled crawls (api-spec.md §4.4). */
export function scheduledCrawlRoutes(api: FastifyInstance, { resources, rows, crawlClock }: Context): void {
  serveList(api, LIST_SCHEDULED_CRAWLS, { rows }, ({ project_id }) =>
    resources.list('scheduled_crawls', find(resources, 'projects', project_id).id),
  );
  serve(api, CREATE_SCHEDULED_CRAWL, ({ parameters, body: { scheduled_crawl } }) =>
    crawlClock.alone((now) => {
      const project = find(resources, 'projects', parameters.project_id);
      const { config_id, recurrence = null, start_date } = scheduled_crawl;
      find(resources, 'crawl_configs', config_id, project.id);
      if (start_date > LAST_TIME)
        throw invalidParameter('start_date', 'too_big', 'is no time before the year 10000');
      // Firings before its creation are not made up for.
      const n = firingFrom(start_date, recurrence, now);
      if (n === undefined)
        throw new Refusal('invalid_request', 'without a recurrence start_date may not have passed');
      const count = Number(project._schedules ?? 0);
      const scheduled = {
        id: resourceId('scheduled crawl', project.id, count),
        project_id: project.id,
        config_id,
        recurrence,
        start_date,
        _next: { n, at: firing(start_date, recurrence, n) },
      };
      resources.transaction(() => {
        resources.put('projects', '', { ...project, _schedules: count + 1 });
        resources.put('scheduled_crawls', project.id, scheduled);
      });
      return { scheduled_crawl: publicView(scheduled) };
    }),
  );
  serve(api, DELETE_SCHEDULED_CRAWL, ({ parameters }) =>
    crawlClock.alone(() => {
      const project = find(resources, 'projects', parameters.project_id);
      const { id } = find(resources, 'scheduled_crawls', parameters.scheduled_crawl_id, project.id);
      resources.delete('scheduled_crawls', id);
    }),
  );
}
