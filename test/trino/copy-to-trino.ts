import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type Connection, ident, table, text } from '../../src/core/duckdb/duckdb.ts';
import { literal } from '../../src/etl/engines/trino/client/literal.ts';
import type { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { trinoType } from '../../src/etl/engines/trino/trino-dialect.ts';
import type { TrinoAddress } from '../support/trino.ts';

interface Copying {
  readonly connection: Connection;
  /** Where the file is written. */
  readonly folder: string;
  readonly client: TrinoClient;
  readonly trino: TrinoAddress;
  /** Stands before the names of the schemas in Trino. */
  readonly prefix?: string;
}

interface NamedColumn {
  readonly name: string;
  readonly type: string;
}

/** Puts the rows of a relation into the bucket as one file of Parquet, which a table of Trino takes as it is. */
export async function copyToTrino(
  { connection, folder, client, trino: { bucket, s3 }, prefix = '' }: Copying,
  name: string,
  columns: Iterable<NamedColumn>,
): Promise<void> {
  const listed = [...columns];
  const made = table(...`${prefix}${name}`.split('.'));
  const types = listed.map((column) => `${ident(column.name)} ${trinoType(column.type)}`);
  await client.run(`CREATE TABLE ${made} (${types.join(', ')})`);
  const file = join(folder, 'table.parquet');
  const written = listed.map(writtenColumn);
  const rows = await connection.run(
    `COPY (SELECT ${written.join(', ')} FROM ${table(...name.split('.'))}) TO ${text(file)} (FORMAT parquet)`,
  );
  if (rows === 0n) return;
  const { endpoint, region, accessKey: accessKeyId, secretKey: secretAccessKey } = s3;
  const credentials = { accessKeyId, secretAccessKey };
  const store = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const Key = `copied/${process.pid}-${Date.now()}/${name}.parquet`;
  await store.send(new PutObjectCommand({ Bucket: bucket, Key, Body: await readFile(file) }));
  store.destroy();
  await rm(file);
  const added = `ALTER TABLE ${made} EXECUTE add_files(location => ?, format => 'PARQUET')`;
  await client.run(added.replace('?', () => literal(`s3://${bucket}/${Key}`)));
}

/** Iceberg does not read Parquet's JSON. A view's types may be others than those that its columns have in Trino. */
function writtenColumn({ name, type }: NamedColumn): string {
  if (type === 'JSON') return `CAST(${ident(name)} AS VARCHAR) AS ${ident(name)}`;
  if (type === 'HUGEINT') return `CAST(${ident(name)} AS DECIMAL(38,0)) AS ${ident(name)}`;
  return ident(name);
}
