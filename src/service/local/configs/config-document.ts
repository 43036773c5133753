import { CONFIG_DEFAULTS } from '../../api/resources/config-defaults.ts';
import { DEPRECATED_CONFIG_FIELDS } from '../../api/resources/crawl-configs.ts';
import { invalidParameter } from '../resources/refusal.ts';
import type { Document } from '../resources/resources.ts';
import type { ConfigInput } from './check-config.ts';

type Secrets = Readonly<Record<string, string>>;

/**
 * A stored configuration, with defaults, and with secrets under keys that are not served. An update replaces everything
 * except the secrets that it does not name. Absent fields return to their defaults.
 */
export function configDocument(id: string, input: ConfigInput, known?: Document): Document {
  const deprecated: ReadonlySet<string> = new Set([...DEPRECATED_CONFIG_FIELDS, 'id']);
  const given = Object.entries(input).filter(
    ([name, value]) => value !== undefined && value !== null && !deprecated.has(name),
  );
  const formerSecrets = (known?._webhook_secrets ?? {}) as Secrets;
  const secrets = webhookSecrets(input, formerSecrets);
  const password = passwordOf(input, known);
  return {
    id,
    ...CONFIG_DEFAULTS,
    ...Object.fromEntries(given),
    ...(input.http_auth ? { http_auth: withoutPassword(input.http_auth) } : {}),
    notifications: servedNotifications(input.notifications, secrets),
    ...(password === undefined ? {} : { _http_password: password }),
    _webhook_secrets: secrets,
  };
}

/** The secrets by address: absent keeps what the same address had, null removes it (api-spec.md §6). */
function webhookSecrets({ notifications }: ConfigInput, former: Secrets): Secrets {
  const entries = (notifications?.custom_webhooks ?? []).flatMap(({ url, secret }) => {
    const kept = secret === undefined ? former[url] : secret;
    return kept === undefined || kept === null ? [] : [[url, kept] as const];
  });
  return Object.fromEntries(entries);
}

/** Only whether there is a secret is served. */
function servedNotifications(notifications: ConfigInput['notifications'], secrets: Secrets) {
  const recipients = notifications?.email_recipients;
  return {
    ...(recipients === undefined || recipients === null ? {} : { email_recipients: recipients }),
    custom_webhooks: (notifications?.custom_webhooks ?? []).map(({ url }) => ({
      url,
      secret_enabled: Object.hasOwn(secrets, url),
    })),
  };
}

/** Without a password the one that this user name had stays. */
function passwordOf({ http_auth }: ConfigInput, known: Document | undefined): string | undefined {
  if (http_auth === undefined || http_auth === null) return undefined;
  if (http_auth.password !== undefined) return http_auth.password;
  const former = known?.http_auth as { username?: string } | null | undefined;
  if (former?.username === http_auth.username) return known?._http_password as string | undefined;
  throw invalidParameter('http_auth.password', 'required', 'is needed for another user name');
}

function withoutPassword(httpAuth: NonNullable<ConfigInput['http_auth']>): Record<string, unknown> {
  const { password, ...rest } = httpAuth;
  return { realm: null, ...rest };
}
