import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { CRAWL_LIST_FIELDS } from '../../api/crawls.ts';
import { PROJECT_LIST_FIELDS } from '../../api/projects.ts';
import { notFound } from '../refusal.ts';
import type { Document } from '../resources.ts';
import { checkRequest } from './check-request.ts';
import type { Context } from './context.ts';
import { listPage } from './list-page.ts';

type ById = { Params: { id: string } };

/** Workspaces and what is listed below them (api-spec.md §4.3, §4.5, §4.9). */
export function accountRoutes(api: FastifyInstance, context: Context): void {
  const { resources, rows } = context;
  const config = { scope: 'account:read' } as const;
  const workspace = (id: string): Document => {
    const found = resources.get('workspaces', id);
    if (found === undefined) throw notFound(`the workspace ${id}`);
    return found;
  };

  api.get('/workspaces', { config }, async (request) =>
    listPage(rows, 'workspaces', resources.list('workspaces'), request.query, []),
  );
  api.get<ById>('/workspaces/:id', { config }, async (request) => {
    checkRequest(z.strictObject({}), request.query);
    return { workspace: workspace(request.params.id) };
  });
  api.get<ById>('/workspaces/:id/projects', { config }, async (request) => {
    const projects = resources.list('projects', workspace(request.params.id).id);
    return listPage(rows, 'projects', projects, request.query, PROJECT_LIST_FIELDS);
  });
  api.get<ById>('/workspaces/:id/crawls', { config }, async (request) => {
    const crawls = resources.list('crawls', workspace(request.params.id).id).sort(newestFirst);
    return listPage(rows, 'crawls', crawls, request.query, CRAWL_LIST_FIELDS);
  });
}

function newestFirst(a: Document, b: Document): number {
  return Number(b.created_at ?? 0) - Number(a.created_at ?? 0);
}
