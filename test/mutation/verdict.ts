import type { Connection } from '../../src/core/duckdb/duckdb.ts';

/** What became of a mutant; an invalid one does not bind, so it could not be released. */
export type Verdict = 'caught' | 'survived' | 'invalid';

/** A mutant that lacks a condition may never come to an end. */
const MOST_MILLISECONDS = 20_000;

/** Caught unless the work says that all is as expected: one that fails or takes too long is noticed too. */
export async function withinTime(connection: Connection, work: () => Promise<boolean>): Promise<Verdict> {
  const timer = setInterval(() => connection.inner.interrupt(), MOST_MILLISECONDS);
  try {
    return (await work()) ? 'survived' : 'caught';
  } catch {
    return 'caught';
  } finally {
    clearInterval(timer);
  }
}
