import { type Connection, ConnectionPool } from '../../core/duckdb/duckdb.ts';
import { defineMacros } from './macros.ts';

/**
 * Connections for conversions at once. A run has one pool for all its units, because to define the macros takes longer
 * than to convert a small part.
 *
 * @param connect opens a connection of the database to work in
 */
export function stagingConnections(connect: () => Promise<Connection>): ConnectionPool {
  return new ConnectionPool(async () => {
    const connection = await connect();
    await defineMacros(connection);
    return connection;
  });
}
