import { Refusal } from '../resources/refusal.ts';
import type { Document } from '../resources/resources.ts';

/**
 * Refuses to write account data of a workspace in which the token's owner is only a user (api-spec.md §2.10).
 *
 * @throws Refusal `forbidden`, with the code `insufficient_role`
 */
export function requireWriter(workspace: Document): void {
  if (workspace.role !== 'user') return;
  const message = `the role user in the workspace ${workspace.id} does not allow to change account data`;
  throw new Refusal('forbidden', message, { code: 'insufficient_role' });
}
