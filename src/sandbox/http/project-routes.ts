import type { FastifyInstance } from 'fastify';
import {
  CREATE_PROJECT,
  DELETE_PROJECT,
  GET_PROJECT,
  LIST_PROJECTS,
  PROJECT_LIST_FIELDS,
} from '../../api/projects.ts';
import { newProject, WORKSPACE_ID } from '../estate.ts';
import { resourceId } from '../ids.ts';
import { crawlAt } from '../life/crawl-life.ts';
import { ofProject } from '../project-lists.ts';
import { duplicateEntry } from '../refusal.ts';
import { deleteProject } from '../remove.ts';
import type { Context } from './context.ts';
import { find } from './find.ts';
import { listPage } from './list-page.ts';
import { serve } from './serve.ts';
import { served } from './served.ts';

/** Projects (api-spec.md §4.3). */
export function projectRoutes(api: FastifyInstance, context: Context): void {
  const { resources, rows, clock, life } = context;
  serve(api, LIST_PROJECTS, ({ parameters, query }) => {
    const projects = resources.list('projects', find(resources, 'workspaces', parameters.workspace_id).id);
    return listPage(rows, 'projects', projects, query, PROJECT_LIST_FIELDS);
  });
  serve(api, GET_PROJECT, ({ parameters }) => {
    const project = find(resources, 'projects', parameters.project_id);
    const crawls = ofProject(resources.list('crawls'), project.id);
    return {
      project: served(project),
      crawl_configs: resources.list('crawl_configs', project.id).map(served),
      crawls: crawls.map((crawl) => served(crawlAt(crawl, clock.now()))),
    };
  });
  serve(api, CREATE_PROJECT, ({ body: { project: input } }) => {
    if (resources.list('projects').some((other) => other.name === input.name))
      throw duplicateEntry('project.name', `there is a project ${JSON.stringify(input.name)} already`);
    const project = newProject(resourceId('project', input.name), input.name, input.start_url);
    resources.put('projects', WORKSPACE_ID, project);
    return { project: served(project) };
  });
  serve(api, DELETE_PROJECT, ({ parameters }) =>
    life.alone(() => deleteProject(context, find(resources, 'projects', parameters.project_id))),
  );
}
