import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { tableColumns } from '../../../../core/duckdb/table-columns.ts';
import type { KeptContract } from '../../../project/sql/plan/mart-contract.ts';

/**
 * Returns the contract that a warehouse was made with. Earlier programs did not store a contract; for their warehouses,
 * derives version 1 from the tables of `mart`. The warehouse must be the connection's default.
 */
export async function keptContract(connection: Connection, version: number): Promise<KeptContract> {
  // Version 16 of ops is the first that keeps it.
  const kept = version < 16 ? null : await connection.scalar('SELECT contract FROM ops.publication');
  if (typeof kept === 'string') return JSON.parse(kept) as KeptContract;
  const tables = await tableColumns(connection, ['mart']);
  return {
    version: 1,
    tables: Object.fromEntries(
      [...tables].map(([name, columns]) => [name, columns.map((column) => column.name)]),
    ),
  };
}

export async function keepContract(connection: Connection, contract: KeptContract): Promise<void> {
  await connection.run('UPDATE ops.publication SET contract = ?', [JSON.stringify(contract)]);
}
