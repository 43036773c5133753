import type { FastifyInstance } from 'fastify';
import {
  CRAWL_OVER_CRAWL_LIST_FIELDS,
  type CrawlOverCrawlInput,
  DELETE_CRAWL_OVER_CRAWL,
  GET_CRAWL_OVER_CRAWL,
  LAUNCH_CRAWL_OVER_CRAWL,
  LIST_CRAWL_OVER_CRAWLS,
} from '../../../client/resources/crawl-over-crawls.ts';
import { configOf } from '../../crawls/launched-crawl.ts';
import { deleteComparison } from '../../crawls/remove.ts';
import { startComparison } from '../../crawls/start-comparison.ts';
import { find, refuseUnlessReported, requireFeature } from '../../resources/find.ts';
import { invalidParameter, Refusal } from '../../resources/refusal.ts';
import { publicView, type StoredResource } from '../../resources/resources.ts';
import { newestFirst, serveList } from '../list-page.ts';
import { type Context, serve } from '../serve.ts';

/** Crawl over crawls (api-spec.md §4.6). */
export function crawlOverCrawlRoutes(api: FastifyInstance, { resources, rows, crawlClock }: Context): void {
  const listed = { rows, names: CRAWL_OVER_CRAWL_LIST_FIELDS, aliases: { created_at: 'creation_date' } };
  serveList(api, LIST_CRAWL_OVER_CRAWLS, listed, ({ workspace_id }) => {
    const { id } = find(resources, 'workspaces', workspace_id);
    return resources.list('crawl_over_crawls', id).sort(newestFirst('creation_date'));
  });
  serve(api, GET_CRAWL_OVER_CRAWL, ({ parameters }) => ({
    crawl_over_crawl: publicView(find(resources, 'crawl_over_crawls', parameters.crawl_over_crawl_id)),
  }));
  serve(api, LAUNCH_CRAWL_OVER_CRAWL, ({ parameters, query, body }) =>
    crawlClock.alone((now) => {
      const project = find(resources, 'projects', parameters.project_id);
      requireFeature(resources, project, 'crawl_over_crawl');
      const crawl1 = find(resources, 'crawls', query.crawl1);
      const crawl2 = find(resources, 'crawls', query.crawl2);
      refuseUnlikePair(project, crawl1, crawl2);
      checkTransformation(body?.configuration);
      for (const crawl of [crawl1, crawl2]) refuseUnlessReported(crawl, 'pages');
      const { configuration } = body ?? {};
      const options = { project, crawl1, crawl2, at: now, isAttached: false };
      const comparison = startComparison(resources, {
        ...options,
        ...(configuration === undefined ? {} : { configuration }),
      });
      return { crawl_over_crawl: publicView(comparison) };
    }),
  );
  serve(api, DELETE_CRAWL_OVER_CRAWL, ({ parameters }) =>
    crawlClock.alone(() => {
      const comparison = find(resources, 'crawl_over_crawls', parameters.crawl_over_crawl_id);
      return deleteComparison({ resources, rows }, comparison);
    }),
  );
}

/** Refuses two crawls that differ in project or configuration (api-spec.md §4.6). */
function refuseUnlikePair(project: StoredResource, crawl1: StoredResource, crawl2: StoredResource): void {
  const problem =
    crawl1.id === crawl2.id
      ? 'crawl1 and crawl2 are the same crawl'
      : [crawl1, crawl2].some((crawl) => crawl.project_id !== project.id)
        ? `crawl1 and crawl2 do not both belong to the project ${project.id}`
        : configOf(crawl1) === undefined || configOf(crawl1) !== configOf(crawl2)
          ? 'crawl1 and crawl2 do not have the same configuration'
          : undefined;
  if (problem !== undefined) throw new Refusal('invalid_request', problem);
}

function checkTransformation(configuration: CrawlOverCrawlInput['configuration']): void {
  const transformation = configuration?.url_transformations;
  if (transformation?.type !== 'replace_domain') return;
  for (const name of ['find', 'replace'] as const) {
    if (/^[^\s/:?#]+(:\d+)?$/.test(transformation.config[name])) continue;
    const path = `configuration.url_transformations.config.${name}`;
    throw invalidParameter(path, 'format', 'is a domain, such as www.example.com');
  }
}
