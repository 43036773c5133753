import type { Document, Resources } from './resources.ts';

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
