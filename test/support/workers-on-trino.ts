import { expect } from 'vitest';
import { RelationNames } from '../../src/etl/engines/trino/client/relation-names.ts';
import type { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { rowsOfTrino } from '../trino/rows-of-both.ts';
import type { TrinoAddress } from './trino.ts';
import { bucketCredentials, trinoSettings } from './trino-settings.ts';
import { type SceneOptions, TABLES } from './worker-scene.ts';

/** Packages and rows are in one bucket, which the run may ask at an address of its own. */
export function onTrino(
  trino: TrinoAddress,
  prefix: string,
  endpointOfRun: string = trino.s3.endpoint,
): SceneOptions {
  const environment = {
    ...bucketCredentials(trino),
    CRAWLHOUSE_STORE_B_BUCKET: trino.bucket,
    CRAWLHOUSE_STORE_B_REGION: trino.s3.region,
  };
  const at = (endpoint: string) => ({
    yaml: trinoSettings({ ...trino, s3: { ...trino.s3, endpoint } }, prefix),
    environment: { ...environment, CRAWLHOUSE_STORE_B_ENDPOINT: endpoint },
  });
  return { ...at(trino.s3.endpoint), ofRun: at(endpointOfRun) };
}

/** The published rows are those of a warehouse that one process filled. */
export async function expectSameOnTrino(
  client: TrinoClient,
  prefix: string,
  undisturbed: string,
): Promise<void> {
  for (const relation of [...TABLES.map((table) => `raw.${table}`), 'ops.loads'])
    expect([relation, await rowsOf(client, prefix, relation)]).toEqual([
      relation,
      await rowsOf(client, undisturbed, relation),
    ]);
}

/** As texts, without what differs from run to run. */
async function rowsOf(client: TrinoClient, prefix: string, relation: string): Promise<string[]> {
  const [schema = '', name = ''] = relation.split('.');
  const found = await client.rows<{ column_name: string }>(
    `SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ?
     ORDER BY column_name`,
    { values: [`${prefix}${schema}`, name] },
  );
  const own = found.map(({ column_name }) => column_name).filter((one) => isOfUnit(schema, one));
  const listed = own.map((one) => `"${one}"`).join(', ');
  const rows = `SELECT ${listed} FROM ${new RelationNames(prefix).reader(relation)}`;
  return (await rowsOfTrino(client, rows)).sort();
}

const COUNTS = ['unit', 'reported', 'received', 'staged', 'rejected', 'loaded', 'queryable'];

function isOfUnit(schema: string, column: string): boolean {
  return schema === 'ops' ? COUNTS.includes(column) : !['_run_id', '_loaded_at'].includes(column);
}
