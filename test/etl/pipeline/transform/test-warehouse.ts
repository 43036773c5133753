import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../../../support/process-timeout.ts';
import { type Connection, Database, ident, table, text } from '../../../../src/core/duckdb/duckdb.ts';
import { rowsSql } from '../../../../src/etl/pipeline/transform/tests/model-cases.ts';
import { createSchema } from '../../../../src/etl/state/catalog/create-schema.ts';
import { threads } from '../../../support/threads.ts';

export interface TestWarehouse extends AsyncDisposable {
  readonly connection: Connection;
  readonly folder: string;
}

/** The file of an empty warehouse. Making one takes a hundred statements, so a worker makes one for all of its tests. */
let empty: Promise<Buffer> | undefined;

/** An empty warehouse in a file of its own, attached as the pipeline attaches it; removed with its folder. */
export async function openWarehouse(): Promise<TestWarehouse> {
  empty ??= emptyWarehouse();
  return await attachWarehouse(await empty);
}

async function emptyWarehouse(): Promise<Buffer> {
  const { connection, folder, close } = await attachWarehouse();
  try {
    await createSchema(connection);
    await connection.run('CHECKPOINT');
    return await readFile(join(folder, 'warehouse.duckdb'));
  } finally {
    await close();
  }
}

/** Instances of DuckDB that no test uses: the first statements of a new one take longer than most tests. */
const idle: Database[] = [];

async function attachWarehouse(content?: Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-transform-'));
  const path = join(folder, 'warehouse.duckdb');
  if (content) await writeFile(path, content);
  const database =
    idle.pop() ??
    (await Database.open({
      memoryLimit: '400MB',
      threads: threads(),
      tempDirectory: join(tmpdir(), `crawlhouse-transform-spill-${process.pid}`),
    }));
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(path)} AS warehouse (BLOCK_SIZE 32768, ROW_GROUP_SIZE 30720)`);
  await connection.run('USE warehouse');
  const close = async (): Promise<void> => {
    await connection.run('USE memory');
    // Also what a test has attached beside it: the next one must not see its tables.
    const attached = await connection.rows<{ name: string }>(
      "SELECT database_name AS name FROM duckdb_databases() WHERE NOT internal AND database_name <> 'memory'",
    );
    for (const { name } of attached) await connection.run(`DETACH ${ident(name)}`);
    connection[Symbol.dispose]();
    idle.push(database);
    await rm(folder, { recursive: true, force: true });
  };
  return { connection, folder, close, [Symbol.asyncDispose]: close };
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
