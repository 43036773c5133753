import { USER_ID, WORKSPACE_ID } from '../estate.ts';
import { resourceId } from '../ids.ts';
import type { Resources } from '../resources.ts';
import type { Stores } from './open-stores.ts';

/** The workspace's secret with the keys of the sandbox's own `store_b`. */
export const STORE_B_SECRET = 'sandbox-store-b';

/** Makes that secret, or gives it the keys of this start. */
export function putStoreSecret(resources: Resources, { store_b }: Stores, now: number): void {
  const known = resources.list('secrets', WORKSPACE_ID).find(({ name }) => name === STORE_B_SECRET);
  const id = known?.id ?? resourceId('secret', STORE_B_SECRET);
  const keys = JSON.stringify({ access_key: store_b.access_key, secret_key: store_b.secret_key });
  resources.put('secrets', WORKSPACE_ID, {
    name: STORE_B_SECRET,
    type: 'store_b_credentials',
    creation_date: now,
    owner_id: USER_ID,
    ...known,
    id,
    _value: Buffer.from(keys).toString('base64'),
  });
}
