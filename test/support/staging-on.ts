import type { Connection } from '../../src/core/duckdb/duckdb.ts';
import { stagingConnections } from '../../src/etl/pipeline/stage/macros.ts';

type Pool = ReturnType<typeof stagingConnections>;

const pools = new WeakMap<Connection, Pool>();

/** Staging on one connection, for all its packages: defining the macros takes longer than a small package. */
export function stagingOn(connection: Connection): Pool {
  const pool = pools.get(connection) ?? stagingConnections(async () => connection);
  pools.set(connection, pool);
  return pool;
}
