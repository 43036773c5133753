import { request } from 'undici';
import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { atLeastAtRate, DEFAULT_LIMITS, readText } from '../../core/net/download-limits.ts';
import { keepSecret } from '../../core/secrets/redact.ts';
import { jsonOf } from '../../core/text/json.ts';
import { DEFAULT_RETRY, type RetryPolicy, retriable, retry } from '../../core/time/retry.ts';
import { canonicalScope, type TokenScope } from '../scopes.ts';
import { retryAfterMs } from './retry-after.ts';
import { serviceAddress } from './transport.ts';

/** A registered application (api-spec.md §5) with its secret. */
export interface OAuthApplication {
  /** Address of the service, without `/api/v2`. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The token endpoint. The specification shows no address; `<base_url>/oauth/token` is our choice. */
  readonly tokenUrl?: string | undefined;
  readonly retry?: RetryPolicy;
}

/** Maximum bytes read of a response, because tokens are short. */
const ANSWER_LIMIT = 1024 * 1024;
/** Maximum safety margin of an access token, which otherwise is a tenth of its lifetime. */
const LONGEST_MARGIN_MS = 60_000;

/** The response to a code or a refresh token (api-spec.md §5); `expires_in` is seconds. */
const TokenResponse = z.looseObject({
  // It becomes a header.
  access_token: z
    .string()
    .min(1)
    .refine((token) => !/[^\x21-\x7e]/.test(token)),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.number().positive(),
  token_type: z.string().nullish(),
  scope: z.string().nullish(),
});

/**
 * Stored tokens. The access token is used until `usableUntil` (UTC milliseconds), some time before it expires. `scopes`
 * are the granted ones, in their standard spelling.
 */
export interface OAuthTokens {
  readonly accessToken?: string | undefined;
  readonly usableUntil?: number | undefined;
  readonly refreshToken: string;
  readonly scopes?: readonly string[] | undefined;
}

export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly scopes: readonly TokenScope[];
  /** Returned with the response; a response with another state is not ours. */
  readonly state: string;
  /** The authorization page. The specification shows no address; `<base_url>/oauth/authorize` is our choice. */
  readonly authorizeUrl?: string;
}

/** Returns the address where the user decides whether the application may act for them (api-spec.md §5, step 1). */
export function authorizationUrl(
  { baseUrl, clientId }: Pick<OAuthApplication, 'baseUrl' | 'clientId'>,
  { redirectUri, scopes, state, authorizeUrl }: AuthorizationRequest,
): string {
  const url = new URL(authorizeUrl ?? `${serviceAddress(baseUrl)}/oauth/authorize`);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  // OAuth2 names the project scopes `project:*` (api-spec.md §5).
  url.searchParams.set('scope', scopes.map((scope) => scope.replace(/^projects:/, 'project:')).join(' '));
  url.searchParams.set('state', state);
  return url.href;
}

/**
 * Exchanges the returned code for tokens (api-spec.md §5, step 3). It is sent once, because a code is valid for one
 * exchange.
 *
 * @throws CrawlhouseError `unauthorized` if the service refuses the application or the code
 */
export async function exchangeCode(
  application: OAuthApplication,
  code: string,
  redirectUri: string,
  signal?: AbortSignal,
): Promise<OAuthTokens> {
  keepSecret(code);
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
  const tokens = await askForTokens(application, form, signal);
  if (tokens.refreshToken !== undefined) return { ...tokens, refreshToken: tokens.refreshToken };
  throw new CrawlhouseError('contract_broken', 'the answer to the code has no refresh_token');
}

/**
 * Exchanges a refresh token for new tokens. The specification does not describe this request (docs/sandbox.md). If the
 * response contains no new refresh token, the previous one stays valid.
 *
 * @throws CrawlhouseError `unauthorized` if the service refuses the application or the token
 */
export async function refreshTokens(
  application: OAuthApplication,
  refreshToken: string,
  signal?: AbortSignal,
): Promise<OAuthTokens> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const attempt = () => askForTokens(application, form, signal);
  const tokens = await retry(attempt, { policy: application.retry ?? DEFAULT_RETRY, signal });
  return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
}

type Asked = Omit<OAuthTokens, 'refreshToken'> & { readonly refreshToken: string | undefined };

async function askForTokens(
  { baseUrl, clientId, clientSecret, tokenUrl }: OAuthApplication,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<Asked> {
  for (const secret of [clientSecret, form.refresh_token]) keepSecret(secret);
  const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret });
  const askedAt = Date.now();
  const { status, text, headers } = await post(
    tokenUrl ?? `${serviceAddress(baseUrl)}/oauth/token`,
    body,
    signal,
  );
  if (status < 200 || status > 299) throw refused(status, text, headers['retry-after']);
  const answer = TokenResponse.safeParse(jsonOf(text));
  if (!answer.success) {
    // The body is not shown, because it may contain a token.
    const type = String(headers['content-type'] ?? 'no content type');
    throw new CrawlhouseError('contract_broken', `the token endpoint answered ${type} outside its contract`, {
      hint: 'check base_url: another server may respond at this address',
    });
  }
  const { access_token, refresh_token, expires_in, scope } = answer.data;
  for (const secret of [access_token, refresh_token]) keepSecret(secret ?? undefined);
  return {
    accessToken: access_token,
    usableUntil: askedAt + expires_in * 1000 - Math.min(LONGEST_MARGIN_MS, expires_in * 100),
    refreshToken: refresh_token ?? undefined,
    scopes: scope?.split(' ').filter(Boolean).map(canonicalScope),
  };
}

async function post(url: string, form: URLSearchParams, signal: AbortSignal | undefined) {
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: form.toString(),
      headersTimeout: 30_000,
      bodyTimeout: 30_000,
      // One request per hour needs no persistent connection.
      reset: true,
      ...(signal ? { signal } : {}),
    });
    const text = await readText(
      atLeastAtRate(answer.body, 'the token endpoint', DEFAULT_LIMITS),
      ANSWER_LIMIT,
    );
    if (text === null)
      throw retriable('connection', `the token endpoint's answer is larger than ${ANSWER_LIMIT} bytes`);
    return { status: answer.statusCode, text, headers: answer.headers };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CrawlhouseError) throw error;
    throw retriable('connection', `the token endpoint cannot be reached: ${(error as Error).message}`, error);
  }
}

/** RFC 6749 errors, or the service's error object: the specification shows neither for this endpoint. */
const Refused = z.looseObject({
  error: z.string().optional(),
  error_description: z.string().optional(),
  type: z.string().optional(),
  message: z.string().nullish(),
});

function refused(status: number, text: string, after: string | string[] | undefined): CrawlhouseError {
  const said = Refused.safeParse(jsonOf(text)).data;
  const reason = [said?.error ?? said?.type, said?.error_description ?? said?.message].filter(Boolean);
  const message = `the token endpoint answered ${[status, ...reason].join(': ')}`;
  if (status === 429 || status >= 500)
    return new CrawlhouseError('service_unavailable', message, { retryAfterMs: retryAfterMs(after) });
  return new CrawlhouseError('unauthorized', message, {
    hint: 'check client_id and client_secret; a used or revoked refresh token needs a new authorization',
  });
}
