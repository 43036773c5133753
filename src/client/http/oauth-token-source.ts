import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { retry } from '../../core/time/retry.ts';
import { type OAuthApplication, type OAuthTokens, refreshTokens } from './oauth.ts';
import type { TokenSource } from './token-source.ts';

/** A failed write of tokens is retried soon, then with later requests. */
const WRITE_RETRY = { attempts: 3, baseMs: 100, maxMs: 500 };
const REWRITE_AFTER_MS = 10_000;

export interface OAuthSourceOptions extends OAuthApplication {
  /** The first tokens; a refresh token alone is enough. */
  readonly tokens: OAuthTokens;
  /**
   * Receives every new set of tokens before the tokens are used, because the refresh token may have changed and the
   * previous one may be invalid. If this function fails, it is called again, immediately and with later requests.
   */
  readonly onTokens?: (tokens: OAuthTokens) => Promise<void> | void;
  /** Called after `onTokens` has failed each time: only this process has the tokens now. */
  readonly onUnwritten?: (error: CrawlhouseError) => void;
  /** Reads tokens that another process may have stored; called before a refresh. */
  readonly storedTokens?: () => Promise<OAuthTokens | undefined>;
  /** UTC milliseconds. */
  readonly now?: () => number;
}

/**
 * Access tokens of an OAuth2 grant. Refreshes a token before it expires, or when the service refuses it. At most one
 * refresh runs at a time.
 */
export class OAuthTokenSource implements TokenSource {
  readonly #options: OAuthSourceOptions;
  #tokens: OAuthTokens;
  #refreshing: Promise<string> | undefined;
  /** Whether `onTokens` has failed for `#tokens`. */
  #isUnwritten = false;
  #triedAt = 0;

  constructor(options: OAuthSourceOptions) {
    this.#options = options;
    this.#tokens = options.tokens;
  }

  async token(signal?: AbortSignal): Promise<string> {
    if (this.#isUnwritten && performance.now() - this.#triedAt > REWRITE_AFTER_MS) await this.#write();
    return this.#live(this.#tokens) ?? (await this.#refreshed(signal));
  }

  async renew(refused: string, signal?: AbortSignal): Promise<string | undefined> {
    // Another request met the same refusal and has already refreshed.
    const { accessToken } = this.#tokens;
    if (this.#refreshing === undefined && accessToken !== undefined && accessToken !== refused)
      return accessToken;
    return this.#refreshed(signal, refused);
  }

  /** Returns the access token, unless it expires soon or was refused. */
  #live({ accessToken, usableUntil }: OAuthTokens, refused?: string): string | undefined {
    if (accessToken === undefined || accessToken === refused) return undefined;
    const now = (this.#options.now ?? Date.now)();
    return usableUntil === undefined || usableUntil > now ? accessToken : undefined;
  }

  /** Shares one refresh between all waiting callers; a caller that stops waiting does not end it for the others. */
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
      // Another process may have just used this refresh token and stored its successor.
      const spent = this.#tokens.refreshToken;
      const others = await this.#takeStored(refused);
      if (others !== undefined) return others;
      if (this.#tokens.refreshToken === spent) throw error;
      return this.#renewWith(this.#tokens.refreshToken);
    }
  }

  async #renewWith(refreshToken: string): Promise<string> {
    const tokens = await refreshTokens(this.#options, refreshToken);
    // Kept in memory first: the former refresh token may be spent, whatever the disk does.
    this.#tokens = tokens;
    await this.#write();
    return String(tokens.accessToken);
  }

  async keepWritten(): Promise<CrawlhouseError | null> {
    return this.#isUnwritten ? this.#write() : null;
  }

  /** Calls `onTokens`; returns the error if each attempt failed. */
  async #write(): Promise<CrawlhouseError | null> {
    const wasUnwritten = this.#isUnwritten;
    this.#triedAt = performance.now();
    try {
      await retry(async () => this.#options.onTokens?.(this.#tokens), { policy: WRITE_RETRY });
      this.#isUnwritten = false;
      return null;
    } catch (cause) {
      const { message } = toCrawlhouseError(cause);
      const error = new CrawlhouseError('disk', `the new refresh token cannot be written: ${message}`, {
        cause,
        hint: 'free some space before this process ends; otherwise sign in again: crawlhouse init',
      });
      this.#isUnwritten = true;
      if (!wasUnwritten) this.#options.onUnwritten?.(error);
      return error;
    }
  }

  /** Switches to the tokens that another process stored; returns their access token if it is usable. */
  async #takeStored(refused: string | undefined): Promise<string | undefined> {
    // The stored tokens are older than the tokens that could not be written.
    const stored = this.#isUnwritten ? undefined : await this.#options.storedTokens?.();
    if (stored === undefined) return undefined;
    this.#tokens = stored;
    return this.#live(stored, refused);
  }
}
