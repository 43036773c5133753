import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Check, type Finding, look, smallEngine } from '../../../core/duckdb/check.ts';
import { ident, text } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { tryObject } from '../../../core/stores/try-object.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { TrinoAddress } from './client/address.ts';
import { literal } from './client/literal.ts';
import { openTrinoPlace } from './client/open-trino.ts';
import { RelationNames } from './client/relation-names.ts';
import type { TrinoClient } from './client/trino-client.ts';
import { TrinoFailure } from './client/trino-error.ts';

const SchemaRow = z.strictObject({ Schema: z.string() });

const CatalogRow = z.strictObject({ Catalog: z.string() });

type Place = Awaited<ReturnType<typeof openTrinoPlace>>;

const MAY_ONLY_READ = {
  message: 'can read, may not write',
  hint: 'this is enough for queries; a machine that runs pipelines needs permission to create schemas, tables and views',
};

/** Checks the warehouse in Trino and its bucket. Removes whatever it creates. */
export async function examineTrino(address: TrinoAddress, signal: AbortSignal): Promise<Check[]> {
  const stateDir = await mkdtemp(join(tmpdir(), 'crawlhouse-doctor-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(stateDir, { recursive: true, force: true }));
  const database = stack.use(await smallEngine());
  const connection = stack.use(await database.connect());
  // Both checks report why it cannot be opened.
  const opened = openTrinoPlace(address, { connection, stateDir });
  opened.then(
    (place) => stack.use(place),
    () => {},
  );
  const { bucket, folder } = address;
  const trial = `crawlhouse-doctor/${randomUUID()}`;
  return [
    await look('location', signal, async () => {
      const rights = await tryObject((await opened).objects, `${folder}/${trial}`, signal, {
        noWrite: 'this is enough for queries; a machine with runs needs to write there',
        noDelete: 'a machine with runs needs to remove old catalogs',
      });
      return { ...rights, message: `s3://${bucket}/${folder}: ${rights.message}` };
    }),
    await look('trino', signal, async () => {
      const place = await opened;
      const version = await place.client.scalar('SELECT version()', {}, signal);
      const schemas = await schemasOf(place, signal);
      const rights = await tryTable(place, `${folder}/${trial}`, signal);
      const published = schemas.includes(`${place.prefix}raw`) ? '' : '; nothing published yet';
      const where = `${new URL(address.url).host}, version ${version}, catalog ${place.catalog}`;
      return { ...rights, message: `${where}: ${rights.message}${published}` };
    }),
  ];
}

/** @throws CrawlhouseError `bad_settings` if there is no such catalog */
async function schemasOf({ client, catalog }: Place, signal: AbortSignal): Promise<string[]> {
  try {
    const rows = typedRows(SchemaRow, await client.rows(`SHOW SCHEMAS FROM ${ident(catalog)}`, {}, signal));
    return rows.map(({ Schema }) => Schema);
  } catch (error) {
    if (!isFailure(error, 'CATALOG_NOT_FOUND')) throw error;
    const rows = typedRows(CatalogRow, await client.rows('SHOW CATALOGS', {}, signal));
    throw new CrawlhouseError('bad_settings', `warehouse.catalog: Trino has no catalog ${catalog}`, {
      cause: error,
      hint: `catalogs that you can use: ${rows.map(({ Catalog }) => Catalog).join(', ')}`,
    });
  }
}

/** Loads a row like a run: a Parquet file in the bucket, registered in a table of its own schema. */
async function tryTable(place: Place, key: string, signal: AbortSignal): Promise<Finding> {
  const { client, prefix, bucket, objects, connection, temporary } = place;
  const schema = ident(`${prefix}doctor_${randomUUID().slice(0, 8)}`);
  const made = `${schema}.rows`;
  try {
    await client.run(`CREATE SCHEMA ${schema}`, {}, signal);
  } catch (error) {
    if (isFailure(error, 'PERMISSION_DENIED')) return await tryReading(place, signal);
    throw error;
  }
  try {
    const location = literal(`s3://${bucket}/${key}`);
    await client.run(`CREATE TABLE ${made} (n bigint) WITH (location = ${location})`, {}, signal);
    const file = `${temporary}.parquet`;
    await connection.run(`COPY (SELECT CAST(7 AS BIGINT) AS n) TO ${text(file)} (FORMAT parquet)`);
    // Dropping the table removes it.
    await objects.put(`${key}/data/7.parquet`, file, signal);
    const registered = literal(`s3://${bucket}/${key}/data/7.parquet`);
    await register(
      client,
      `ALTER TABLE ${made} EXECUTE add_files(location => ${registered}, format => 'PARQUET')`,
      signal,
    );
    if ((await client.scalar(`SELECT n FROM ${made}`, {}, signal)) !== 7n)
      throw new CrawlhouseError('engine_failed', 'Trino returned a different row than written');
    return { message: 'can register and read a file' };
  } finally {
    await client.run(`DROP SCHEMA ${schema} CASCADE`, {}, AbortSignal.timeout(60_000));
  }
}

async function register(client: TrinoClient, sql: string, signal: AbortSignal): Promise<void> {
  try {
    await client.run(sql, {}, signal);
  } catch (error) {
    if (!(error instanceof CrawlhouseError) || !/add_files/.test(error.message)) throw error;
    throw new CrawlhouseError('engine_access', error.message, {
      cause: error,
      hint: 'set iceberg.add-files-procedure.enabled=true in the catalog properties',
    });
  }
}

/** @throws CrawlhouseError `engine_access` if there are pointers that the user may not read */
async function tryReading({ client, prefix }: Place, signal: AbortSignal): Promise<Finding> {
  const { visible } = new RelationNames(prefix);
  try {
    await client.run(`SELECT count(*) FROM ${visible}`, {}, signal);
  } catch (error) {
    if (!isFailure(error, 'TABLE_NOT_FOUND') && !isFailure(error, 'SCHEMA_NOT_FOUND')) throw error;
  }
  return MAY_ONLY_READ;
}

function isFailure(error: unknown, name: string): boolean {
  return (
    error instanceof CrawlhouseError && error.cause instanceof TrinoFailure && error.cause.errorName === name
  );
}
