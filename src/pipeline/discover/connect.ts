import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '../../core/logs/logger.ts';
import { type LimitSettings, limitsOf } from '../../project/settings/limits.ts';
import {
  type AccountSettings,
  type ServiceSettings,
  serviceSettings,
} from '../../project/settings/settings.ts';
import { ServiceClient } from '../../service/api/client/client.ts';
import { OAuthTokenSource } from '../../service/api/client/oauth-token-source.ts';
import { readTokens, type TokenOrigin, writeTokens } from '../../service/api/client/stored-tokens.ts';
import type { TokenSource } from '../../service/api/client/token-source.ts';
import type { LedgerSettings } from '../../state/ledger/open-ledger.ts';
import { sharedSlots } from '../../state/ledger/shared-slots.ts';

/** How the service is reached, and how much is asked of it at once. */
export interface ClientSettings extends AccountSettings, LimitSettings, LedgerSettings {
  readonly requests_per_second?: number | undefined;
}

/**
 * The client of the service that the settings name.
 *
 * @throws CrawlhouseError `bad_settings` when the address or the credentials are missing
 */
export function connect(settings: ClientSettings, logger: Logger): ServiceClient {
  const service = serviceSettings(settings);
  return new ServiceClient({
    baseUrl: service.baseUrl,
    accessToken: 'oauth' in service ? oauthTokens(service, settings.state_dir, logger) : service.accessToken,
    requestsPerSecond: settings.requests_per_second,
    slots: settings.requests_per_second === undefined ? undefined : sharedSlots(settings, accountOf(service)),
    limits: limitsOf(settings),
    logger,
  });
}

/** The service counts requests by account. Of the token, only enough is told to distinguish accounts. */
function accountOf(service: ServiceSettings): string {
  const credential = 'oauth' in service ? service.oauth.client_id : service.accessToken;
  return `${service.baseUrl} ${hash('sha256', credential).slice(0, 8)}`;
}

/** Tokens are stored, because a service may give a new refresh token with each refresh and reject the former one. */
function oauthTokens(
  { baseUrl, oauth }: Extract<ServiceSettings, { oauth: unknown }>,
  stateDir: string,
  logger: Logger,
): TokenSource {
  const tokenUrl = oauth.token_url ?? `${baseUrl}/oauth/token`;
  const origin: TokenOrigin = { tokenUrl, clientId: oauth.client_id, refreshToken: oauth.refresh_token };
  const file = join(stateDir, 'oauth.json');
  return new OAuthTokenSource({
    baseUrl,
    clientId: oauth.client_id,
    clientSecret: oauth.client_secret,
    tokenUrl,
    tokens: { refreshToken: oauth.refresh_token },
    storedTokens: () => readTokens(file, origin),
    onTokens: (tokens) => writeTokens(file, origin, tokens),
    onUnwritten: ({ message, hint }) =>
      logger.error('only this process has the new refresh token', { error: message, hint }),
  });
}
