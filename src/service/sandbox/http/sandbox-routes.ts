import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openApiDocument } from '../../../client/openapi/openapi.ts';
import { isUnderWay } from '../../crawls/launched-crawl.ts';
import type { MoreRoutes } from '../../http/create-server.ts';
import { newestFirst } from '../../http/list-page.ts';
import type { ResourceKind, StoredResource } from '../../resources/resources.ts';
import { ofProject } from '../../resources/seed.ts';
import { apiPage, type ValuesOf } from '../pages/api-page.ts';
import { sendPage } from '../pages/page.ts';
import { controlRoutes } from './control-routes.ts';
import { faultHooks } from './fault-hooks.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { RequestLog, type SandboxContext, type SandboxParts } from './sandbox-context.ts';
import { storeRoutes } from './store-routes.ts';

/** Data exports and their secrets, HTML pages, sign-in, and the endpoints for tests under `/_sandbox`. */
export function sandboxRoutes(parts: SandboxParts): MoreRoutes {
  const requests = new RequestLog();
  return {
    hooks: (app) => faultHooks(app, { ...parts, requests }),
    api: (api, context) => storeRoutes(api, { ...context, ...parts, requests }),
    others(app, context) {
      const all: SandboxContext = { ...context, ...parts, requests };
      app.register(async (pages) => pageRoutes(pages, all));
      app.register(async (oauth) => oauthRoutes(oauth, all), { prefix: '/oauth' });
      app.register(async (control) => controlRoutes(control, all), { prefix: '/_sandbox' });
    },
  };
}

/** Registers the description of the service: HTML at `/`, OpenAPI at `/openapi.json`. */
function pageRoutes(app: FastifyInstance, context: SandboxContext): void {
  app.get('/', async (request, reply) => {
    const address = addressOf(request);
    return sendPage(reply, 200, apiPage(openApiDocument(address), exampleValues(context, address)));
  });
  app.get('/openapi.json', async (request) => openApiDocument(addressOf(request)));
}

/** Returns the address of the service as the client knows it. */
function addressOf(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}

/**
 * Example values for the requests of the page at `address`: ids of existing resources, the newest that allows the
 * operation.
 */
function exampleValues({ resources, storeABucket }: SandboxContext, address: string): ValuesOf {
  const crawls = resources.list('crawls').sort(newestFirst('created_at'));
  const projects = resources.list('projects');
  const reported = crawls.filter((crawl) => crawl.status === 'done' && crawl.link_status === 'live');
  const idle = projects.find((project) => !ofProject(crawls, project.id).some(isUnderWay));
  const named = (id: unknown): StoredResource | undefined => projects.find((project) => project.id === id);

  const projectFor = (path: string): StoredResource | undefined => {
    if (path.includes('/log_monitoring/'))
      return projects.find((project) => project.log_monitoring_data_ready);
    if (path.includes('/ranking_performance/'))
      return projects.find((project) => resources.dataset(project.id, 'ranking_performance') !== undefined);
    if (path === '/projects/{project_id}') return idle ?? projects[0];
    return named(reported[0]?.project_id) ?? projects[0];
  };

  return ({ path }) => {
    const workspace = resources.list('workspaces').at(-1);
    const project = projectFor(path);
    const newest = (kind: ResourceKind): StoredResource | undefined =>
      project && ofProject(resources.list(kind), project.id)[0];
    const [crawl2, crawl1] = project === undefined ? [] : ofProject(reported, project.id);
    const steered = path.endsWith('/pilot') ? steeredCrawl(crawls) : undefined;
    const config = project && resources.list('crawl_configs', project.id)[0];
    const crawlConfig = reported[0]?.crawl_config as StoredResource | null | undefined;
    const known = {
      workspace_id: workspace?.id,
      project_id: project?.id,
      crawl_id: steered?.id ?? reported[0]?.id,
      command: steered?.status === 'archived' ? 'unarchive' : undefined,
      resource_id: reported[0]?.id,
      coc_id: resources.list('crawl_over_crawls').find(({ status }) => status === 'done')?.id,
      crawl_over_crawl_id: resources.list('crawl_over_crawls')[0]?.id,
      crawl1: crawl1?.id,
      crawl2: crawl2?.id,
      crawl_config_id: config?.id,
      configId: crawlConfig?.id ?? config?.id,
      config_id: crawlConfig?.id ?? config?.id,
      scheduled_crawl_id: newest('scheduled_crawls')?.id,
      ingest_file_id: newest('ingest_files')?.id,
      secret_id: workspace && resources.list('secrets', workspace.id)[0]?.id,
      data_export_id: workspace && resources.list('data_exports', workspace.id)[0]?.id,
      store_a_bucket: storeABucket,
      // A test webhook has no other target.
      url: `${address}/hook`,
    };
    return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  };
}

/**
 * Returns a crawl for the example of a command: a running crawl can be paused, and an archived crawl can be restored.
 */
function steeredCrawl(crawls: readonly StoredResource[]): StoredResource | undefined {
  return (
    crawls.find((crawl) => crawl.status === 'running') ?? crawls.find((crawl) => crawl.status === 'archived')
  );
}
