import { type Resources, resourceId } from '../../resources/resources.ts';
import { USER_ID, WORKSPACE_ID } from '../../resources/seed.ts';
import type { Stores } from './open-stores.ts';

/** The secret of each workspace with the keys of the sandbox's own `store_b`. */
export const STORE_B_SECRET = 'sandbox-store-b';

/** Makes that secret in every workspace, or gives it the keys of this start. */
export function putStoreSecrets(resources: Resources, stores: Stores, now: number): void {
  for (const workspace of resources.list('workspaces')) putStoreSecret(resources, workspace.id, stores, now);
}

function putStoreSecret(resources: Resources, workspace: string, { store_b }: Stores, now: number): void {
  const known = resources.list('secrets', workspace).find(({ name }) => name === STORE_B_SECRET);
  const parts = workspace === WORKSPACE_ID ? [] : [workspace];
  const id = known?.id ?? resourceId('secret', STORE_B_SECRET, ...parts);
  const keys = JSON.stringify({ access_key: store_b.access_key, secret_key: store_b.secret_key });
  resources.put('secrets', workspace, {
    name: STORE_B_SECRET,
    type: 'store_b_credentials',
    creation_date: now,
    owner_id: USER_ID,
    ...known,
    id,
    _value: Buffer.from(keys).toString('base64'),
  });
}
