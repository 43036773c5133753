import type { Connection } from './duckdb.ts';

/** Connections for statements at once: a connection runs one at a time. Opened when all the others are at work. */
export class ConnectionPool implements Disposable {
  readonly #open: () => Promise<Connection>;
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];

  constructor(open: () => Promise<Connection>) {
    this.#open = open;
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    let connection = this.#idle.pop();
    if (!connection) {
      connection = await this.#open();
      this.#all.push(connection);
    }
    try {
      return await work(connection);
    } finally {
      this.#idle.push(connection);
    }
  }

  [Symbol.dispose](): void {
    for (const connection of this.#all) connection[Symbol.dispose]();
  }
}
