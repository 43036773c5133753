import { type Connection, relationTable, text } from '../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { Engine } from '../engine.ts';
import {
  all,
  copyToParquet,
  isKey,
  type MirroredTable,
  type MirrorPartition,
  type MirrorSource,
  PartitionRow,
  partitionsOf,
  selectPartitions,
} from '../mirror-sql.ts';
import { sourceColumns } from '../source-columns.ts';
import { DuckDbModels } from './duckdb-models.ts';
import { DuckDbRows } from './duckdb-rows.ts';

const nothing = async (): Promise<void> => {};

/** The engine for warehouses whose rows are all in the file that the working copy is a copy of. */
export const duckdbEngine: Engine = {
  async openWriter({ connection }) {
    return {
      async begin() {
        return {
          rows: new DuckDbRows(connection),
          models: new DuckDbModels(connection),
          mirror: new DuckDbMirror(connection),
        };
      },
      [Symbol.asyncDispose]: nothing,
    };
  },
  async openUnits(place) {
    return {
      async rowsOf(relation, unit) {
        const { values } = await sourceColumns(place, relation);
        const from = `${relationTable(relation, place.source)} WHERE _unit = ${text(unit)}`;
        return { values, from, [Symbol.asyncDispose]: nothing };
      },
      [Symbol.asyncDispose]: nothing,
    };
  },
  async openQueries(catalog) {
    return { queries: catalog, [Symbol.asyncDispose]: nothing };
  },
  // The checks of the state directory examine the file.
  async examine() {
    return [];
  },
  openFiles: null,
};

/** Reads the tables of the working copy. */
export class DuckDbMirror implements MirrorSource {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async partitions(table: MirroredTable, signal: AbortSignal): Promise<MirrorPartition[]> {
    const select = selectPartitions(table, 'sum(hash(t))::VARCHAR', relationTable(table.name));
    return partitionsOf(table, typedRows(PartitionRow, await this.#connection.rows(select, [], signal)));
  }

  write(table: MirroredTable, { key }: MirrorPartition, file: string, signal: AbortSignal): Promise<bigint> {
    const where = key.map(([column], index) => isKey(column, `$${index + 1}`));
    return this.#connection.run(
      copyToParquet(table, `${relationTable(table.name)} WHERE ${all(where)}`, file),
      key.map(([, value]) => value),
      signal,
    );
  }
}
