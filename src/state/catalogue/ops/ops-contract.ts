import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { tableColumns } from '../catalog.ts';

/** The tables of `mart` and their columns, with the version of the contract that they follow. */
interface KeptTables {
  readonly version: number;
  readonly tables: Record<string, string[]>;
  /** A hash of each definition that a model of the contract had; absent in warehouses of earlier programs. */
  readonly definitions?: Record<string, string>;
}

/**
 * The contract that a warehouse was made with. One of an earlier program keeps none: its tables of `mart` are taken, as
 * version 1. The connection's default is the warehouse.
 */
export async function keptContract(connection: Connection, version: number): Promise<KeptTables> {
  // Version 16 of ops is the first that keeps it.
  const kept = version < 16 ? null : await connection.scalar('SELECT contract FROM ops.publication');
  if (typeof kept === 'string') return JSON.parse(kept) as KeptTables;
  const tables = await tableColumns(connection, ['mart']);
  return {
    version: 1,
    tables: Object.fromEntries([...tables].map(([name, columns]) => [name, columns.map((one) => one.name)])),
  };
}

export async function keepContract(connection: Connection, contract: KeptTables): Promise<void> {
  await connection.run('UPDATE ops.publication SET contract = ?', [JSON.stringify(contract)]);
}
