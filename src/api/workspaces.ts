import { z } from 'zod';
import { pageOf } from './pagination.ts';

/** A workspace (api-spec.md §2.10). */
export const Workspace = z.looseObject({
  id: z.string(),
  name: z.string(),
  role: z.string().nullish(),
  subscription_features: z.array(z.string()).nullish(),
  subscription_status: z.string().nullish(),
});
export type Workspace = z.infer<typeof Workspace>;

export const WorkspacePage = pageOf('workspaces', Workspace);
export const WorkspaceResponse = z.looseObject({ workspace: Workspace });
