import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Database } from '../../src/core/duckdb.ts';
import { silentLogger } from '../../src/core/logger.ts';
import { WorkingCopy } from '../../src/warehouse/working-copy.ts';

export interface Place {
  readonly stateDir: string;
  readonly published: string;
}

export function placeIn(folder: string): Place {
  return { stateDir: join(folder, 'state'), published: join(folder, 'warehouse.duckdb') };
}

/** A database for one test, or until it is disposed of. */
export async function openDatabase(folder: string): Promise<Database> {
  const database = await Database.open({
    memoryLimit: '300MB',
    threads: 2,
    tempDirectory: join(folder, 'state', 'spill'),
  });
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database;
}

/** The working copy of a folder, on a database of its own when none is given. */
export async function openWorking(folder: string, database?: Database): Promise<WorkingCopy> {
  const { stateDir, published } = placeIn(folder);
  return WorkingCopy.open(
    database ?? (await openDatabase(folder)),
    { stateDir, warehouse: published },
    silentLogger,
  );
}

/** Does something with the working copy of a folder, as one process would, and closes it. */
export async function withWorking<T>(folder: string, work: (working: WorkingCopy) => Promise<T>): Promise<T> {
  const { stateDir, published } = placeIn(folder);
  await using database = await openDatabase(folder);
  await using working = await WorkingCopy.open(database, { stateDir, warehouse: published }, silentLogger);
  return await work(working);
}
