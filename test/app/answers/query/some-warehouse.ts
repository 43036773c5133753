import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { QueryLimits } from '../../../../src/app/answers/query/query-limits.ts';
import { QueryProcess } from '../../../../src/app/answers/query/query-process.ts';
import { PublishedWarehouse } from '../../../../src/app/answers/query/query-warehouse.ts';
import { Database, text } from '../../../../src/core/duckdb/duckdb.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/** A published file with what the statements made in it, opened for reading. */
export async function someWarehouse(
  ...statements: readonly string[]
): Promise<{ folder: string; path: string; warehouse: PublishedWarehouse }> {
  const folder = await temporaryFolder();
  const path = join(folder, 'warehouse.duckdb');
  await using database = await Database.open({
    memoryLimit: '200MB',
    threads: 1,
    tempDirectory: join(folder, 'spill'),
  });
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(path)} AS w`);
  await connection.run('USE w');
  for (const statement of statements) await connection.run(statement);
  await connection.run('USE memory');
  await connection.run('DETACH w');
  const warehouse = await PublishedWarehouse.open({ warehouse: path, memoryLimit: '200MB', threads: 1 });
  onTestFinished(() => warehouse[Symbol.dispose]());
  return { folder, path, warehouse };
}

/** A process that runs queries on a published file, under generous limits but those that are given. */
export async function queryProcess(
  warehouse: string,
  limits: Partial<QueryLimits> = {},
  options: { readonly output?: string } = {},
): Promise<QueryProcess> {
  const started = await QueryProcess.start({
    warehouse,
    stateDir: join(dirname(warehouse), '.crawlhouse'),
    threads: 2,
    limits: { seconds: 120, memory: '200MB', temp: '1GB', rows: 10_000_000, result: '1GB', ...limits },
    ...options,
  });
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}
