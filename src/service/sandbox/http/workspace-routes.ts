import type { FastifyInstance } from 'fastify';
import { GET_WORKSPACE, LIST_WORKSPACES, WORKSPACE_LIST_FIELDS } from '../../api/workspaces.ts';
import { find } from '../resources/find.ts';
import { publicView } from '../resources/public-view.ts';
import type { Context } from './context.ts';
import { listPage } from './list-page.ts';
import { serve } from './serve.ts';

/** Workspaces (api-spec.md §4.9). */
export function workspaceRoutes(api: FastifyInstance, { resources, rows }: Context): void {
  serve(api, LIST_WORKSPACES, ({ query }) =>
    listPage(
      rows,
      { key: 'workspaces', documents: resources.list('workspaces'), names: WORKSPACE_LIST_FIELDS },
      query,
    ),
  );
  serve(api, GET_WORKSPACE, ({ parameters }) => ({
    workspace: publicView(find(resources, 'workspaces', parameters.workspace_id)),
  }));
}
