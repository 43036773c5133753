import { keepSecret } from '../../../core/secrets/redact.ts';
import { lookUp } from '../../../core/text/look-up.ts';

/** Settings whose values are secrets; `store_b.credentials_secret` is a name. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'access_token',
  'client_secret',
  'refresh_token',
  'webhook_secret',
  'webhook',
  'api_key',
  'mcp_token',
  'password',
  'headers',
  'token',
]);
/** Secret variables that the clients of the stores and of PostgreSQL read themselves. */
const SECRET_VARIABLES = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'PGPASSWORD'] as const;
/**
 * Minimum length of a secret path. The path of a webhook's address is often its secret, but crawlhouse treats a shorter
 * path as an ordinary word.
 */
const LEAST_PATH = 8;

/** Registers every secret in the settings before any message can show it. */
export function keepSecrets(value: unknown, key = ''): void {
  if (Array.isArray(value)) for (const item of value) keepSecrets(item, key);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) keepSecrets(item, key === 'headers' ? key : name);
  else if (typeof value === 'string') {
    if (SECRET_KEYS.has(key)) keepSecret(value);
    keepAddress(value, key === 'webhook');
  }
}

export function keepSecretVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of SECRET_VARIABLES) keepSecret(lookUp(variables, name));
}

/** Registers the password in an address, and the path of an address that is itself a secret. */
function keepAddress(text: string, isSecret: boolean): void {
  const url = URL.parse(text);
  if (url === null) return;
  for (const part of [url.password, url.username]) {
    // A user name without a password is a token, except for a database.
    if (part === url.username && (url.password !== '' || url.protocol.startsWith('postgres'))) continue;
    keepSecret(part);
    keepSecret(decoded(part));
  }
  const path = `${url.pathname}${url.search}`;
  if (isSecret && path.length >= LEAST_PATH) keepSecret(path);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded: registered unchanged.
    return text;
  }
}
