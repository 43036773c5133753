import type { FastifyInstance } from 'fastify';
import { GET_PROJECT, LIST_PROJECTS, PROJECT_LIST_FIELDS } from '../../api/projects.ts';
import type { Context } from './context.ts';
import { find } from './find.ts';
import { listPage } from './list-page.ts';
import { serve } from './serve.ts';

/** Projects (api-spec.md §4.3). */
export function projectRoutes(api: FastifyInstance, { resources, rows }: Context): void {
  serve(api, LIST_PROJECTS, ({ parameters, query }) => {
    const projects = resources.list('projects', find(resources, 'workspaces', parameters.workspace_id).id);
    return listPage(rows, 'projects', projects, query, PROJECT_LIST_FIELDS);
  });
  serve(api, GET_PROJECT, ({ parameters }) => {
    const project = find(resources, 'projects', parameters.project_id);
    const crawls = resources.list('crawls').filter((crawl) => crawl.project_id === project.id);
    return { project, crawl_configs: resources.list('crawl_configs', project.id), crawls };
  });
}
