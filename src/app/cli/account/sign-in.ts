import { randomBytes } from 'node:crypto';
import { addAbortListener } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import {
  authorizationUrl,
  exchangeCode,
  type OAuthApplication,
  type OAuthTokens,
} from '../../../client/http/oauth.ts';
import type { TokenScope } from '../../../client/scopes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { listenError } from '../../../core/net/listen-http.ts';

/** The scopes that a run needs. */
const NEEDED: readonly TokenScope[] = ['account:read', 'projects:read'];

export interface SignIn {
  readonly application: OAuthApplication;
  /** The port of the redirect address, which is registered with the service. */
  readonly port: number;
  /** Shows the address to the user, like `openBrowser`. */
  readonly show: (url: string) => void;
}

/** The service accepts neither the application nor a code that it issued for it. */
export class RefusedApplication extends CrawlhouseError {}

export function redirectAddress(port: number): string {
  return `http://127.0.0.1:${port}/callback`;
}

/**
 * Opens the sign-in page of the service, and receives the answer at a loopback address of this machine. The service's
 * OAuth2 is for applications with a secret, without PKCE (api-spec.md §5). The random `state` ties the answer to this
 * request.
 *
 * @throws CrawlhouseError `unauthorized` if the user declines or grants too little, or the service refuses the code
 */
export async function signIn({ application, port, show }: SignIn, signal: AbortSignal): Promise<OAuthTokens> {
  const redirectUri = redirectAddress(port);
  const state = randomBytes(24).toString('base64url');
  const code = await codeOf(port, state, signal, () =>
    show(authorizationUrl(application, { redirectUri, scopes: NEEDED, state })),
  );
  const tokens = await exchangeCode(application, code, redirectUri, signal).catch((cause) => {
    if (!(cause instanceof CrawlhouseError) || cause.code !== 'unauthorized') throw cause;
    const { message, hint } = cause;
    throw new RefusedApplication('unauthorized', message, { cause, hint });
  });
  const missing = NEEDED.filter((scope) => tokens.scopes?.includes(scope) === false);
  if (missing.length === 0) return tokens;
  throw new CrawlhouseError('unauthorized', `not granted: ${missing.join(', ')}`, {
    hint: 'sign in again, and grant both account:read and projects:read',
  });
}

/** Returns the code that arrives with this state; other requests are ignored. */
async function codeOf(port: number, state: string, signal: AbortSignal, ready: () => void): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', redirectAddress(port));
    if (pathname !== '/callback' || searchParams.get('state') !== state)
      return answer(response, 404, 'crawlhouse does not expect this answer.');
    const code = searchParams.get('code');
    if (code !== null) {
      answer(response, 200, 'You are signed in. Close this page and go back to the terminal.');
      return resolve(code);
    }
    answer(response, 200, 'You are not signed in. Go back to the terminal.');
    const why = searchParams.get('error') ?? 'no code';
    reject(
      new CrawlhouseError('unauthorized', `the sign-in was refused: ${why}`, {
        hint: 'sign in again, or use an access token',
      }),
    );
  });
  const again = (_address: string, free: number): string =>
    `register ${redirectAddress(free)} with the service, then: crawlhouse init --redirect-port ${free}`;
  server.on('error', (cause) => listenError('usage', `127.0.0.1:${port}`, again, cause).then(reject, reject));
  server.once('listening', ready);
  try {
    signal.throwIfAborted();
    using _stop = addAbortListener(signal, () => reject(signal.reason));
    server.listen(port, '127.0.0.1');
    return await promise;
  } finally {
    server.close();
    server.closeIdleConnections();
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`${text}\n`);
}
