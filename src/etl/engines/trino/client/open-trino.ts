import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { fixedToken, type TokenSource } from '../../../../client/http/token-source.ts';
import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { keepSecret } from '../../../../core/secrets/redact.ts';
import { s3 } from '../../../../core/stores/s3/s3.ts';
import { type RetryPolicy, retriable } from '../../../../core/time/retry.ts';
import type { TrinoPlace } from '../trino-place.ts';
import type { TrinoAddress } from './address.ts';
import { TrinoClient, type TrinoOptions } from './trino-client.ts';

/**
 * Opens a client for the Trino server in the settings. Makes no requests yet.
 *
 * @throws CrawlhouseError `bad_settings`
 */
export async function openTrinoClient(address: TrinoAddress, retry?: RetryPolicy): Promise<TrinoClient> {
  const { url, user, catalog, authority } = address;
  const ca = authority === undefined ? undefined : await readAuthority(authority);
  return new TrinoClient({ url, user, catalog, ca, credentials: credentialsOf(address, ca), retry });
}

/**
 * Opens Trino and the bucket with the rows, for `TrinoRows.begin`. Makes no requests yet.
 *
 * @param catalog DuckDB with the tables of `raw` and `ops`
 * @throws CrawlhouseError `bad_settings`
 */
export async function openTrinoPlace(
  address: TrinoAddress,
  { connection, stateDir }: { readonly connection: Connection; readonly stateDir: string },
): Promise<TrinoPlace & AsyncDisposable> {
  const { catalog, schemaPrefix: prefix, bucket, folder } = address;
  await using stack = new AsyncDisposableStack();
  const client = stack.use(await openTrinoClient(address));
  const objects = stack.use(await openTrinoBucket(address));
  const opened = stack.move();
  return {
    client,
    catalog,
    prefix,
    bucket,
    folder,
    objects,
    connection,
    temporary: join(stateDir, 'engine'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Returns the bucket of the rows, with the credentials of Amazon's standard chain. */
export function openTrinoBucket({ bucket, region, endpoint }: TrinoAddress) {
  const names = { setting: 'warehouse', location: 'warehouse.location' };
  return s3.open({ bucket, region, endpoint, names });
}

async function readAuthority(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new CrawlhouseError('bad_settings', `warehouse.ca: ${file} cannot be read`, { cause });
  }
}

function credentialsOf({ credentials }: TrinoAddress, ca: string | undefined): TrinoOptions['credentials'] {
  if (credentials === undefined || 'password' in credentials) return credentials;
  if ('token' in credentials) return fixedToken(credentials.token);
  return new ClientCredentials({ ...credentials, ca });
}

interface ClientCredentialsOptions {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string | undefined;
  /** Certificates of a private authority (PEM). */
  readonly ca?: string | undefined;
  /** Time limit of a response; 30 seconds by default. */
  readonly patienceMs?: number;
}

const TokenAnswer = z.looseObject({
  // It goes into a header.
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.number().positive(),
});

/** Seconds after which a token without a lifetime in the response is renewed. */
const SHORTEST_LIFE = 60;

/**
 * Tokens of an authorization server for a program (OAuth 2.0, section 4.4). Each is used for nine tenths of its
 * lifetime.
 */
export class ClientCredentials implements TokenSource {
  readonly #options: ClientCredentialsOptions;
  #token: Promise<string> | undefined;
  #usableUntil = 0;

  constructor(options: ClientCredentialsOptions) {
    this.#options = options;
    keepSecret(options.clientSecret);
  }

  token(): Promise<string> {
    if (this.#token && Date.now() < this.#usableUntil) return this.#token;
    this.#usableUntil = Number.POSITIVE_INFINITY;
    const asked = this.#ask();
    // A failure is not cached.
    asked.catch(() => {
      this.#token = undefined;
    });
    this.#token = asked;
    return asked;
  }

  async renew(refused: string): Promise<string> {
    if ((await this.#token) === refused) this.#token = undefined;
    return this.token();
  }

  async #ask(): Promise<string> {
    const { tokenUrl, clientId, clientSecret, scope, ca, patienceMs = 30_000 } = this.#options;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope === undefined ? {} : { scope }),
    });
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
    const askedAt = Date.now();
    const agent = new Agent({ connect: ca === undefined ? {} : { ca } });
    const { statusCode, type, text } = await request(tokenUrl, {
      method: 'POST',
      signal: AbortSignal.timeout(patienceMs),
      dispatcher: agent,
      headers: {
        authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: form.toString(),
    })
      .then(async ({ statusCode, headers, body }) => {
        const type = String(headers['content-type'] ?? 'no content type');
        return { statusCode, type, text: await body.text() };
      })
      .catch((cause: Error) => {
        throw retriable(
          'connection',
          `the token endpoint ${tokenUrl} cannot be reached: ${cause.message}`,
          cause,
        );
      })
      .finally(() => agent.destroy());
    if (statusCode === 429 || statusCode >= 500)
      throw new CrawlhouseError(
        'engine_unavailable',
        `the token endpoint ${tokenUrl} answered ${statusCode}`,
      );
    if (statusCode !== 200)
      throw new CrawlhouseError('engine_access', `the token endpoint ${tokenUrl} answered ${statusCode}`, {
        hint: 'check the client id, its secret and the scope',
      });
    const { access_token, expires_in } = parsed(text, `${tokenUrl} answers 200 with ${type}`);
    keepSecret(access_token);
    this.#usableUntil = askedAt + expires_in * 900;
    return access_token;
  }
}

/** @param answers for the message; the text may contain a token */
function parsed(text: string, answers: string): z.output<typeof TokenAnswer> {
  try {
    return TokenAnswer.parse({ expires_in: SHORTEST_LIFE, ...JSON.parse(text) });
  } catch (cause) {
    throw new CrawlhouseError('contract_broken', `the token endpoint ${answers}, outside OAuth2`, {
      cause,
      hint: 'check warehouse.token_url: it must be the address of the token endpoint, not a sign-in page',
    });
  }
}
