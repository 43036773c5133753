import type { Connection } from '../../core/duckdb/duckdb.ts';

/** Runs work in a transaction, and rolls the transaction back if only the outcome is needed. */
export async function dryTransaction<T>(
  connection: Connection,
  isDryRun: boolean,
  work: () => Promise<T>,
): Promise<T> {
  let outcome: { readonly value: T } | undefined;
  const undone = new Error('dry run');
  try {
    return await connection.transaction(async () => {
      outcome = { value: await work() };
      if (isDryRun) throw undone;
      return outcome.value;
    });
  } catch (error) {
    if (error !== undone || outcome === undefined) throw error;
    return outcome.value;
  }
}
