import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { RetryPolicy } from '../../../core/time/retry.ts';
import { fixedToken } from '../../../service/api/client/token-source.ts';
import { s3 } from '../../../stores/s3/s3.ts';
import type { TrinoPlace } from '../trino-place.ts';
import type { TrinoAddress } from './address.ts';
import { TrinoClient, type TrinoOptions } from './client.ts';
import { ClientCredentials } from './client-credentials.ts';

/**
 * A client of the Trino that the settings name. Nothing is asked yet.
 *
 * @throws CrawlhouseError `bad_settings`
 */
export async function openTrinoClient(address: TrinoAddress, retry?: RetryPolicy): Promise<TrinoClient> {
  const { url, user, catalog, authority } = address;
  const ca = authority === undefined ? undefined : await readAuthority(authority);
  const credentials = credentialsOf(address, ca);
  return new TrinoClient({
    url,
    user,
    catalog,
    ...(ca === undefined ? {} : { ca }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(retry === undefined ? {} : { retry }),
  });
}

/**
 * Opens Trino and the bucket of the rows, for `TrinoRows.begin`. Nothing is asked of either yet.
 *
 * @param catalogue DuckDB with the tables of `raw` and `ops`
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

/** The bucket of the rows, with the credentials of Amazon's standard chain. */
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
  const { scope, ...client } = credentials;
  return new ClientCredentials({
    ...client,
    ...(scope === undefined ? {} : { scope }),
    ...(ca === undefined ? {} : { ca }),
  });
}
