import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { TokenScope } from '../../../client/scopes.ts';
import { checkRequest } from '../../resources/check-request.ts';
import { Refusal } from '../../resources/refusal.ts';
import { type Resources, type StoredResource, spendReplaced } from '../../resources/resources.ts';
import type { ServiceState } from '../../rows/service-state.ts';
import { findApplication, hasSecret } from './application.ts';
import type { Authorization } from './authorization.ts';

/** Lifetime of an access token in seconds (api-spec.md §5). */
const EXPIRES_IN = 3600;
/** Lifetime of a code in milliseconds (docs/sandbox.md). */
const CODE_LIFETIME_MS = 60_000;

/** The token response of api-spec.md §5; scopes in the spelling of OAuth2. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly token_type: 'Bearer';
  readonly scope: string;
}

type GrantStore = Pick<ServiceState, 'resources' | 'clock'>;

export function issueCode(
  { resources, clock }: GrantStore,
  asked: Authorization,
  granted: readonly TokenScope[],
): string {
  const code = secret('code');
  resources.put('oauth_codes', '', {
    id: code,
    client_id: asked.application.id,
    redirect_uri: asked.redirectUri,
    scopes: granted,
    expires_at: clock.now() + CODE_LIFETIME_MS,
    grant: secret('grant'),
    is_spent: false,
  });
  return code;
}

/**
 * Exchanges a code for tokens, once. A code that is used twice is treated as stolen, so its tokens are revoked (RFC
 * 6749 §4.1.2).
 *
 * @throws Refusal `invalid_request`, code `invalid_grant`
 */
function exchangeCode(store: GrantStore, clientId: string, code: string, redirectUri: string): TokenAnswer {
  const { resources, clock } = store;
  const known = resources.get('oauth_codes', code);
  if (known === undefined || known.client_id !== clientId) throw invalidGrant('the code is unknown');
  if (known.is_spent) {
    revoke(resources, String(known.grant));
    throw invalidGrant('the code has been used already');
  }
  if (Number(known.expires_at) <= clock.now()) throw invalidGrant('the code has expired');
  if (known.redirect_uri !== redirectUri)
    throw invalidGrant('redirect_uri is not the one that the code was sent to');
  resources.put('oauth_codes', '', { ...known, is_spent: true });
  return issueTokens(store, known);
}

/**
 * Issues tokens for a refresh token. The refresh token becomes invalid as soon as one of the new tokens is used. Until
 * then, it may be sent again, in case the response was lost.
 *
 * @throws Refusal `invalid_request`, code `invalid_grant`
 */
function refreshGrant(store: GrantStore, clientId: string, refreshToken: string): TokenAnswer {
  const { resources } = store;
  const known = resources.get('oauth_refresh_tokens', refreshToken);
  if (known === undefined || known.client_id !== clientId)
    throw invalidGrant('the refresh token is unknown or already used');
  spendReplaced(resources, 'oauth_refresh_tokens', known);
  return issueTokens(store, known, refreshToken);
}

function issueTokens({ resources, clock }: GrantStore, of: StoredResource, replaces?: string): TokenAnswer {
  const access = secret('access');
  const refresh = secret('refresh');
  const common = {
    client_id: of.client_id,
    scopes: of.scopes,
    grant: of.grant,
    ...(replaces === undefined ? {} : { replaces }),
  };
  const expires_at = clock.now() + EXPIRES_IN * 1000;
  resources.put('tokens', '', { id: access, ...common, expires_at });
  resources.put('oauth_refresh_tokens', '', { id: refresh, ...common });
  const scopes = (of.scopes as readonly string[]).map((scope) => scope.replace(/^projects:/, 'project:'));
  return {
    access_token: access,
    refresh_token: refresh,
    expires_in: EXPIRES_IN,
    token_type: 'Bearer',
    scope: scopes.join(' '),
  };
}

function revoke(resources: Resources, grant: string): void {
  for (const kind of ['tokens', 'oauth_refresh_tokens'] as const)
    for (const token of resources.list(kind)) if (token.grant === grant) resources.delete(kind, token.id);
}

function invalidGrant(message: string): Refusal {
  return new Refusal('invalid_request', message, { code: 'invalid_grant' });
}

function secret(what: string): string {
  return `sandbox-${what}-${randomBytes(24).toString('hex')}`;
}

const text = z.string().min(1);
const application = { client_id: text, client_secret: text };

/** The parameters of the exchange, all required (api-spec.md §5, step 3); others are ignored (RFC 6749 §3.2). */
const CodeRequest = z.object({ ...application, code: text, redirect_uri: text });
const RefreshRequest = z.object({ ...application, refresh_token: text });

/**
 * Answers a request for tokens.
 *
 * @throws Refusal whose code is the error of RFC 6749 §5.2
 */
export function answerTokenRequest(store: GrantStore, form: unknown): TokenAnswer {
  const { grant_type } = checkRequest(z.object({ grant_type: text }), form);
  switch (grant_type) {
    case 'authorization_code': {
      const { code, redirect_uri, ...client } = checkRequest(CodeRequest, form);
      return exchangeCode(store, clientOf(store, client), code, redirect_uri);
    }
    case 'refresh_token': {
      const { refresh_token, ...client } = checkRequest(RefreshRequest, form);
      return refreshGrant(store, clientOf(store, client), refresh_token);
    }
    default:
      throw new Refusal('invalid_request', 'grant_type must be authorization_code or refresh_token', {
        code: 'unsupported_grant_type',
      });
  }
}

function clientOf(
  { resources }: GrantStore,
  { client_id, client_secret }: { readonly client_id: string; readonly client_secret: string },
): string {
  const known = findApplication(resources, client_id);
  if (known !== undefined && hasSecret(known, client_secret)) return known.id;
  throw new Refusal('unauthorized', 'client_id and client_secret do not belong to an application', {
    code: 'invalid_client',
  });
}
