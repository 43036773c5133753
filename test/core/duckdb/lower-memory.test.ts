import { expect, test } from 'vitest';
import { type Connection, Database } from '../../../src/core/duckdb/duckdb.ts';
import { inLowerMemory, withLowerMemory, withOneThread } from '../../../src/core/duckdb/lower-memory.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function connect(memoryLimit: string): Promise<Connection> {
  const database = await Database.open({ memoryLimit, threads: 2, tempDirectory: await temporaryFolder() });
  return database.connect();
}

/** What DuckDB itself throws at its limit. */
async function outOfMemory(): Promise<Error> {
  const connection = await connect('30MB');
  const error = await connection
    .scalar('SELECT len(list(i)) FROM range(6000000) t(i)')
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof Error)) throw new Error('30MB were enough');
  return error;
}

const limit = (connection: Connection): Promise<unknown> =>
  connection.scalar("SELECT current_setting('memory_limit')");

test('work runs with a share of the memory limit, which is restored afterwards', async () => {
  const connection = await connect('400MB');
  const whole = await limit(connection);
  expect(await withLowerMemory(connection, 0.5, () => limit(connection))).toBe('190.7 MiB');
  expect(await limit(connection)).toBe(whole);
  await expect(withLowerMemory(connection, 0.5, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await limit(connection)).toBe(whole);
});

test('work that exceeds its share runs again once with the whole limit; other errors do not', async () => {
  const connection = await connect('400MB');
  const whole = await limit(connection);
  const limits: unknown[] = [];
  const failing = async (error: Error): Promise<never> => {
    limits.push(await limit(connection));
    throw error;
  };
  const real = await outOfMemory();
  const wrapped = new Error('mart.pages could not be made', { cause: real });
  // What a COMMIT was seen to say; it is not to be had at will.
  const atCommit = new Error(
    'TransactionContext Error: Failed to commit: failed to pin block of size 32.0 KiB (1.2 MiB/1.4 MiB used)',
  );
  for (const error of [real, wrapped, atCommit]) {
    await expect(withLowerMemory(connection, 0.5, () => failing(error))).rejects.toThrow(error.message);
    expect(limits.splice(0)).toEqual(['190.7 MiB', whole]);
  }
  const others = [
    new Error('Constraint Error: no', { cause: 'Out of Memory Error' }),
    new Error(
      'Out of Memory Error: Transaction COMMIT succeeded and is durable, but the autocheckpoint failed',
    ),
    new Error('TransactionContext Error: Failed to commit: PRIMARY KEY or UNIQUE constraint violation'),
  ];
  for (const error of others) {
    await expect(withLowerMemory(connection, 0.5, () => failing(error))).rejects.toThrow(error.message);
    expect(limits.splice(0)).toEqual(['190.7 MiB']);
  }
  expect(await limit(connection)).toBe(whole);
});

test('after a step with the whole limit, the next step has a share again', async () => {
  const connection = await connect('400MB');
  const whole = await limit(connection);
  const real = await outOfMemory();
  const limits = await inLowerMemory(connection, 0.5, async (attempt) => {
    const first: unknown[] = [];
    await attempt(async () => {
      if (first.push(await limit(connection)) === 1) throw real;
    });
    return [...first, await attempt(() => limit(connection))];
  });
  expect([...limits, await limit(connection)]).toEqual(['190.7 MiB', whole, '190.7 MiB', whole]);
});

test('rows that exceed the share fit the whole limit', async () => {
  const connection = await connect('200MB');
  const shares: unknown[] = [];
  const most = await withLowerMemory(connection, 0.2, async () => {
    shares.push(await limit(connection));
    // A list is held whole.
    return connection.scalar('SELECT len(list(i)) FROM range(6000000) t(i)');
  });
  expect(most).toBe(6000000n);
  expect(shares).toEqual(['38.1 MiB', '190.7 MiB']);
});

test('work runs on one thread, and the number of threads is restored afterwards', async () => {
  const connection = await connect('400MB');
  const threads = (): Promise<unknown> => connection.scalar("SELECT current_setting('threads')");
  expect(await withOneThread(connection, threads)).toBe(1n);
  expect(await threads()).toBe(2n);
});
