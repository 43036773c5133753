import type { FastifyInstance } from 'fastify';
import { GET_WORKSPACE, LIST_WORKSPACES } from '../../api/workspaces.ts';
import type { Context } from './context.ts';
import { find } from './find.ts';
import { listPage } from './list-page.ts';
import { serve } from './serve.ts';
import { served } from './served.ts';

/** Workspaces (api-spec.md §4.9). */
export function workspaceRoutes(api: FastifyInstance, { resources, rows }: Context): void {
  serve(api, LIST_WORKSPACES, ({ query }) =>
    listPage(rows, 'workspaces', resources.list('workspaces'), query, []),
  );
  serve(api, GET_WORKSPACE, ({ parameters }) => ({
    workspace: served(find(resources, 'workspaces', parameters.workspace_id)),
  }));
}
