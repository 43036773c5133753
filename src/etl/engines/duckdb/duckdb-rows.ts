import { z } from 'zod';
import { type Connection, ident, listed, relationTable } from '../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import { mergeType } from '../../state/catalog/raw/merge-type.ts';
import { FORMER } from '../../state/catalog/schema.ts';
import type { RowStore, UnitRows } from '../row-store.ts';

const UnitCount = z.strictObject({ unit: z.string(), n: z.bigint() });

const FormerColumn = z.strictObject({ name: z.string(), former: z.string(), own: z.string() });

const LISTED = listed('$1');

/** The rows in the tables of the working copy. */
export class DuckDbRows implements RowStore {
  readonly isInCatalog = true;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async replaceUnit(
    { relation, unit, values, from, isNew }: UnitRows,
    signal?: AbortSignal,
  ): Promise<bigint> {
    const name = relationTable(relation);
    if (!isNew) await this.#connection.run(`DELETE FROM ${name} WHERE _unit = ?`, [unit]);
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
      `DELETE FROM ${relationTable(relation)} WHERE _unit IN ${LISTED}`,
      [JSON.stringify(units)],
      signal,
    );
  }

  async restoreUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<boolean> {
    await this.removeUnits(relation, units, signal);
    const former = await formerColumns(this.#connection, relation);
    if (former.length === 0) return false;
    const columns = former.map(({ name }) => ident(name)).join(', ');
    const values = former.map(({ value }) => value).join(', ');
    await this.#connection.run(
      `INSERT INTO ${relationTable(relation)} (${columns})
       SELECT ${values} FROM ${relationTable(relation, FORMER)} WHERE _unit IN ${LISTED}`,
      [JSON.stringify(units)],
      signal,
    );
    return former.some(({ isRetyped }) => isRetyped);
  }

  async countUnits(
    relation: string,
    units: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, bigint>> {
    const rows = typedRows(
      UnitCount,
      await this.#connection.rows(
        `SELECT _unit AS unit, count(*) AS n FROM ${relationTable(relation)} WHERE _unit IN ${LISTED} GROUP BY _unit`,
        [JSON.stringify(units)],
        signal,
      ),
    );
    return new Map([
      ...units.map((unit) => [unit, 0n] as const),
      ...rows.map(({ unit, n }) => [unit, n] as const),
    ]);
  }

  async storedColumns(): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }

  // The published file contains the rows.
  async prepare(): Promise<void> {}

  async publish(): Promise<void> {}

  async vacuum(): Promise<void> {}
}

/** Returns the columns of a published table, each with the SQL of its value in the current type of the column. */
async function formerColumns(
  connection: Connection,
  relation: string,
): Promise<{ readonly name: string; readonly value: string; readonly isRetyped: boolean }[]> {
  const rows = typedRows(
    FormerColumn,
    await connection.rows(
      `SELECT former.column_name AS name, former.data_type AS former, own.data_type AS own
       FROM duckdb_columns() AS former
       JOIN duckdb_columns() AS own ON own.database_name = current_database() AND own.schema_name = former.schema_name
         AND own.table_name = former.table_name AND own.column_name = former.column_name
       WHERE former.database_name = $2 AND former.schema_name || '.' || former.table_name = $1
       ORDER BY former.column_index`,
      [relation, FORMER],
    ),
  );
  return rows.map(({ name, former, own }) => ({
    name,
    value: mergeType(own, former, true)?.incoming(ident(name)) ?? ident(name),
    isRetyped: own !== former,
  }));
}
