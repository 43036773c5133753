import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { openEnum } from './open-enum.ts';
import { listQuery, NoQuery, pageOf } from './pagination.ts';

/** A workspace (api-spec.md §2.10). */
export const Workspace = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    role: openEnum(['owner', 'manager', 'user']).nullish(),
    subscription_features: z.array(z.string()).nullish(),
    subscription_status: openEnum(['active', 'inactive']).nullish(),
  })
  .meta({ id: 'Workspace' });
export type Workspace = z.infer<typeof Workspace>;

/** The specification names no field that workspaces can be sorted or filtered by. */
export const WORKSPACE_LIST_FIELDS: readonly string[] = [];

export const LIST_WORKSPACES = endpoint({
  method: 'GET',
  path: '/workspaces',
  scope: 'account:read',
  summary: 'Workspaces that the token sees',
  source: '§4.9',
  query: listQuery(WORKSPACE_LIST_FIELDS),
  answers: 'json',
  response: pageOf('workspaces', Workspace),
  result: 'workspaces',
  errors: ['invalid_request_parameters'],
  repeatable: true,
});

export const GET_WORKSPACE = endpoint({
  method: 'GET',
  path: '/workspaces/{workspace_id}',
  scope: 'account:read',
  summary: 'One workspace',
  source: '§4.9',
  query: NoQuery,
  answers: 'json',
  response: z.looseObject({ workspace: Workspace }),
  result: 'workspace',
  errors: ['invalid_request_parameters', 'resource_not_found'],
  repeatable: true,
});
