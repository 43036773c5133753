import { mkdtempSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { type Connection, Database } from '../../src/core/duckdb/duckdb.ts';
import { threads } from './threads.ts';

/** A folder of its own for one test, removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder for all tests of a file. */
export function sharedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crawlhouse-test-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A DuckDB connection for one test. */
export async function temporaryConnection(folder: string): Promise<Connection> {
  const database = await Database.open({
    memoryLimit: '400MB',
    threads: threads(),
    tempDirectory: join(folder, 'spill'),
  });
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database.connect();
}
