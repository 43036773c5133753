import type { FastifyInstance } from 'fastify';
import { GET_CRAWL_PROGRESS } from '../../../api/resources/crawl-progress.ts';
import {
  CRAWL_LIST_FIELDS,
  DELETE_CRAWL,
  GET_CRAWL,
  LAUNCH_CRAWL,
  LIST_CRAWLS,
  PILOT_CRAWL,
} from '../../../api/resources/crawls.ts';
import { pilot } from '../../crawls/crawl-commands.ts';
import { crawlAt, type LaunchedCrawl } from '../../crawls/crawl-life.ts';
import { followCrawl } from '../../crawls/follow-crawl.ts';
import { launchCrawl } from '../../crawls/launch-crawl.ts';
import { progressAt } from '../../crawls/progress.ts';
import { deleteCrawl } from '../../crawls/remove.ts';
import { reportedPlan } from '../../crawls/reported-plan.ts';
import { returnQuota } from '../../crawls/url-quota.ts';
import { find } from '../../resources/find.ts';
import { publicView } from '../../resources/public-view.ts';
import type { Document } from '../../resources/resources.ts';
import { WORKSPACE_ID } from '../../resources/seed.ts';
import type { Context } from '../context.ts';
import { listPage } from '../list-page.ts';
import { serve } from '../serve.ts';

/** Crawls (api-spec.md §4.5). */
export function crawlRoutes(api: FastifyInstance, context: Context): void {
  const { resources, rows, clock, life } = context;
  const viewNow = (crawl: Document): Document => publicView(crawlAt(crawl, clock.now()));

  serve(api, LIST_CRAWLS, ({ parameters, query }) => {
    const workspace = find(resources, 'workspaces', parameters.workspace_id);
    const now = clock.now();
    const crawls = resources.list('crawls', workspace.id).map((crawl) => crawlAt(crawl, now));
    return listPage(
      rows,
      { key: 'crawls', documents: crawls.sort(newestFirst), names: CRAWL_LIST_FIELDS },
      query,
    );
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
    life.alone(async (now, living) => {
      const project = find(resources, 'projects', parameters.project_id);
      const config = find(resources, 'crawl_configs', query.configId, project.id);
      const crawl = await launchCrawl(living, { project, config, at: now, isScheduled: false });
      return { crawl: publicView(crawl) };
    }),
  );
  serve(api, PILOT_CRAWL, ({ parameters, body }) =>
    life.alone(async (now, living) => {
      const piloted = pilot(find(resources, 'crawls', parameters.crawl_id), body.command, now);
      resources.put('crawls', WORKSPACE_ID, piloted);
      const crawl = await followCrawl(living, piloted);
      if (crawl.status === 'cancelled') {
        returnQuota(resources, crawl);
        living.notify(crawl);
      }
      return { crawl: publicView(crawlAt(crawl, now)) };
    }),
  );
  serve(api, DELETE_CRAWL, ({ parameters }) =>
    life.alone(() => deleteCrawl({ resources, rows }, find(resources, 'crawls', parameters.crawl_id))),
  );
}

function newestFirst(a: Document, b: Document): number {
  return Number(b.created_at ?? 0) - Number(a.created_at ?? 0);
}
