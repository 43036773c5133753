import { type Connection, table as quoted } from '../../core/duckdb/duckdb.ts';
import type { MirroredTable, MirrorPartition, MirrorSource } from '../mirror-source.ts';
import {
  all,
  isKey,
  type PartitionRow,
  partitionsOf,
  selectPartitions,
  selectWithout,
  toParquet,
} from '../mirror-sql.ts';

/** The tables are in the working copy. */
export class DuckDbMirror implements MirrorSource {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async partitions(table: MirroredTable, signal: AbortSignal): Promise<MirrorPartition[]> {
    const select = selectPartitions(table, 'sum(hash(t))::VARCHAR', quoted(...table.name.split('.')));
    return partitionsOf(table, await this.#connection.rows<PartitionRow>(select, [], signal));
  }

  write(
    { name, columns }: MirroredTable,
    { key }: MirrorPartition,
    file: string,
    signal: AbortSignal,
  ): Promise<bigint> {
    const where = key.map(([column], index) => isKey(column, `$${index + 1}`));
    return this.#connection.run(
      `COPY (${selectWithout(columns, key)} FROM ${quoted(...name.split('.'))} WHERE ${all(where)}) ${toParquet(file)}`,
      key.map(([, value]) => value),
      signal,
    );
  }
}
