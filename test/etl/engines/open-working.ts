import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Database } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { WorkingCopy } from '../../../src/etl/engines/working-copy.ts';
import { IN_DUCKDB } from '../../support/in-duckdb.ts';
import { threads } from '../../support/threads.ts';

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
    threads: threads(),
    tempDirectory: join(folder, 'state', 'spill'),
  });
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database;
}

/** The file of a working copy without rows. Making one takes two hundred statements, so a worker makes one for all tests. */
let empty: Promise<Buffer> | undefined;

async function emptyWorking(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-test-'));
  const { stateDir, published } = placeIn(folder);
  try {
    await using database = await openDatabase(folder);
    await using working = await WorkingCopy.open(
      database,
      { stateDir, warehouse: published, engine: IN_DUCKDB },
      silentLogger,
    );
    await working.detach();
    return await readFile(working.path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The working copy of a folder, on a database of its own when none is given. A folder that has nothing yet begins with an
 * empty one.
 */
export async function openWorking(folder: string, database?: Database): Promise<WorkingCopy> {
  const { stateDir, published } = placeIn(folder);
  const path = join(stateDir, 'work.duckdb');
  if (!existsSync(path) && !existsSync(published)) {
    empty ??= emptyWorking();
    await mkdir(stateDir, { recursive: true });
    await writeFile(path, await empty, { mode: 0o600 });
  }
  return WorkingCopy.open(
    database ?? (await openDatabase(folder)),
    { stateDir, warehouse: published, engine: IN_DUCKDB },
    silentLogger,
  );
}

/** Does something with the working copy of a folder, as one process would, and closes it. */
export async function withWorking<T>(folder: string, work: (working: WorkingCopy) => Promise<T>): Promise<T> {
  const { stateDir, published } = placeIn(folder);
  await using database = await openDatabase(folder);
  await using working = await WorkingCopy.open(
    database,
    { stateDir, warehouse: published, engine: IN_DUCKDB },
    silentLogger,
  );
  return await work(working);
}
