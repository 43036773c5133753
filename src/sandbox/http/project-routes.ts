import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { notFound } from '../refusal.ts';
import type { Document, ResourceKind } from '../resources.ts';
import { checkRequest } from './check-request.ts';
import type { Context } from './context.ts';

type ById = { Params: { id: string } };
type ByConfig = { Params: { id: string; configId: string } };

/** Projects, crawls and configurations, one at a time (api-spec.md §4.3, §4.5, §4.7). */
export function projectRoutes(api: FastifyInstance, { resources }: Context): void {
  const config = { scope: 'projects:read' } as const;
  const find = (kind: ResourceKind, what: string, id: string): Document => {
    const found = resources.get(kind, id);
    if (found === undefined) throw notFound(`the ${what} ${id}`);
    return found;
  };

  api.get<ById>('/projects/:id', { config }, async ({ params, query }) => {
    noParameters(query);
    const project = find('projects', 'project', params.id);
    const crawls = resources.list('crawls').filter((crawl) => crawl.project_id === project.id);
    return { project, crawl_configs: resources.list('crawl_configs', project.id), crawls };
  });
  api.get<ById>('/crawls/:id', { config }, async ({ params, query }) => {
    noParameters(query);
    return { crawl: find('crawls', 'crawl', params.id) };
  });
  api.get<ById>('/projects/:id/crawl_configs', { config }, async ({ params, query }) => {
    noParameters(query);
    return { crawl_configs: resources.list('crawl_configs', find('projects', 'project', params.id).id) };
  });
  api.get<ByConfig>('/projects/:id/crawl_configs/:configId', { config }, async ({ params, query }) => {
    noParameters(query);
    const own = resources.list('crawl_configs', find('projects', 'project', params.id).id);
    const found = own.find((item) => item.id === params.configId);
    if (found === undefined) throw notFound(`the crawl configuration ${params.configId}`);
    return { crawl_config: found };
  });
}

function noParameters(query: unknown): void {
  checkRequest(z.strictObject({}), query);
}
