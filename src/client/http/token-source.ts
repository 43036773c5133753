import { CrawlhouseError } from '../../core/errors/errors.ts';

export interface TokenSource {
  /** Returns the token for the next request. */
  token(signal?: AbortSignal): Promise<string>;
  /** Returns another token after the service refused this one (401); undefined if there is none. */
  renew(refused: string, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * Writes tokens that could not be written before; returns the error of another failure. Absent in sources without
   * files.
   */
  keepWritten?(): Promise<CrawlhouseError | null>;
}

/**
 * Returns a source with one fixed token.
 *
 * @throws CrawlhouseError `bad_settings` for a token that no header can contain
 */
export function fixedToken(token: string): TokenSource {
  // The message must not contain the token.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CrawlhouseError(
      'bad_settings',
      'the access token is empty, or contains a space or a character beyond ASCII',
      { hint: 'use only the token, without "Bearer" and without a line break' },
    );
  return { token: async () => token, renew: async () => undefined };
}
