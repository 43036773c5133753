import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { onTestFinished } from 'vitest';
import { serveConsole } from '../../src/app/console/server/serve-console.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { freePort } from './free-port.ts';
import { rawProjectFolder } from './project.ts';

const VERIFIED: Readonly<Record<string, boolean | undefined>> = { liar: false };

interface RunningProvider {
  readonly issuer: string;
  readonly startProvider: () => Promise<void>;
  readonly stopProvider: () => void;
}

/** A provider of OpenID Connect, whose people are the names that they type. */
async function providerFor(consoleUrl: string, host: string): Promise<RunningProvider> {
  const port = await freePort();
  const issuer = `http://${host}:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'console',
        client_secret: 'secret-of-the-console',
        redirect_uris: [`${consoleUrl}/sign-in/callback`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: VERIFIED[sub] ?? true }),
    }),
    cookies: { keys: ['a key of this test'] },
  });
  const server = createServer(provider.callback());
  const startProvider = async (): Promise<void> => {
    server.listen(port, host);
    await once(server, 'listening');
  };
  const stopProvider = (): void => {
    server.closeAllConnections();
    server.close();
  };
  await startProvider();
  onTestFinished(stopProvider);
  return { issuer, startProvider, stopProvider };
}

/**
 * The console of a project whose people sign in at a provider.
 *
 * @param host of the provider; for a browser, `localhost` is another site than the console's 127.0.0.1
 */
export async function consoleWithOidc({
  folder,
  host = '127.0.0.1',
}: {
  readonly folder?: string;
  readonly host?: string;
} = {}) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const provider = await providerFor(url, host);
  const settings = await loadSettings(folder ?? (await rawProjectFolder()), {
    CRAWLHOUSE_CONSOLE_URL: url,
    CRAWLHOUSE_CONSOLE_OIDC_ISSUER: provider.issuer,
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_ID: 'console',
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_SECRET: 'secret-of-the-console',
    CRAWLHOUSE_CONSOLE_OIDC_OPERATORS: 'ops@example.com,liar@example.com',
    CRAWLHOUSE_CONSOLE_OIDC_VIEWERS: 'reader@example.com',
    CRAWLHOUSE_CONSOLE_ACTIONS: 'true',
  });
  const signal = new AbortController().signal;
  const served = await serveConsole(settings, new URL(url).host, silentLogger, signal);
  onTestFinished(() => served[Symbol.asyncDispose]());
  return { url, ...provider };
}
