import { z } from 'zod';
import { openEnum, resultOf, section } from '../endpoint.ts';
import { listQuery, pageOf } from '../http/pagination.ts';

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

/** The specification lists no field to sort or filter workspaces by. */
export const WORKSPACE_LIST_FIELDS: readonly string[] = [];

const { get } = section('§4.9', 'account');

export const LIST_WORKSPACES = get('/workspaces', 'Workspaces that the token can access', {
  query: listQuery(WORKSPACE_LIST_FIELDS),
  errors: ['invalid_request_parameters'],
  ...pageOf('workspaces', Workspace),
});

export const GET_WORKSPACE = get(
  '/workspaces/{workspace_id}',
  'One workspace',
  resultOf('workspace', Workspace),
);
