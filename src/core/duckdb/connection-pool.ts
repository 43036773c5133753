import type { Connection } from './duckdb.ts';

/**
 * Connections for statements at once: a connection runs one at a time. Opened when all the others are at work, and closed
 * with the database.
 */
export class ConnectionPool {
  readonly #open: () => Promise<Connection>;
  readonly #idle: Connection[] = [];

  constructor(open: () => Promise<Connection>) {
    this.#open = open;
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#idle.pop() ?? (await this.#open());
    try {
      return await work(connection);
    } finally {
      this.#idle.push(connection);
    }
  }
}
