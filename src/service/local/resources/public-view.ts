import type { Document, ResourceKind, Resources } from './resources.ts';

/**
 * Settings of our own that `PATCH /_sandbox/<resource>/<id>` takes. Each is kept under its name with `_`
 * before it, and so never served.
 */
export const OWN_SETTINGS: Readonly<Partial<Record<ResourceKind, readonly string[]>>> = {
  workspaces: ['archive_after_days', 'crawl_url_quota'],
  crawl_configs: ['list_only', 'vitals'],
  projects: ['week_definition', 'ranking_performance_quota'],
};

/** A document as the API serves it: keys that begin with `_` are our own, secrets among them. */
export function publicView(doc: Document): Document {
  const entries = Object.entries(doc).filter(([key]) => !key.startsWith('_'));
  return Object.fromEntries(entries) as Document;
}

/** On the first use of a token the refresh token that it came from is spent. */
export function spendReplaced(
  resources: Resources,
  kind: 'tokens' | 'oauth_refresh_tokens',
  token: Document,
): void {
  if (typeof token.replaces !== 'string') return;
  const { replaces, ...rest } = token;
  resources.delete('oauth_refresh_tokens', replaces);
  resources.put(kind, '', rest as Document);
}
