import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Connection, ident } from '../../core/duckdb/duckdb.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import {
  all,
  columnsWithout,
  isKey,
  type MirroredTable,
  type MirrorPartition,
  type MirrorSource,
  type PartitionRow,
  partitionsOf,
  selectPartitions,
  selectWithout,
  toParquet,
} from '../mirror-sql.ts';
import { literal } from './client/literal.ts';
import { selectRowsFile } from './rows/rows-file.ts';
import type { TrinoRows } from './rows/trino-rows.ts';

/** The rows come as lines of JSON, and DuckDB gives them the types of the catalogue. */
export class TrinoMirror implements MirrorSource {
  readonly #connection: Connection;
  readonly #rows: TrinoRows;

  constructor(connection: Connection, rows: TrinoRows) {
    this.#connection = connection;
    this.#rows = rows;
  }

  async partitions(table: MirroredTable, signal: AbortSignal): Promise<MirrorPartition[]> {
    const fingerprint = `to_hex(checksum(ROW(${table.columns.map(({ name }) => ident(name)).join(', ')})))`;
    const select = this.#rows.resolve((nameOf) => selectPartitions(table, fingerprint, nameOf(table.name)));
    return partitionsOf(table, await this.#rows.rows<PartitionRow>(select, signal));
  }

  async write(
    { name, columns }: MirroredTable,
    { key }: MirrorPartition,
    file: string,
    signal: AbortSignal,
  ): Promise<bigint> {
    const own = columnsWithout(columns, key);
    const where = key.map(([column, value]) => isKey(column, literal(value)));
    const select = this.#rows.resolve(
      (nameOf) => `${selectWithout(columns, key)} FROM ${nameOf(name)} WHERE ${all(where)}`,
    );
    const lines = join(dirname(file), `${randomUUID()}.rows`);
    makeFolder(dirname(file));
    try {
      await this.#rows.writeLines(select, lines, signal);
      return await this.#connection.run(
        `COPY (${selectRowsFile(lines, own)}) ${toParquet(file)}`,
        [],
        signal,
      );
    } finally {
      await rm(lines, { force: true });
    }
  }
}
