/** What gives a client the access tokens it sends. */
export interface TokenSource {
  /** The token for a request that is about to be sent. */
  token(signal?: AbortSignal): Promise<string>;
  /** Another token, after the service refused this one (401); undefined where there is none to be had. */
  renew(refused: string, signal?: AbortSignal): Promise<string | undefined>;
}

/** A source with one token for ever. */
export function fixedToken(token: string): TokenSource {
  return { token: async () => token, renew: async () => undefined };
}
