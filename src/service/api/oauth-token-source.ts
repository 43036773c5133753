import { CrawlhouseError } from '../../core/errors.ts';
import { type OAuthApplication, type OAuthTokens, refreshTokens } from './oauth.ts';
import type { TokenSource } from './token-source.ts';

export interface OAuthSourceOptions extends OAuthApplication {
  /** The tokens to begin with; a refresh token alone will do. */
  readonly tokens: OAuthTokens;
  /** Gets every new set of tokens before it is used: the refresh token may be another one, and the former spent. */
  readonly onTokens?: (tokens: OAuthTokens) => Promise<void> | void;
  /** Tokens that another process may have put away since; asked before a refresh. */
  readonly storedTokens?: () => Promise<OAuthTokens | undefined>;
  /** UTC milliseconds. */
  readonly now?: () => number;
}

/**
 * Access tokens of an OAuth2 grant. They are refreshed before they expire, or when the service refuses one. At most one
 * refresh runs at a time.
 */
export class OAuthTokenSource implements TokenSource {
  readonly #options: OAuthSourceOptions;
  #tokens: OAuthTokens;
  #refreshing: Promise<string> | undefined;

  constructor(options: OAuthSourceOptions) {
    this.#options = options;
    this.#tokens = options.tokens;
  }

  async token(signal?: AbortSignal): Promise<string> {
    return this.#live(this.#tokens) ?? (await this.#refreshed(signal));
  }

  async renew(refused: string, signal?: AbortSignal): Promise<string | undefined> {
    // Another request has met the same refusal, and its refresh is done.
    const { accessToken } = this.#tokens;
    if (this.#refreshing === undefined && accessToken !== undefined && accessToken !== refused)
      return accessToken;
    return this.#refreshed(signal, refused);
  }

  /** The access token, unless it ends soon or is the one refused. */
  #live({ accessToken, usableUntil }: OAuthTokens, refused?: string): string | undefined {
    if (accessToken === undefined || accessToken === refused) return undefined;
    const now = (this.#options.now ?? Date.now)();
    return usableUntil === undefined || usableUntil > now ? accessToken : undefined;
  }

  /** One refresh for all who wait; one who gives up waiting does not end it for the others. */
  async #refreshed(signal: AbortSignal | undefined, refused?: string): Promise<string> {
    this.#refreshing ??= this.#refresh(refused).finally(() => {
      this.#refreshing = undefined;
    });
    const refreshing = this.#refreshing;
    if (signal === undefined) return refreshing;
    signal.throwIfAborted();
    const left = new AbortController();
    const gone = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: left.signal });
    });
    try {
      return await Promise.race([refreshing, gone]);
    } finally {
      left.abort();
    }
  }

  async #refresh(refused: string | undefined): Promise<string> {
    const taken = await this.#takeStored(refused);
    if (taken !== undefined) return taken;
    try {
      return await this.#renewWith(this.#tokens.refreshToken);
    } catch (error) {
      if (!(error instanceof CrawlhouseError) || error.code !== 'unauthorized') throw error;
      // Another process may have spent this refresh token just now, and put its successor away.
      const spent = this.#tokens.refreshToken;
      const others = await this.#takeStored(refused);
      if (others !== undefined) return others;
      if (this.#tokens.refreshToken === spent) throw error;
      return this.#renewWith(this.#tokens.refreshToken);
    }
  }

  async #renewWith(refreshToken: string): Promise<string> {
    const tokens = await refreshTokens(this.#options, refreshToken);
    await this.#options.onTokens?.(tokens);
    this.#tokens = tokens;
    return String(tokens.accessToken);
  }

  /** Goes over to what another process stored; its access token where that will do. */
  async #takeStored(refused: string | undefined): Promise<string | undefined> {
    const stored = await this.#options.storedTokens?.();
    if (stored === undefined) return undefined;
    this.#tokens = stored;
    return this.#live(stored, refused);
  }
}
