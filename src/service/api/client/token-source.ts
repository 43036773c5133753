import { CrawlhouseError } from '../../../core/errors/errors.ts';

export interface TokenSource {
  /** The token for a request that is about to be sent. */
  token(signal?: AbortSignal): Promise<string>;
  /** Another token, after the service refused this one (401); undefined if there is none. */
  renew(refused: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Writes what could not be written before; the error if that fails again. A source without files has no such. */
  keepWritten?(): Promise<CrawlhouseError | null>;
}

/**
 * A source with one token for ever.
 *
 * @throws CrawlhouseError `bad_settings` for what no header can carry
 */
export function fixedToken(token: string): TokenSource {
  // The message names the fault, not the token.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CrawlhouseError(
      'bad_settings',
      'the access token is empty, or has a space or a sign beyond ASCII',
      {
        hint: 'give only the token, without "Bearer" and without a line end',
      },
    );
  return { token: async () => token, renew: async () => undefined };
}
