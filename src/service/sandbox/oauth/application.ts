import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Resources, StoredResource } from '../../resources/resources.ts';

/** An application that is registered for OAuth2; `redirect_uris` null: any address is allowed. */
export interface Application extends StoredResource {
  readonly name: string;
  readonly redirect_uris: readonly string[] | null;
}

export interface ApplicationCredentials {
  readonly client_id: string;
  readonly client_secret: string;
}

/** Returns the one application of the sandbox, registered at its first start and stored with the state. */
export function ensureApplication(resources: Resources): ApplicationCredentials {
  const known = resources.list('oauth_clients').at(-1);
  if (known !== undefined) return { client_id: known.id, client_secret: String(known._client_secret) };
  const client_id = randomBytes(12).toString('hex');
  const client_secret = randomBytes(24).toString('hex');
  resources.put('oauth_clients', '', {
    id: client_id,
    name: 'Example application',
    redirect_uris: null,
    _client_secret: client_secret,
  });
  return { client_id, client_secret };
}

export function findApplication(resources: Resources, clientId: string): Application | undefined {
  return resources.get('oauth_clients', clientId) as Application | undefined;
}

/** Returns whether this is the application's secret, compared in constant time. */
export function hasSecret(application: Application, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(String(application._client_secret)), digest(secret));
}
