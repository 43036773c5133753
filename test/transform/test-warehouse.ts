import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../support/process-timeout.ts';
import { type Connection, Database, table, text } from '../../src/core/duckdb.ts';
import { rowsSql } from '../../src/transform/model-cases.ts';
import { createSchema } from '../../src/warehouse/schema.ts';

export interface TestWarehouse extends AsyncDisposable {
  readonly connection: Connection;
  readonly folder: string;
}

/** An empty warehouse in a file of its own, attached as the pipeline attaches it; removed with its folder. */
export async function openWarehouse(): Promise<TestWarehouse> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-transform-'));
  const database = await Database.open({
    memoryLimit: '400MB',
    threads: 2,
    tempDirectory: join(folder, 'tmp'),
  });
  const connection = await database.connect();
  const file = text(join(folder, 'warehouse.duckdb'));
  await connection.run(`ATTACH ${file} AS warehouse (BLOCK_SIZE 32768, ROW_GROUP_SIZE 30720)`);
  await connection.run('USE warehouse');
  await createSchema(connection);
  return {
    connection,
    folder,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type ColumnTypes = Readonly<Record<string, string>>;

export async function createTable(
  connection: Connection,
  name: string,
  columns: ColumnTypes,
  rows: readonly object[] = [],
): Promise<void> {
  await connection.run(`CREATE OR REPLACE TABLE ${table(...name.split('.'))} AS ${rowsSql(columns, rows)}`);
}
