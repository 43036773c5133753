import type { FastifyInstance } from 'fastify';
import { GET_LOG_METADATA } from '../../../client/data-endpoints.ts';
import {
  CREATE_PROJECT,
  DELETE_PROJECT,
  GET_PROJECT,
  LIST_PROJECTS,
  PROJECT_LIST_FIELDS,
} from '../../../client/resources/projects.ts';
import {
  GET_WORKSPACE,
  LIST_WORKSPACES,
  WORKSPACE_LIST_FIELDS,
} from '../../../client/resources/workspaces.ts';
import { crawlAt } from '../../crawls/launched-crawl.ts';
import { deleteProject } from '../../crawls/remove.ts';
import { logMetadata } from '../../logs/log-metadata.ts';
import { find, requireLogMonitoring } from '../../resources/find.ts';
import { duplicateEntry } from '../../resources/refusal.ts';
import { publicView, resourceId } from '../../resources/resources.ts';
import { newProject, ofProject, WORKSPACE_ID } from '../../resources/seed.ts';
import { serveList } from '../list-page.ts';
import { type Context, serve } from '../serve.ts';

/** Projects (api-spec.md §4.3). */
export function projectRoutes(api: FastifyInstance, context: Context): void {
  const { resources, rows, clock, crawlClock } = context;
  serveList(api, LIST_PROJECTS, { rows, names: PROJECT_LIST_FIELDS }, ({ workspace_id }) =>
    resources.list('projects', find(resources, 'workspaces', workspace_id).id),
  );
  serve(api, GET_PROJECT, ({ parameters }) => {
    const project = find(resources, 'projects', parameters.project_id);
    const crawls = ofProject(resources.list('crawls'), project.id);
    return {
      project: publicView(project),
      crawl_configs: resources.list('crawl_configs', project.id).map(publicView),
      crawls: crawls.map((crawl) => publicView(crawlAt(crawl, clock.now()))),
    };
  });
  serve(api, CREATE_PROJECT, ({ body: { project: input } }) => {
    if (resources.list('projects').some((other) => other.name === input.name))
      throw duplicateEntry('name', `there is a project ${JSON.stringify(input.name)} already`);
    const project = newProject(resourceId('project', input.name), input.name, input.start_url);
    resources.put('projects', WORKSPACE_ID, project);
    return { project: publicView(project) };
  });
  serve(api, DELETE_PROJECT, ({ parameters }) =>
    crawlClock.alone(() => deleteProject(context, find(resources, 'projects', parameters.project_id))),
  );
}

/** Workspaces (api-spec.md §4.9). */
export function workspaceRoutes(api: FastifyInstance, { resources, rows }: Context): void {
  const listed = { rows, names: WORKSPACE_LIST_FIELDS };
  serveList(api, LIST_WORKSPACES, listed, () => resources.list('workspaces'));
  serve(api, GET_WORKSPACE, ({ parameters }) => ({
    workspace: publicView(find(resources, 'workspaces', parameters.workspace_id)),
  }));
}

/** Registers the metadata of log monitoring (api-spec.md §4.1), which is the same for events and pages. */
export function logRoutes(api: FastifyInstance, { resources, rows }: Context): void {
  serve(api, GET_LOG_METADATA, ({ parameters }) => {
    const project = requireLogMonitoring(resources, parameters.project_id);
    return logMetadata(resources, rows, project);
  });
}
