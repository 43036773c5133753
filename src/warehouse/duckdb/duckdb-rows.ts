import { type Connection, ident, table } from '../../core/duckdb.ts';
import type { RowStore, UnitRows } from '../row-store.ts';

/** The rows in the tables of the working copy. */
export class DuckDbRows implements RowStore {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async replaceUnit({ relation, unit, values, from }: UnitRows, signal?: AbortSignal): Promise<bigint> {
    const name = table(...relation.split('.'));
    await this.#connection.run(`DELETE FROM ${name} WHERE _unit = ?`, [unit]);
    if (from === null) return 0n;
    const columns = [...values.keys()].map(ident).join(', ');
    return this.#connection.run(
      `INSERT INTO ${name} (${columns}) SELECT ${[...values.values()].join(', ')} FROM ${from}`,
      [],
      signal,
    );
  }

  removeUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<bigint> {
    return this.#connection.run(
      `DELETE FROM ${table(...relation.split('.'))} WHERE _unit IN (SELECT unnest(from_json($1, '["VARCHAR"]')))`,
      [JSON.stringify(units)],
      signal,
    );
  }
}
