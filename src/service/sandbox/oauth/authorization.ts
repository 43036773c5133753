import { randomBytes } from 'node:crypto';
import { canonicalScope, SCOPES, type TokenScope } from '../../../client/scopes.ts';
import type { Clock } from '../../resources/clock.ts';
import type { Application } from './application.ts';

export interface Authorization {
  readonly application: Application;
  readonly redirectUri: string;
  readonly scopes: readonly TokenScope[];
  readonly state: string | undefined;
}

/**
 * The outcome of an authorization request. The user is asked, or the browser is redirected with an error (RFC 6749
 * §4.1.2.1). If the address is not allowed, only the user sees the error.
 */
export type Checked =
  | { readonly kind: 'ask'; readonly authorization: Authorization }
  | { readonly kind: 'back'; readonly location: string }
  | { readonly kind: 'refuse'; readonly message: string };

/** The default scopes of a request (docs/sandbox.md). */
const DEFAULT_SCOPES: readonly TokenScope[] = ['account:read', 'projects:read'];

/** Checks the query of the authorization page; only `client_id` must be there (api-spec.md §5, step 1). */
export function checkAuthorization(
  query: URLSearchParams,
  applicationOf: (clientId: string) => Application | undefined,
): Checked {
  const repeated = [...new Set(query.keys())].find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) return refuse(`The parameter ${repeated} is given more than once.`);
  const clientId = query.get('client_id');
  if (!clientId) return refuse('The parameter client_id is missing.');
  const application = applicationOf(clientId);
  if (application === undefined) return refuse('No application with this client_id is registered.');
  const redirectUri = query.get('redirect_uri') ?? application.redirect_uris?.at(0);
  if (redirectUri === undefined) return refuse('The parameter redirect_uri is missing.');
  if (!isReturnAddress(redirectUri, application))
    return refuse('The application is not registered with this redirect_uri.');

  const state = query.get('state') ?? undefined;
  const back = (error: string): Checked => ({
    kind: 'back',
    location: returnAddress(redirectUri, { error, state }),
  });
  if ((query.get('response_type') ?? 'code') !== 'code') return back('unsupported_response_type');
  const scopes = parseScopes(query.get('scope'));
  if (scopes === undefined) return back('invalid_scope');
  return { kind: 'ask', authorization: { application, redirectUri, scopes, state } };
}

/** Returns the scopes of a list separated by spaces, in the order of the specification; undefined if one is unknown. */
function parseScopes(text: string | null): readonly TokenScope[] | undefined {
  const names = (text ?? '').split(' ').filter(Boolean).map(canonicalScope);
  if (names.some((name) => !SCOPES.some((scope) => scope === name))) return undefined;
  return names.length === 0 ? DEFAULT_SCOPES : SCOPES.filter((scope) => names.includes(scope));
}

function isReturnAddress(uri: string, { redirect_uris }: Application): boolean {
  if (!URL.canParse(uri) || !/^https?:$/.test(new URL(uri).protocol) || uri.includes('#')) return false;
  return redirect_uris === null || redirect_uris.includes(uri);
}

export function returnAddress(
  redirectUri: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

function refuse(message: string): Checked {
  return { kind: 'refuse', message };
}

/** How long a user has to decide, in milliseconds. */
const LIFETIME_MS = 10 * 60_000;
const MOST = 1000;

interface Pending {
  readonly authorization: Authorization;
  readonly until: number;
}

/**
 * The open authorization pages. Each page has a secret one-time key, so no other site can respond for the user.
 */
export class PendingAuthorizations {
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Stores an authorization and returns the key for its answer. */
  add(authorization: Authorization): string {
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= MOST) this.#pending.delete(oldest);
    const key = randomBytes(24).toString('base64url');
    this.#pending.set(key, { authorization, until: this.#clock.now() + LIFETIME_MS });
    return key;
  }

  /** Removes and returns the authorization of this key, if it still exists. */
  take(key: string): Authorization | undefined {
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    return pending !== undefined && pending.until > this.#clock.now() ? pending.authorization : undefined;
  }
}
