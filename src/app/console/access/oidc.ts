import * as client from 'openid-client';
import type { ConsoleOidcSettings } from '../../../etl/project/settings/console-settings.ts';
import { ROLES, type Role } from './sessions.ts';

/** The state of a started sign-in until the user returns. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly to: string;
}

/** Signs users in at an OpenID Connect provider: authorization code with PKCE, state and nonce. */
export class Oidc {
  readonly #settings: ConsoleOidcSettings;
  readonly #redirectUri: string;
  #known: Promise<client.Configuration> | null = null;

  constructor(settings: ConsoleOidcSettings, consoleUrl: string) {
    this.#settings = settings;
    this.#redirectUri = new URL('/sign-in/callback', consoleUrl).href;
  }

  /** Returns the sign-in address of the provider, and the state to remember. */
  async begin(to: string): Promise<{ readonly url: string; readonly begun: BegunSignIn }> {
    const configuration = await this.#configuration();
    const begun = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      to,
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: 'openid email',
      code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
      state: begun.state,
      nonce: begun.nonce,
    });
    return { url: url.href, begun };
  }

  /**
   * Returns the claims of the returning user.
   *
   * @param query the query of the callback
   * @throws Error of `openid-client`, if the provider refused or the answer belongs to another sign-in
   */
  async end(query: string, { state, nonce, verifier }: BegunSignIn): Promise<Claims> {
    const configuration = await this.#configuration();
    const tokens = await client.authorizationCodeGrant(
      configuration,
      new URL(`${this.#redirectUri}?${query}`),
      { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
    );
    const claims = tokens.claims() as client.IDToken;
    const { userinfo_endpoint: userInfo } = configuration.serverMetadata();
    if (emailOf(claims) !== null || userInfo === undefined) return claims;
    return await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  }

  /** Returns the provider's metadata, requested again after a failure. */
  #configuration(): Promise<client.Configuration> {
    this.#known ??= this.#discover().catch((error: unknown) => {
      this.#known = null;
      throw error;
    });
    return this.#known;
  }

  #discover(): Promise<client.Configuration> {
    const { issuer, client_id: id, client_secret: secret } = this.#settings;
    const server = new URL(issuer);
    // The settings allow an address without TLS only on this machine.
    const execute = server.protocol === 'http:' ? [client.allowInsecureRequests] : [];
    return client.discovery(server, id, undefined, secretSent(secret), { execute });
  }
}

/** Codes of `openid-client` if the provider's server responds too late, or not according to OpenID Connect. */
const UNANSWERED: readonly unknown[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];

/** Returns whether an error of `end` means that the provider did not respond. Every other error refuses the sign-in. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof TypeError) return error.message === 'fetch failed';
  return error instanceof client.ClientError && UNANSWERED.includes(error.code);
}

/** Sends the secret in the header, which every provider without a list of methods supports; else in the body. */
function secretSent(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...given) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, ...given);
  };
}

/** The person of one-time links: anyone who can make a link on the console's machine. */
export const LOCAL_PERSON = 'local';

/** The provider's claims about a person. */
export interface Claims {
  readonly sub: string;
  readonly email?: unknown;
  readonly email_verified?: unknown;
}

/**
 * Returns the identity of a person, for the audit and for every limit: the verified email, or else the subject, as the
 * settings name them. A subject that would be ambiguous in the settings has its prefix.
 */
export function subjectOf(claims: Claims): string {
  const email = emailOf(claims);
  if (email !== null) return identityOf(`email:${email}`).slice('email:'.length);
  const { sub } = claims;
  return identityOf(sub) === `subject:${sub}` && sub !== LOCAL_PERSON ? sub : `subject:${sub}`;
}

/** Returns the highest role of a person, or null if the person has no access. */
export function roleOf(claims: Claims, settings: ConsoleOidcSettings): Role | null {
  const { viewers, readers, analysts = readers ?? [], operators, owners } = settings;
  const people = { viewer: viewers, analyst: analysts, operator: operators, owner: owners };
  const email = emailOf(claims);
  const own = [`subject:${claims.sub}`, ...(email === null ? [] : [`email:${email}`])].map(identityOf);
  const isIn = (names: readonly string[] | 'all'): boolean =>
    names === 'all' || names.some((name) => own.includes(identityOf(name)));
  return ROLES.findLast((role) => isIn(people[role])) ?? null;
}

/** Returns an email that the provider has verified: a person may have entered another's. */
function emailOf({ email, email_verified: verified }: Claims): string | null {
  const isVerified = verified === true || verified === 'true';
  return typeof email === 'string' && email.includes('@') && isVerified ? email : null;
}

/**
 * Normalizes a name in the single namespace of people: `email:…` or `subject:…`. Without a prefix, a name with `@` is
 * an email. Emails are equal regardless of the case of ASCII letters: `toLowerCase` would turn U+212A KELVIN SIGN into
 * `k`.
 */
function identityOf(name: string): string {
  if (name.startsWith('subject:')) return name;
  const isEmail = name.startsWith('email:');
  if (!isEmail && !name.includes('@')) return `subject:${name}`;
  const email = isEmail ? name.slice('email:'.length) : name;
  return `email:${email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())}`;
}
