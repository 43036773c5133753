import { StoreBCredentials } from '../../../client/resources/secrets.ts';
import { notFound } from '../../resources/refusal.ts';
import type { Resources, StoredResource } from '../../resources/resources.ts';

/**
 * Returns the secret that `secrets://<workspace_id>/<name>` names.
 *
 * @throws Refusal `resource_not_found`
 */
export function findSecret(resources: Resources, uri: string): StoredResource {
  const [, workspace = '', name = ''] = /^secrets:\/\/([^/]+)\/([^/]+)$/.exec(uri) ?? [];
  const found = resources.list('secrets', workspace).find((secret) => secret.name === name);
  if (found === undefined) throw notFound(`the secret ${uri}`);
  return found;
}

/** Returns the JSON in a secret's value; undefined if the value is not base64 of a JSON text. */
export function secretContent(value: string): unknown {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'base64'));
    return JSON.parse(text) as unknown;
  } catch {
    // Neither base64 nor JSON.
    return undefined;
  }
}

/** Returns the keys in a `store_b_credentials` secret's value; undefined if it does not contain them. */
export function storeBCredentials(value: string): StoreBCredentials | undefined {
  return StoreBCredentials.safeParse(secretContent(value)).data;
}
