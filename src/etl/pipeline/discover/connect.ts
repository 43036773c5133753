import { hash } from 'node:crypto';
import { join } from 'node:path';
import { OAuthTokenSource } from '../../../client/http/oauth-token-source.ts';
import { ServiceClient } from '../../../client/http/service-client.ts';
import { readTokens, type TokenOrigin, writeTokens } from '../../../client/http/stored-tokens.ts';
import type { TokenSource } from '../../../client/http/token-source.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { type LimitSettings, limitsOf } from '../../project/settings/limits.ts';
import {
  type AccountSettings,
  type ServiceSettings,
  serviceSettings,
} from '../../project/settings/settings.ts';
import type { LedgerSettings } from '../../state/ledger/open-ledger.ts';
import { sharedSlots } from '../../state/ledger/shared-slots.ts';

/** The address of the service, and the limits of requests. */
export interface ClientSettings extends AccountSettings, LimitSettings, LedgerSettings {
  readonly requests_per_second?: number | undefined;
}

/**
 * Returns a client for the service in the settings.
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

/**
 * Returns the account by which the service counts requests. It reveals only enough of the token to distinguish
 * accounts.
 */
function accountOf(service: ServiceSettings): string {
  const credential = 'oauth' in service ? service.oauth.client_id : service.accessToken;
  return `${service.baseUrl} ${hash('sha256', credential).slice(0, 8)}`;
}

/** Stores tokens, because a service may issue a new refresh token with each refresh and reject the former one. */
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
